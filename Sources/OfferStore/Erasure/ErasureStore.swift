public import OfferModel

/// What an erasure of a customer takes away, as it was found before anything is held for it.
public struct ErasurePlan: Sendable, Hashable {
    /// Whose data it is: the customers that the identifiers name.
    public var customers: [CustomerNumber]
    /// The same with those who were merged into them.
    public var chain: [CustomerNumber]
    /// How many rows of each table are deleted, blanked in part, or stay, by table; those without a row are left out.
    public var rows: [String: Int]
    /// Decisions about others, or about an unknown customer, whose record names the customer.
    public var mentions: [LedgerRowKey]
    /// How many other customers share an alias; they keep it.
    public var sharing: Int

    /// What it rests on: none of the customers has changed while this holds.
    let version: SubjectVersion
    /// Renewal infos that name the customer's Apple account and have no owner yet.
    let waiting: [Int64]
    /// Up to where the decisions and the history were looked through.
    let searchedTo: Int64
    /// Up to where the events were looked through.
    let eventsTo: Int64
    /// The key with which the digests of a row of the ledger were taken, if it is not the configured one.
    let otherKeys: [LedgerRowKey: String]
}

public struct LedgerRowKey: Hashable, Sendable {
    public let table: String
    public let key: Int64
}

public enum ErasureRefusal: Error, Sendable, Hashable {
    /// The configuration names no key for digests, so what stays could be guessed by anyone with the file.
    case noDigestKey
    /// Rows of the ledger, or the digests of customers erased before, were recorded under another digest key than the
    /// configured one.
    case otherDigestKey(String)
    case changing
}

public struct ErasureOutcome: Sendable, Hashable {
    public var digested = 0
    public var deleted: [String: Int] = [:]
    public var customers = 0
}

/// Erasures: who was erased, and what one would take away (docs/privacy.md).
public struct ErasureStore {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Whether one of these customers was erased after a place in the store-wide order, also together with another whom
    /// they were merged into meanwhile.
    public func isErased(_ customers: [CustomerNumber], after sequence: Int64) throws -> Bool {
        try transaction.row(
            "SELECT 1 FROM customer WHERE id IN (?*) AND erasure_sequence > ?1 LIMIT 1", sequence,
            list: customers.map(\.storedValue)) != nil
    }

    /// Whether a customer was erased at an instant or after it.
    public func isErased(_ customer: CustomerNumber, since instant: Instant) throws -> Bool {
        try transaction.row(
            """
            SELECT 1 FROM customer c JOIN erasure e ON e.sequence = c.erasure_sequence
            WHERE c.id = ?1 AND e.erased_at >= ?2
            """, customer, instant) != nil
    }

    /// Whether the customer of an identifier was erased at an instant or after it.
    ///
    /// - Parameter isOfTesters: whether customers of the scope may be reset, which keeps nothing to know them by; then
    ///   any erasure since the instant counts.
    public func isErased(
        _ identifier: ProvenIdentifier, since instant: Instant, isOfTesters: Bool, in scope: ScopeNumber
    ) throws -> Bool {
        if isOfTesters {
            return try transaction.row(
                "SELECT 1 FROM erasure WHERE scope_id = ?1 AND erased_at >= ?2 LIMIT 1", scope, instant) != nil
        }
        let erased = ErasedIdentifierStore(transaction: transaction, scope: scope)
        return try erased.customer(identifier).map { try isErased($0, since: instant) } ?? false
    }

    public func digestKeys() throws -> Set<String> {
        Set(try transaction.all("SELECT DISTINCT digest_key FROM erased_identifier") as [String])
    }

    public func chain(of customers: [CustomerNumber]) throws -> [CustomerNumber] {
        let merged = try CustomerStore(transaction).merged(into: customers).values.flatMap(\.self)
        return Set(customers + merged).sorted()
    }

    /// What an erasure of these customers takes away. Reads every decision of the scope and every event once.
    ///
    /// - Parameter digestKey: the name of the configured key; without one the database's own salt takes the digests.
    /// - Throws: ``ErasureRefusal/otherDigestKey(_:)``, ``StoreError``.
    public func plan(
        for customers: [CustomerNumber], digestKey: String?, in scope: ScopeNumber
    ) throws -> ErasurePlan {
        let digestKey = digestKey ?? SaltedDigest.name
        if let kept = try ErasedIdentifierStore(transaction: transaction, scope: scope).digestKey(), kept != digestKey {
            throw ErasureRefusal.otherDigestKey(kept)
        }
        let chain = try chain(of: customers)
        let held = PersonalRows(of: chain, in: scope, transaction)
        var counts: [String: Int] = [:]
        var covered: Set<LedgerRowKey> = []
        for table in Table.all where table.condition != nil {
            let rows = try held.rows(of: table)
            if !rows.isEmpty { counts[table.name] = rows.count }
            guard LedgerTable.named(table.name) != nil else { continue }
            covered.formUnion(rows.compactMap(\.number).map { LedgerRowKey(table: table.name, key: $0) })
        }
        let search = PersonSearch(chain: chain, scope: scope, transaction: transaction)
        let mentions = try search.decisions(after: 0)
        covered.formUnion(mentions)
        let others = try digestKeys(of: covered, except: digestKey)
        return ErasurePlan(
            customers: customers, chain: chain, rows: counts, mentions: mentions, sharing: try search.sharing(),
            version: try CustomerStore(transaction).version(of: customers), waiting: try search.renewalInfos(after: 0),
            searchedTo: try StoreClock(transaction).newestSequence(),
            eventsTo: try AuditHead.read(transaction).sequence, otherKeys: others)
    }

    /// With which other key the digests of rows were taken: rows recorded before the configuration named one for them.
    private func digestKeys(of rows: Set<LedgerRowKey>, except own: String) throws -> [LedgerRowKey: String] {
        var keys: [LedgerRowKey: String] = [:]
        var pages = AuditPages(
            Table.auditEvent.list, of: "audit_event", key: "sequence", where: "digest_key <> ?2", .text(own),
            in: transaction)
        while let row = try pages.next() {
            let event = try AuditEvent(row: row)
            for reference in try event.references() {
                guard case .integer(let number) = reference.key else { continue }
                let row = LedgerRowKey(table: reference.table, key: number)
                guard rows.contains(row) else { continue }
                guard event.digestKey == SaltedDigest.name else {
                    throw ErasureRefusal.otherDigestKey(event.digestKey)
                }
                keys[row] = event.digestKey
            }
        }
        return keys
    }
}
