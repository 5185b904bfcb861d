public import OfferAPI
public import OfferModel
public import OfferStore

/// A customer's rights to their data: an export of all of it, and its erasure (docs/privacy.md).
public struct PersonalData: Sendable {
    public struct Held: Sendable, Hashable {
        public var readAt: Instant
        /// The rows of each table, those without a row left out.
        public var tables: [String: [PersonalRow]]
    }

    /// How often an erasure is retried when data about the customer arrives meanwhile.
    private static let attempts = 5

    private let ledger: Ledger
    private let digestKey: (any KeyedDigest)?
    private let author: AuditAuthor
    private let catalogs = CompiledCatalogs()
    private let clock: RequestClock

    /// - Parameter digestKey: the key that the ledger takes its digests with; without one nothing is erased.
    public init(
        ledger: Ledger, digestKey: (any KeyedDigest)?, author: AuditAuthor,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.ledger = ledger
        self.digestKey = digestKey
        self.author = author
        self.clock = RequestClock(wallClock: clock)
    }

    /// Everything held about the customers that the identifiers name.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`.
    public func held(about identifiers: CustomerIdentifiers, in scope: Scope) async throws -> Held {
        return try await ledger.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: scope) else { throw RequestError.unknownCustomer }
            let person = try NamedPerson(identifiers, in: number, transaction)
            let chain = try ErasureStore(transaction).chain(of: person.customers)
            let rows = PersonalRows(of: chain, in: number, transaction)
            var tables: [String: [PersonalRow]] = [:]
            for table in Table.all {
                let found = try rows.rows(of: table)
                if !found.isEmpty { tables[table.name] = found }
            }
            return Held(readAt: try clock.tolerantInstant(transaction), tables: tables)
        }
    }

    /// The preview of an erasure; nothing is written.
    ///
    /// - Parameter forgets: whether no evidence of uses would be kept, which needs no digest key.
    /// - Throws: ``ErasureRefusal``, `unknownCustomer`, `ambiguousCustomer`.
    public func plan(
        for identifiers: CustomerIdentifiers, in scope: Scope, forgets: Bool = false
    ) async throws -> ErasurePlan {
        guard forgets || digestKey != nil else { throw ErasureRefusal.noDigestKey }
        return try await ledger.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: scope) else { throw RequestError.unknownCustomer }
            let person = try NamedPerson(identifiers, in: number, transaction)
            return try ErasureStore(transaction).plan(for: person.customers, digestKey: digestKey?.name, in: number)
        }
    }

    /// Erases the customers that the identifiers name, in one transaction. The server may run meanwhile: what it does
    /// about the customer comes wholly before or wholly after.
    ///
    /// - Throws: as ``plan(for:in:forgets:)``, ``ErasureRefusal/changing``, `clockBehind`.
    public func erase(
        _ identifiers: CustomerIdentifiers, in scope: Scope, reason: String
    ) async throws -> ErasureOutcome {
        try await erase(identifiers, in: scope, reason: reason, forgets: false)
    }

    /// The same; if it forgets, no evidence of uses is kept, which needs no digest key.
    func erase(
        _ identifiers: CustomerIdentifiers, in scope: Scope, reason: String, forgets: Bool
    ) async throws -> ErasureOutcome {
        for _ in 0..<Self.attempts {
            let plan = try await plan(for: identifiers, in: scope, forgets: forgets)
            let outcome = try await ledger.write(by: author) { transaction -> ErasureOutcome? in
                guard let number = try ScopeStore(transaction).number(of: scope),
                    try NamedPerson(identifiers, in: number, transaction).customers == plan.customers
                else { return nil }
                return try CustomerErasure(
                    in: number, at: try clock.instant(transaction), author: author.actor,
                    offers: try catalogs.offersInForce(of: number, in: scope, transaction), forgets: forgets,
                    transaction
                ).run(plan, reason: reason)
            }
            if let outcome { return outcome }
        }
        throw ErasureRefusal.changing
    }
}

/// The person that the identifiers of a data request name. Stricter than for an offer request: giving out or erasing
/// another person's data cannot be undone.
struct NamedPerson {
    let customers: [CustomerNumber]

    /// Every identifier has to name the person; signed ones name one customer, aliases alone may name several of one
    /// Apple account.
    ///
    /// - Throws: `unknownCustomer`, `ambiguousCustomer`.
    init(_ identifiers: CustomerIdentifiers, in scope: ScopeNumber, _ transaction: any StoreTransaction) throws {
        let store = CustomerStore(transaction)
        let named =
            try identifiers.proven.map { Set(try store.customers(proven: [$0], in: scope)) }
            + identifiers.aliases.map { Set(try store.customers(aliases: [$0], in: scope)) }
        guard let first = named.first, !named.contains(where: \.isEmpty) else { throw RequestError.unknownCustomer }
        let common = named.dropFirst().reduce(first) { $0.intersection($1) }
        guard !common.isEmpty else {
            throw RequestError.ambiguousCustomer(detail: "the identifiers name different customers")
        }
        guard common.count <= NamedCustomers.maximumCustomers else {
            throw RequestError.ambiguousCustomer(
                detail: "the identifiers name more than \(NamedCustomers.maximumCustomers) customers")
        }
        // Subscriptions of one account that are not proven to be so may as well be of two.
        let signed = try store.customers(common.sorted()).count {
            !$0.originalTransactionIds.isEmpty || !$0.appTransactionIds.isEmpty
        }
        guard signed <= 1 else {
            throw RequestError.ambiguousCustomer(
                detail:
                    "the identifiers name \(signed) customers with purchases of their own, who may be different people")
        }
        customers = common.sorted()
    }
}
