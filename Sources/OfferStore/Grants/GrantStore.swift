public import OfferModel

/// A grant of support with what the ledger knows beyond what rules ask.
public struct StoredGrant: Sendable, Hashable {
    public var grant: Grant
    public var customer: CustomerNumber
    /// Why, as support typed it; absent once it was erased.
    public var reason: String?
    /// The id of the API key that granted it, with the name of a person who used the key at the console.
    public var actor: String
    /// The same of who revoked it, or a command.
    public var revokedBy: String?
    /// Its place in the store-wide order; pages are cut by it.
    public var sequence: Int64 = 0
    var scope: ScopeNumber = .blank

    public init(_ grant: Grant, to customer: CustomerNumber, reason: String, actor: String) {
        self.grant = grant
        self.customer = customer
        self.reason = reason
        self.actor = actor
    }
}

extension StoredGrant: LedgerRecord {
    static var ledger: LedgerTable { .offerGrant }

    static let blank = StoredGrant(
        Grant(id: .blank, offerId: "", grantedAt: .distantPast), to: .blank, reason: "", actor: "")

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("id", &grant.id, .fixed("UNIQUE CHECK (length(id) = 36 AND id = lower(id))"))
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("customer_id", &customer, .state("customer", "REFERENCES customer (id)"))
        try columns("offer_id", &grant.offerId, .fixed("CHECK (length(offer_id) > 0)"))
        try columns("actor", &actor, .fixed("CHECK (length(actor) > 0)"))
        try columns("granted_at", &grant.grantedAt, .fixed)
        try columns("expires_at", &grant.expiresAt, .fixed("CHECK (expires_at > granted_at)"))
        try columns("revoked_at", &grant.revokedAt, .state("revokedAt"))
        try columns("revoked_by", &revokedBy, .state("revokedBy"))
        try columns(
            "issued_offer_id", &grant.issuedOfferId, .state("issuedOfferId", "REFERENCES issued_offer (id)"))
        try columns.erasable("reason", &reason, .erasable("CHECK (length(reason) > 0)").required)
    }
}

/// What support grants (docs/decisions/0076): each once, until it is used, revoked or expires.
public struct GrantStore {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    private static let columns = StoredGrant.list()
    private static let ofCustomersSQL = ListedSQL(
        "SELECT \(columns) FROM offer_grant WHERE customer_id IN (?*) ORDER BY sequence")

    /// Every grant ever made to these customers, the earliest first.
    public func grants(of customers: [CustomerNumber]) throws -> [StoredGrant] {
        guard !customers.isEmpty else { return [] }
        return try Self.ofCustomersSQL.statement(list: customers.map(\.storedValue)).all(in: transaction) {
            try StoredGrant(reading: &$0)
        }
    }

    public func grant(_ id: LowercaseUUID, in scope: ScopeNumber) throws -> StoredGrant? {
        try transaction.first(
            "SELECT \(Self.columns) FROM offer_grant WHERE id = ?1 AND scope_id = ?2", id, scope)
    }

    /// How many were made in a range of instants, revoked ones included, by an actor or by those of a pattern.
    ///
    /// - Parameter pattern: as `LIKE` reads it.
    public func count(
        by actor: String, orLike pattern: String, in range: Range<Instant>, scope: ScopeNumber
    ) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(*) FROM offer_grant
            WHERE scope_id = ?1 AND granted_at >= ?2 AND granted_at < ?3 AND (actor = ?4 OR actor LIKE ?5)
            """, scope, range.lowerBound, range.upperBound, actor, pattern) ?? 0
    }

    public func add(_ grant: StoredGrant, in scope: ScopeNumber) throws {
        var row = grant
        row.sequence = try StoreClock(transaction).nextSequence()
        row.scope = scope
        try transaction.insert(
            .grant, row, at: grant.grant.grantedAt, in: scope, after: ["offerId": grant.grant.offerId])
        try CustomerStore(transaction).noteChange(row.sequence, of: [grant.customer])
    }

    /// Notes which issued offer has used a grant.
    ///
    /// - Throws: ``StoreError/constraint(_:)`` if it was used, revoked or had expired before, which the version of its
    ///   customer rules out.
    public func use(
        _ id: LowercaseUUID, by issuedOffer: LowercaseUUID, at now: Instant, in scope: ScopeNumber
    ) throws {
        let used: Int64? = try transaction.first(
            """
            UPDATE offer_grant SET issued_offer_id = ?3
            WHERE id = ?1 AND scope_id = ?2 AND issued_offer_id IS NULL AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > ?4)
            RETURNING sequence
            """, id, scope, issuedOffer, now)
        guard let used else { throw StoreError.constraint("offer_grant.issued_offer_id") }
        try transaction.audit().record(
            .grantUsed, at: now, in: scope, before: ["issuedOfferId": LowercaseUUID?.none],
            after: ["grant": used, "issuedOfferId": issuedOffer])
    }

    /// - Returns: false if it was used or revoked before; then nothing was changed.
    public func revoke(_ id: LowercaseUUID, actor: String, at now: Instant, in scope: ScopeNumber) throws -> Bool {
        let revoked: (Int64, CustomerNumber)? = try transaction.first(
            """
            UPDATE offer_grant SET revoked_at = ?3, revoked_by = ?4
            WHERE id = ?1 AND scope_id = ?2 AND issued_offer_id IS NULL AND revoked_at IS NULL
            RETURNING sequence, customer_id
            """, id, scope, now, actor)
        guard let (grant, customer) = revoked else { return false }
        try transaction.audit().record(
            .grantRevoked, at: now, in: scope, before: ["revokedAt": Int64?.none, "revokedBy": String?.none],
            after: ["grant": grant, "revokedAt": now, "revokedBy": actor])
        try CustomerStore(transaction).noteChange(try StoreClock(transaction).nextSequence(), of: [customer])
        return true
    }

    /// Revokes what these customers could still use: their data is erased.
    func revokeUnused(of customers: [CustomerNumber], actor: String, at now: Instant, in scope: ScopeNumber) throws {
        for grant in try grants(of: customers) where grant.grant.isOpen(at: now) {
            _ = try revoke(grant.grant.id, actor: actor, at: now, in: scope)
        }
    }
}
