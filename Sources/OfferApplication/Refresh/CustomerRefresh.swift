import AppStoreData
import AppStoreServer
import OfferEligibility
public import OfferModel
import OfferSigning
public import OfferStore

/// Fetches customers' purchases from Apple: `POST /v1/customers/refresh`, and id by id for `offerd backfill`.
public struct CustomerRefresh: Sendable {
    private let registry: AppRegistry
    private let keeping: AccountKeeping
    private let clock: RequestClock
    private var ledger: Ledger { keeping.ledger }

    /// How long a person is kept waiting, in milliseconds: less than `offerctl` waits, and than a server that stops
    /// gives its last requests.
    static let patience = 18 * Instant.Duration.second

    init(registry: AppRegistry, ledger: Ledger, catalogs: CompiledCatalogs, clock: RequestClock) {
        self.registry = registry
        self.clock = clock
        keeping = AccountKeeping(ledger: ledger, catalogs: catalogs, clock: clock)
    }

    /// Asks Apple for everything of whom the question names, keeps it, and tells what became of it.
    ///
    /// Each Apple Account is kept in one durable transaction. If a later one fails, those before it stay: the next try
    /// finds them unchanged.
    ///
    /// - Throws: ``RequestError/unknownCustomer``, ``RequestError/unknownToAppStore(detail:hint:)``,
    ///   ``RequestError/ambiguousCustomer(detail:)``, ``RequestError/appStoreFailed(_:)``,
    ///   ``RequestError/appStoreDataRefused(_:)`` if nothing was believed, ``RequestError/notReady(detail:hint:)`` where
    ///   nobody can be asked, and what the store throws.
    public func refresh(_ question: RefreshQuestion, caller: Caller) async throws -> RefreshReport {
        let client = try registry.appStoreServer(for: caller.scope).within(milliseconds: Self.patience)
        let accounts = try await accounts(question, client, caller.scope)
        var report = RefreshReport()
        var owners: [CustomerNumber] = []
        var seen: (subscriptions: Set<TransactionId>, accounts: Set<AppTransactionId>) = ([], [])
        for account in accounts {
            // An identifier that an earlier answer held is of an account that is done.
            let isSeen = account.ids.contains {
                seen.subscriptions.contains(TransactionId($0)) || seen.accounts.contains(AppTransactionId($0))
            }
            guard !isSeen else { continue }
            let kept = try await refresh(account, client, in: caller.scope, by: caller.author)
            report.add(kept)
            owners += kept.owners
            seen.subscriptions.formUnion(kept.subscriptions)
            seen.accounts.formUnion(kept.appTransactionIds)
        }
        return try await complete(report, of: owners)
    }

    /// Asks Apple by one id, be it of a transaction or of an app transaction, unless the customer of that id was asked
    /// for already.
    ///
    /// - Parameters:
    ///   - start: a customer whose history was fetched at this moment or later is not asked for again.
    ///   - author: who answers for it.
    /// - Returns: `nil` if the customer was not asked for again.
    /// - Throws: as ``refresh(_:caller:)`` does, with the time that the client's own policy allows.
    public func refresh(
        id: String, since start: Instant, in scope: Scope, by author: AuditAuthor
    ) async throws -> RefreshReport? {
        let client = try registry.appStoreServer(for: scope).with(.patient)
        let ledger = ledger
        let found = try await ledger.read { transaction -> (account: AskedAccount, isDone: Bool)? in
            guard let number = try ScopeStore(transaction).number(of: scope) else { return nil }
            let known = try CustomerStore(transaction).customers(
                proven: [.originalTransactionId(TransactionId(id)), .appTransactionId(AppTransactionId(id))],
                in: number)
            guard let customer = try CustomerStore(transaction).customers(known).first else { return nil }
            let coverage = try CoverageStore(transaction).coverage(of: customer.number)
            return (
                try AskedAccount(customer, first: id, transaction),
                coverage?.provenance == .serverAPI && (coverage?.asOf ?? .distantPast) >= start
            )
        }
        if found?.isDone == true { return nil }
        var report = RefreshReport()
        let kept = try await refresh(found?.account ?? AskedAccount(ids: [id]), client, in: scope, by: author)
        report.add(kept)
        return try await complete(report, of: kept.owners)
    }

    private func refresh(
        _ account: AskedAccount, _ client: AppStoreServerClient, in scope: Scope, by author: AuditAuthor
    ) async throws -> KeptAccount {
        let clock = clock
        let asOf = try await ledger.read { try clock.instant($0) }
        let fetched = try await AccountFetch(
            client: client, reader: try registry.reader(for: scope), now: clock.wallClock()
        ).fetch(account)
        try await checkClock(fetched.refused)
        if fetched.payloads.isEmpty {
            guard fetched.refused.isEmpty else { throw RequestError.appStoreDataRefused(fetched.refused) }
            guard !account.proven.isEmpty else {
                throw RequestError.unknownToAppStore(
                    detail: "Apple has no purchases of `\(account.ids.first ?? "")` in `\(scope.bundleId)`", hint: nil)
            }
        }
        return try await keeping.keep(fetched, of: account, asOf: asOf, in: scope, by: author)
    }

