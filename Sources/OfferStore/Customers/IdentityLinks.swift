import OfferModel

/// Finds, adds and merges customers by the identifiers that stand together in one signed payload
/// (docs/design.md#identity).
///
/// The customers are the connected parts of a graph: identifiers are its nodes, payloads its edges. So the order of
/// arrival never changes who is one customer (invariant 7).
final class IdentityLinks {
    let transaction: any StoreTransaction
    let scope: ScopeNumber
    let now: Instant
    /// Of the catalog in force: a merge has to know which issued offers were redeemed.
    private let offers: [Offer]
    /// A merge reads the history of both.
    private let changedHistory: ChangedHistory
    /// The identifiers that were looked at, as they are now.
    private var known: [ProvenIdentifier: Known?] = [:]

    private var customers: CustomerStore { CustomerStore(transaction) }

    init(
        transaction: any StoreTransaction, scope: ScopeNumber, now: Instant, offers: [Offer],
        changedHistory: ChangedHistory
    ) {
        (self.transaction, self.scope, self.now) = (transaction, scope, now)
        (self.offers, self.changedHistory) = (offers, changedHistory)
    }

    /// - Parameters:
    ///   - isProven: whether the payload is signed; without one nothing is merged, and only the first
    ///     identifier counts.
    func customer(
        linking identifiers: [ProvenIdentifier], isProven: Bool, from source: IdentifierSource
    ) throws -> CustomerNumber {
        let linked = isProven ? identifiers : Array(identifiers.prefix(1))
        var before = [ProvenIdentifier: Known]()
        for identifier in linked {
            before[identifier] = try find(identifier)
        }
        let found = Set(before.values.map(\.customer)).sorted()
        transaction.concerns { linked.map(Concern.identifier) + found.map(Concern.customer) }
        var customer: CustomerNumber
        if let first = found.first {
            customer = first
            if found.count > 1 {
                try changedHistory.update()
                customer = try merge(found, by: MergeProof(linked, source))
            }
        } else {
            customer = try customers.add(rolloutKey: rolloutKey(linked), at: now, in: scope)
        }
        for identifier in linked {
            try store(identifier, known: before[identifier], of: customer, isProven: isProven, from: source)
        }
        for case .originalTransactionId(let id) in linked where isProven {
            guard before[.originalTransactionId(id)]?.isProven != true else { continue }
            customer = try linkWaitingRenewalInfo(of: id, customer: customer)
        }
        return customer
    }

    func isProven(_ identifier: ProvenIdentifier) throws -> Bool {
        try find(identifier)?.isProven == true
    }

    /// The customer that an identifier names by now.
    func owner(of identifier: ProvenIdentifier) throws -> CustomerNumber? {
        try find(identifier).flatMap { $0.isErased ? nil : $0.customer }
    }

    /// Renewal info may arrive before the transaction that proves its subscription to be of this app; what it links and
    /// names takes effect with that transaction.
    private func linkWaitingRenewalInfo(of id: TransactionId, customer: CustomerNumber) throws -> CustomerNumber {
        var customer = customer
        for (appTransactionId, token, provenance) in try Self.renewalInfo(waitingFor: id, in: scope, transaction) {
            let source = IdentifierSource(provenance: provenance, transactionId: id)
            if let appTransactionId {
                customer = try self.customer(
                    linking: [.originalTransactionId(id), .appTransactionId(appTransactionId)], isProven: true,
                    from: source)
            }
            if let token {
                transaction.concerns { [.alias(.appAccountToken(token))] }
                try customers.attach(.appAccountToken(token), to: customer, from: source, at: now, in: scope)
            }
        }
        return customer
    }

