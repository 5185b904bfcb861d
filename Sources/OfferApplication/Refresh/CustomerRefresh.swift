import AppStoreData
public import AppStoreServer
package import OfferAPI
public import OfferModel
import OfferSigning
package import OfferStore

/// Fetches customers' purchases from Apple: `POST /v1/customers/refresh`, and id by id for `offerd backfill`.
public struct CustomerRefresh: Sendable {
    private let registry: AppRegistry
    private let search: AccountSearch
    private let keeping: AccountKeeping
    private let ledger: Ledger
    private let clock: RequestClock
    private let rates: RequestRates
    /// The turns of backends. They share Apple's limits with support, which must not have to wait for a backend that
    /// refreshes every customer at once.
    package let turns = AsyncSemaphore(8, waiting: 32)

    /// How long a person is kept waiting, in milliseconds: less than `offerctl` waits, and than a server that stops
    /// gives its last requests.
    static let patience = 18 * Instant.Duration.second

    /// After how long that nothing is missing is written again though nothing has changed, in milliseconds: as for what
    /// a backend states. It only makes the statement serve less long.
    private static let restated = 10 * Instant.Duration.minute

    init(registry: AppRegistry, ledger: Ledger, catalogs: CompiledCatalogs, clock: RequestClock, rates: RequestRates) {
        self.registry = registry
        self.ledger = ledger
        self.clock = clock
        self.rates = rates
        search = AccountSearch(registry: registry, ledger: ledger, clock: clock)
        keeping = AccountKeeping(ledger: ledger, catalogs: catalogs, clock: clock)
    }

    /// Fetches everything Apple has of the customers, keeps it, and reports the outcome.
    ///
    /// Each Apple Account is kept in one durable transaction. If a later one fails, those before it stay: the next try
    /// finds them unchanged.
    ///
    /// - Throws: `invalidRequest` for an id by which Apple cannot be asked, `unknownCustomer`, `unknownToAppStore`,
    ///   `ambiguousCustomer`, `appStoreFailed`, `appStoreDataRefused` if none of the data could be verified,
    ///   `noAppStoreServer`, and with a `client` key `busy` if too many refreshes wait.
    package func refresh(_ question: RefreshQuestion, caller: Caller) async throws -> RefreshReport {
        try question.check()
        if case .customer(let identifiers) = question { try rates.take([identifiers], by: caller) }
        // The wait for a turn counts.
        let client = try registry.appStoreServer(for: caller.scope).within(milliseconds: Self.patience)
        guard caller.role == .client else { return try await refresh(question, client, caller: caller) }
        return try await turns.run { try await refresh(question, client, caller: caller) }
    }

    private func refresh(
        _ question: RefreshQuestion, _ client: AppStoreServerClient, caller: Caller
    ) async throws -> RefreshReport {
        let accounts = try await search.accounts(question, client, caller.scope)
        try rates.take(Set(accounts.flatMap { $0.seen?.customers ?? [] }).sorted(), by: caller)
        var report = RefreshReport()
        var owners: [CustomerNumber] = []
        var seen: (subscriptions: Set<TransactionId>, accounts: Set<AppTransactionId>) = ([], [])
        for account in accounts {
            // An identifier that an earlier answer held is of an account that is done.
            let isSeen = account.ids.contains {
                seen.subscriptions.contains(TransactionId($0)) || seen.accounts.contains(AppTransactionId($0))
            }
            guard !isSeen else { continue }
            let kept = try await refresh(account, client, since: nil, in: caller.scope, by: caller.author)
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
    /// - Parameter start: a customer whose history was fetched at this moment or later is not asked for again.
    /// - Returns: `nil` if the customer was not asked for again.
    /// - Throws: as ``refresh(_:caller:)`` does, with the time of a background job.
    package func refresh(
        id: String, since start: Instant, in scope: Scope, by author: AuditAuthor
    ) async throws -> RefreshReport? {
        let client = try registry.appStoreServer(for: scope).with(.patient)
        let (account, fetchedAt) = try await search.account(of: id, scope)
        if let fetchedAt, fetchedAt >= start { return nil }
        var report = RefreshReport()
        let kept = try await refresh(account, client, since: start, in: scope, by: author)
        report.add(kept)
        return try await complete(report, of: kept.owners)
    }

    /// - Parameter start: a history that was complete before this moment is stated again, as is one that was so before
    ///   ``restated``.
    private func refresh(
        _ account: AskedAccount, _ client: AppStoreServerClient, since start: Instant?, in scope: Scope,
        by author: AuditAuthor
    ) async throws -> KeptAccount {
        let asOf = try await ledger.read { try clock.instant($0) }
        let fetched = try await AccountFetch(
            client: client, reader: try registry.reader(for: scope), clock: clock
        ).fetch(account)
        try await clock.check(fetched.refused, ledger)
        if fetched.payloads.isEmpty {
            guard fetched.refused.isEmpty else { throw RequestError.appStoreDataRefused(fetched.refused) }
            guard !account.proven.isEmpty else {
                throw RequestError.unknownToAppStore(
                    detail: "Apple has no purchases of `\(account.ids.first ?? "")` in `\(scope.bundleId)`", hint: nil)
            }
        }
        return try await keeping.keep(
            fetched, of: account, asOf: asOf,
            recent: max(asOf.adding(milliseconds: -Self.restated), start ?? .distantPast), in: scope, by: author)
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

/// The customer whose purchases the App Store is asked for.
package enum RefreshQuestion: Sendable, Hashable {
    /// The customers that the identifiers name; Apple can be asked about an unknown one by an identifier of Apple's.
    case customer(CustomerIdentifiers)
    /// Who made an order, by the id on the customer's receipt, such as `MK5TTTVWJH`.
    case order(String)

    /// - Throws: `invalidRequest` naming the first id that is none.
    func check() throws(RequestError) {
        let ids: [(pointer: String, id: String)] =
            switch self {
            case .order(let id): [("/orderId", id)]
            case .customer(let identifiers):
                identifiers.proven.map { identifier in
                    switch identifier {
                    case .originalTransactionId(let id): ("/customer/originalTransactionId", id.rawValue)
                    case .appTransactionId(let id): ("/customer/appTransactionId", id.rawValue)
                    }
                }
            }
        for (pointer, id) in ids where !PathIdentifier.allows(id) {
            throw .invalidRequest(
                pointer: pointer, detail: "`\(OneLine.of(id, atMost: 100))` is not an id of Apple's",
                hint: "copy the id again from what the App Store says of the purchase")
        }
    }
}

/// One Apple Account as far as it is known before Apple is asked.
struct AskedAccount: Sendable, Hashable {
    /// The identifiers that Apple is asked by, in this order until it knows one: ids of transactions, or an
    /// `appTransactionId`.
    var ids: [String]
    /// The subscriptions that are known; an answer without one of them is not all there is.
    var subscriptions: Set<TransactionId> = []
    /// The app transactions that are known; only others need be asked for.
    var appTransactionIds: Set<AppTransactionId> = []
    /// The customer it is stored as; absent if it is not known here.
    var seen: NamedCustomers?
}

extension AppRegistry {
    /// - Throws: `notReady` as ``app(for:)`` does.
    func reader(for scope: Scope) throws -> SignedDataReader {
        try app(for: scope).reader(in: scope.environment)
    }

    /// - Throws: `noAppStoreServer`, and `notReady` as ``app(for:)`` does.
    public func appStoreServer(for scope: Scope) throws -> AppStoreServerClient {
        guard let client = try app(for: scope).appStoreServers[scope.environment] else {
            throw RequestError.noAppStoreServer(scope.environment)
        }
        return client
    }
}