    /// Data that seems to come from the future is the clock's fault if the clock is known to be behind.
    private func checkClock(_ refused: [RefusedData]) async throws {
        guard refused.contains(where: { $0.refusal.code == .signedInFuture }) else { return }
        let clock = clock
        _ = try await ledger.read { try clock.instant($0) }
    }

    private func complete(_ report: RefreshReport, of owners: [CustomerNumber]) async throws -> RefreshReport {
        try await ledger.read { transaction in
            var report = report
            // A later account of the same request may have merged an earlier one's customer.
            let numbers = Set(try CustomerStore(transaction).survivors(of: owners).values).sorted()
            report.customers = try CustomerStore(transaction).customers(numbers).map(KnownIdentifiers.init)
            report.coverage = try HistoryStore(transaction).history(of: numbers).coverage
            return report
        }
    }
}

extension CustomerRefresh {
    private func accounts(
        _ question: RefreshQuestion, _ client: AppStoreServerClient, _ scope: Scope
    ) async throws -> [AskedAccount] {
        switch question {
        case .customer(let identifiers): try await accounts(of: identifiers, scope)
        case .order(let id): try await accounts(of: try await subscriptions(inOrder: id, client, scope), scope)
        }
    }

    /// Every customer the identifiers name, and the identifiers of Apple's that name nobody here yet.
    private func accounts(of identifiers: CustomerIdentifiers, _ scope: Scope) async throws -> [AskedAccount] {
        try await ledger.read { transaction in
            var accounts: [AskedAccount] = []
            var unknown = identifiers.proven
            if let number = try ScopeStore(transaction).number(of: scope) {
                let store = CustomerStore(transaction)
                let subject = try Subject.resolve(identifiers, signed: [], in: number, transaction)
                accounts = try store.customers(subject.customers).map {
                    try AskedAccount($0, first: nil, transaction)
                }
                unknown = try unknown.filter { try store.customer($0, in: number) == nil }
            }
            accounts += unknown.map { AskedAccount(ids: [$0.id]) }
            guard !accounts.isEmpty else { throw RequestError.unknownCustomer }
            return accounts
        }
    }

    private func accounts(of subscriptions: [TransactionId], _ scope: Scope) async throws -> [AskedAccount] {
        try await ledger.read { transaction in
            let number = try ScopeStore(transaction).number(of: scope)
            return try subscriptions.map { id in
                let store = CustomerStore(transaction)
                guard let number, let known = try store.customer(.originalTransactionId(id), in: number),
                    let customer = try store.customers([known]).first
                else { return AskedAccount(ids: [id.rawValue]) }
                return try AskedAccount(customer, first: id.rawValue, transaction)
            }
        }
    }

    /// What was bought with an order, by the first transaction of each purchase.
    private func subscriptions(
        inOrder id: String, _ client: AppStoreServerClient, _ scope: Scope
    ) async throws -> [TransactionId] {
        let order: AppStoreOrder
        do throws(AppStoreServerError) {
            order = try await client.order(id)
        } catch {
            throw error.requestError(at: clock.wallClock())
        }
        let verified = VerifiedDelivery(
            SignedDelivery(signedTransactions: order.signedTransactions), reader: try registry.reader(for: scope),
            now: clock.wallClock(), provenance: .serverAPI)
        try await checkClock(verified.refused)
        guard verified.payloads.isEmpty else {
            return Set(
                verified.payloads.compactMap { payload -> TransactionId? in
                    guard case .transaction(let transaction) = payload.content else { return nil }
                    return transaction.originalTransactionId
                }
            ).sorted()
        }
        guard verified.refused.isEmpty else { throw RequestError.appStoreDataRefused(verified.refused) }
        throw RequestError.unknownToAppStore(
            detail: "Apple knows no order `\(id)` of `\(scope.bundleId)` in \(scope.environment.rawValue)",
            hint: "copy the order's id from the customer's receipt again; orders of Sandbox cannot be looked up")
    }
}

extension AskedAccount {
    /// Everything by which a stored customer can be asked for; only what was read from signed data need not be asked for
    /// again.
    fileprivate init(_ customer: StoredCustomer, first: String?, _ transaction: any StoreTransaction) throws {
        let known =
            customer.originalTransactionIds.map(\.rawValue) + customer.appTransactionIds.map(\.rawValue)
        ids = (first.map { [$0] } ?? []) + known.filter { $0 != first }
        subscriptions = Set(customer.originalTransactionIds)
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
