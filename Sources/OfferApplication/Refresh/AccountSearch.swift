import AppStoreServer
import OfferAPI
import OfferModel
import OfferSigning
import OfferStore

/// Finds which Apple Accounts are to be asked for, and by what.
struct AccountSearch: Sendable {
    let registry: AppRegistry
    let ledger: Ledger
    let clock: RequestClock

    /// Every account that a question means.
    ///
    /// - Throws: ``RequestError`` if it names no customer, or customers who cannot be one.
    func accounts(
        _ question: RefreshQuestion, _ client: AppStoreServerClient, _ scope: Scope
    ) async throws -> [AskedAccount] {
        switch question {
        case .customer(let identifiers): return try await accounts(of: identifiers, scope)
        case .order(let id):
            var accounts: [AskedAccount] = []
            for purchase in try await purchases(inOrder: id, client, scope) {
                accounts.append(
                    try await account(of: purchase.rawValue, by: [.originalTransactionId(purchase)], scope).account)
            }
            return accounts
        }
    }

    /// The account of one id, be it of a transaction or of an app transaction, and since when everything of it is known
    /// from Apple.
    func account(of id: String, _ scope: Scope) async throws -> (account: AskedAccount, fetchedAt: Instant?) {
        try await account(
            of: id, by: [.originalTransactionId(TransactionId(id)), .appTransactionId(AppTransactionId(id))], scope)
    }

    private func account(
        of id: String, by identifiers: [ProvenIdentifier], _ scope: Scope
    ) async throws -> (account: AskedAccount, fetchedAt: Instant?) {
        try await ledger.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: scope),
                let customer = try CustomerStore(transaction).customers(
                    try CustomerStore(transaction).customers(proven: identifiers, in: number)
                ).first
            else { return (AskedAccount(ids: [id]), nil) }
            let coverage = try CoverageStore(transaction).coverage(of: customer.number)
            return (
                try AskedAccount(customer, first: id, transaction),
                coverage?.provenance == .serverAPI ? coverage?.asOf : nil
            )
        }
    }

    /// Every customer the identifiers name, and the identifiers of Apple's that are unknown here.
    private func accounts(of identifiers: CustomerIdentifiers, _ scope: Scope) async throws -> [AskedAccount] {
        try await ledger.read { transaction in
            var accounts: [AskedAccount] = []
            var unknown = identifiers.proven
            if let number = try ScopeStore(transaction).number(of: scope) {
                let store = CustomerStore(transaction)
                let subject = try NamedCustomers.resolve(identifiers, signed: [], in: number, transaction)
                accounts = try store.customers(subject.customers).map {
                    try AskedAccount($0, first: nil, transaction)
                }
                unknown = try unknown.filter { try store.customer($0, in: number) == nil }
            }
            accounts += unknown.map { AskedAccount(ids: [$0.id]) }
            guard !accounts.isEmpty else { throw RequestError.unknownCustomer }
            // Beside a customer that Apple knows, one with aliases alone is not an account to ask for.
            let asked = accounts.filter { !$0.ids.isEmpty }
            return asked.isEmpty ? Array(accounts.prefix(1)) : asked
        }
    }

    /// The purchases of an order, by the first transaction of each.
    private func purchases(
        inOrder id: String, _ client: AppStoreServerClient, _ scope: Scope
    ) async throws -> [TransactionId] {
        let order: AppStoreOrder
        do throws(AppStoreServerError) {
            order = try await client.order(id)
        } catch {
            throw error.requestError(at: clock.wallClock())
        }
        var fetched = FetchedAccount()
        fetched.add(
            await VerifiedDelivery(
                SignedDelivery(signedTransactions: order.signedTransactions), reader: try registry.reader(for: scope),
                now: clock.wallClock(), provenance: .serverAPI), of: "order")
        try await clock.check(fetched.refused, ledger)
        guard fetched.subscriptions.isEmpty else { return fetched.subscriptions.sorted() }
        guard fetched.refused.isEmpty else { throw RequestError.appStoreDataRefused(fetched.refused) }
        throw RequestError.unknownToAppStore(
            detail: "Apple knows no order `\(id)` of `\(scope.bundleId)` in \(scope.environment.rawValue)",
            hint: "copy the order's id from the customer's receipt again; orders of Sandbox cannot be looked up")
    }
}

extension RequestClock {
    /// Data that seems to come from the future is the clock's fault if the clock is known to be behind.
    ///
    /// - Throws: `clockBehind`.
    func check(_ refused: [RefusedData], _ ledger: Ledger) async throws {
        guard refused.contains(where: { $0.refusal.code == .signedInFuture }) else { return }
        _ = try await ledger.read { try instant($0) }
    }
}

extension AskedAccount {
    /// Everything by which a stored customer can be asked for; only what was read from signed data need not be asked
    /// for again.
    fileprivate init(_ customer: StoredCustomer, first: String?, _ transaction: any StoreTransaction) throws {
        let known = customer.originalTransactionIds.map(\.rawValue) + customer.appTransactionIds.map(\.rawValue)
        ids = (first.map { [$0] } ?? []) + known.filter { $0 != first }
        subscriptions = Set(customer.originalTransactionIds)
        seen = NamedCustomers(customers: [customer.number], seenAt: try StoreClock(transaction).newestSequence())
        appTransactionIds = Set(
            try HistoryStore(transaction).history(of: [customer.number]).appTransactions
                .compactMap(\.payload.appTransactionId))
    }
}

extension ProvenIdentifier {
    fileprivate var id: String {
        switch self {
        case .originalTransactionId(let id): id.rawValue
        case .appTransactionId(let id): id.rawValue
        }
    }
}