    static func renewalInfo(
        waitingFor id: TransactionId, in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> [(AppTransactionId?, AppAccountToken?, Provenance)] {
        try transaction.all(
            """
            SELECT DISTINCT app_transaction_id, app_account_token, provenance FROM history_renewal_info
            WHERE scope_id = ?1 AND original_transaction_id = ?2 AND is_proven = 1
            """, scope, id)
    }

    private struct Known {
        var customer: CustomerNumber
        var isProven: Bool
        /// Whether only its digest is stored, because the customer's data was erased.
        var isErased = false
    }

    private func find(_ identifier: ProvenIdentifier) throws -> Known? {
        if let known = known[identifier] { return known }
        let found: Known?
        if let (customer, isProven) = try customers.owner(of: identifier, in: scope) {
            found = Known(customer: customer, isProven: isProven)
        } else {
            found = try ErasedIdentifierStore(transaction: transaction, scope: scope).customer(identifier)
                .map { Known(customer: $0, isProven: false, isErased: true) }
        }
        known[identifier] = .some(found)
        return found
    }

    private func store(
        _ identifier: ProvenIdentifier, known: Known?, of customer: CustomerNumber, isProven: Bool,
        from source: IdentifierSource
    ) throws {
        self.known[identifier] = Known(customer: customer, isProven: isProven || known?.isProven == true)
        if known?.isErased == true {
            try ErasedIdentifierStore(transaction: transaction, scope: scope).bringBack(identifier, of: customer)
        }
        if known == nil || known?.isErased == true {
            try transaction.execute(
                """
                INSERT INTO customer_identifier (
                    scope_id, kind, value, customer_id, is_proven, first_stored_at, provenance, transaction_id
                )
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """, scope, identifier.kind, identifier.value, customer, isProven, now, source.provenance,
                source.transactionId)
        } else if isProven, known?.isProven == false {
            try transaction.execute(
                """
                UPDATE customer_identifier SET is_proven = 1, provenance = ?4, transaction_id = ?5
                WHERE scope_id = ?1 AND kind = ?2 AND value = ?3
                """, scope, identifier.kind, identifier.value, source.provenance, source.transactionId)
        }
    }

    /// `appTransactionId` before `originalTransactionId` (docs/design.md#decisions).
    private func rolloutKey(_ identifiers: [ProvenIdentifier]) -> String {
        let preferred = identifiers.first { identifier in
            if case .appTransactionId = identifier { true } else { false }
        }
        return (preferred ?? identifiers.first)?.value ?? ""
    }
}

struct CustomerMergeRow: LedgerRecord {
    static var ledger: LedgerTable { .customerMerge }

    var sequence: Int64
    var scope: ScopeNumber
    var survivor: CustomerNumber
    var merged: CustomerNumber
    /// A ``MergeProof``; it is never read as a list, because an erasure leaves a digest.
    var proof: StoredTextList
    var mergedAt: Instant

    static let blank = CustomerMergeRow(
        sequence: 0, scope: .blank, survivor: .blank, merged: .blank, proof: StoredTextList([]), mergedAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("survivor_id", &survivor, .fixed("REFERENCES customer (id)"))
        try columns("merged_id", &merged, .fixed("UNIQUE REFERENCES customer (id)"))
        try columns("proof", &proof, .erasable)
        try columns("merged_at", &mergedAt, .fixed)
    }
}

// Making one customer of several who were proven to be one, keeping every row.
extension IdentityLinks {
    private func merge(_ customers: [CustomerNumber], by proof: MergeProof) throws -> CustomerNumber {
        let byAge: [CustomerNumber] = try transaction.all(
            "SELECT id FROM customer WHERE id IN (?*) ORDER BY first_stored_at, id",
            list: customers.map(\.storedValue))
        guard let survivor = byAge.first else { throw StoreError.corrupt("a row of `customer` is missing") }
        for merged in byAge.dropFirst() {
            try merge(merged, into: survivor, by: proof)
        }
        return survivor
    }

    private func merge(_ merged: CustomerNumber, into survivor: CustomerNumber, by proof: MergeProof) throws {
        for (identifier, found) in known where found?.customer == merged { known[identifier]??.customer = survivor }
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            .merge,
            CustomerMergeRow(
                sequence: sequence, scope: scope, survivor: survivor, merged: merged,
                proof: proof.stored, mergedAt: now),
            at: now, in: scope, before: ["customer": merged], after: ["customer": survivor])
        try CoverageStore(transaction).unite(merged, into: survivor, at: now, in: scope)
        try AttributeStore(transaction).unite(merged, into: survivor)
        try OpeningStore(transaction).unite(merged, into: survivor)
        try voidDoubledIssuedOffers(survivor, merged)
        try move(["customer_identifier", "issued_offer", "offer_grant", "redemption"], of: merged, to: survivor)
        try moveWhatErasuresKept(of: merged, to: survivor)
        try transaction.execute(
            """
            INSERT INTO customer_alias (
                scope_id, kind, value, customer_id, first_stored_at, provenance, transaction_id, request_id
            )
            SELECT scope_id, kind, value, ?1, first_stored_at, provenance, transaction_id, request_id
            FROM customer_alias WHERE customer_id = ?2
            ON CONFLICT (scope_id, kind, value, customer_id) DO UPDATE SET
                first_stored_at = \(Self.better("first_stored_at", where: Self.isEarlier)),
                provenance = \(Self.better("provenance", where: Self.isBetterSource)),
                transaction_id = \(Self.better("transaction_id", where: Self.isBetterSource)),
                request_id = \(Self.better("request_id", where: Self.isBetterSource))
            """, survivor, merged)
        try transaction.execute(
            "UPDATE customer SET merged_into = ?1 WHERE id = ?2 OR merged_into = ?2", survivor, merged)
        try transaction.execute(
            """
            UPDATE customer SET issued_sequence = (SELECT issued_sequence FROM customer WHERE id = ?2)
            WHERE id = ?1 AND issued_sequence < (SELECT issued_sequence FROM customer WHERE id = ?2)
            """, survivor, merged)
        try CustomerStore(transaction).noteChange(sequence, of: [survivor])
    }

    /// Of what two rows of one alias say the merged one's where a condition holds.
    private static func better(_ column: String, where condition: String) -> String {
        "CASE WHEN \(condition) THEN excluded.\(column) ELSE customer_alias.\(column) END"
    }

    private static let isEarlier = "excluded.first_stored_at < customer_alias.first_stored_at"

    /// Apple's data is a better source than any other, whichever came first.
    private static let isBetterSource = {
        let (merged, own) = (CustomerStore.isProven("excluded"), CustomerStore.isProven("customer_alias"))
        return "(\(merged) > \(own) OR (\(merged) = \(own) AND \(isEarlier)))"
    }()

    private func move(_ tables: [String], of merged: CustomerNumber, to survivor: CustomerNumber) throws {
        for table in tables {
            try transaction.execute("UPDATE \(table) SET customer_id = ?1 WHERE customer_id = ?2", survivor, merged)
        }
    }

    private func moveWhatErasuresKept(of merged: CustomerNumber, to survivor: CustomerNumber) throws {
        let erasure: Int64?? = try transaction.first("SELECT erasure_sequence FROM customer WHERE id = ?1", merged)
        guard let erasure, let erasure else { return }
        try move(["erased_identifier", "kept_evidence"], of: merged, to: survivor)
        try transaction.execute(
            """
            UPDATE customer SET erasure_sequence = ?2
            WHERE id = ?1 AND (erasure_sequence IS NULL OR erasure_sequence < ?2)
            """, survivor, erasure)
    }

    /// Of two open issued offers for one offer the newer is voided, and its place is not freed: both may still be
    /// redeemed.
    private func voidDoubledIssuedOffers(_ first: CustomerNumber, _ second: CustomerNumber) throws {
        let issuedOffers = IssuedOfferStore(transaction)
        try issuedOffers.settlePassed(of: [first, second], at: now)
        guard try !doubledIssuedOffers(first, second).isEmpty else { return }
        // Together the two histories may show that one of them was redeemed: then it is not open.
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: [first, second]),
            issuedOffers: try issuedOffers.issuedOffers(of: [first, second]))
        facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: [first, second])
        try issuedOffers.settle(facts.redemptions(of: offers).compactMap(\.issuedOfferId), at: now, in: scope)
        for issuedOffer in try doubledIssuedOffers(first, second) {
            try issuedOffers.close(issuedOffer, reason: IssuedOfferStore.mergeReason, release: false, at: now)
        }
    }

    /// Of open issued offers for the same offer, under whichever id, all but the oldest.
    private func doubledIssuedOffers(_ first: CustomerNumber, _ second: CustomerNumber) throws -> [LowercaseUUID] {
        let open: [(LowercaseUUID, OfferId)] = try transaction.all(
            """
            SELECT id, offer_id FROM issued_offer
            WHERE customer_id IN (?1, ?2) AND voided_at IS NULL AND settled_at IS NULL
            ORDER BY issued_at, sequence
            """, first, second)
        var seen = Set<OfferId>()
        return open.filter { _, offer in !seen.insert(offers.first { $0.has(offer) }?.id ?? offer).inserted }.map(\.0)
    }
}
