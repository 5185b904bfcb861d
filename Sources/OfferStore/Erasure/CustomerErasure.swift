public import OfferModel

/// Takes away what names a customer, and leaves what limits need: internal ids, dates and keyed digests.
///
/// Besides ``UnlistedHistory`` the one exception to an append-only history. It is one transaction with its event;
/// `verify-ledger` accepts the rows that it blanks only because that event names them.
public struct CustomerErasure {
    private let transaction: any StoreTransaction
    private let scope: ScopeNumber
    private let now: Instant
    private let author: String
    /// Of the catalog in force: they tell where one use of an offer ends and the next begins.
    private let offers: [Offer]
    /// Whether nothing is kept for limits: a tester who comes back is another customer.
    private let forgets: Bool

    /// An erasure in a transaction of ``Ledger/write(by:_:)``.
    public init(
        in scope: ScopeNumber, at now: Instant, author: String, offers: [Offer], forgets: Bool = false,
        _ transaction: any StoreTransaction
    ) {
        self.transaction = transaction
        self.scope = scope
        self.now = now
        self.author = author
        self.offers = offers
        self.forgets = forgets
    }

    /// - Parameter reason: why, as the operator typed it; it names no person.
    /// - Returns: `nil` if a customer has changed since the plan was made; then nothing was.
    public func run(_ plan: ErasurePlan, reason: String) throws -> ErasureOutcome? {
        let log = try transaction.audit()
        guard forgets || log.digestKey != SaltedDigest.name else { throw ErasureRefusal.noDigestKey }
        guard try CustomerStore(transaction).version(of: plan.customers) == plan.version,
            try ErasureStore(transaction).chain(of: plan.customers) == plan.chain,
            try !hasForeignEvents(after: plan.eventsTo, log)
        else { return nil }
        var outcome = ErasureOutcome()
        let search = PersonSearch(chain: plan.chain, scope: scope, transaction: transaction)
        let mentions = plan.mentions + (try search.decisions(after: plan.searchedTo))
        let waiting = plan.waiting + (try search.renewalInfos(after: plan.searchedTo))
        for (index, customer) in plan.customers.enumerated() {
            let chain = try ErasureStore(transaction).chain(of: [customer])
            var redaction = Redaction(transaction: transaction, log: log, otherKeys: plan.otherKeys)
            try keepEvidence(of: customer)
            let proven = try provenIdentifiers(of: customer)
            try keepIdentifiers(proven, of: customer, chain)
            try GrantStore(transaction).revokeUnused(of: chain, actor: author, at: now, in: scope)
            try redactLedger(of: chain, mentions: index == 0 ? mentions : [], &redaction, &outcome)
            // Whose they are is told by the identifiers, which are deleted next.
            _ = try NotificationStore(transaction).erase(of: chain, at: now)
            try forgetImports(proven, of: chain, &outcome)
            try deleteRows(of: chain, waiting: index == 0 ? waiting : [], &outcome)
            try RedemptionStore(transaction).record(of: customer, offers: offers, at: now, in: scope)
            try tell(customer, chain, reason: reason, redaction)
            outcome.digested += redaction.erased
            outcome.customers += 1
        }
        try StoreClock(transaction).advance(to: now)
        return outcome
    }

    /// Whether something was recorded meanwhile under another digest key, by a process with another configuration.
    private func hasForeignEvents(after sequence: Int64, _ log: AuditLog) throws -> Bool {
        try transaction.row(
            "SELECT 1 FROM audit_event WHERE sequence > ?1 AND digest_key <> ?2 LIMIT 1", sequence, log.digestKey)
            != nil
    }

    private func keepEvidence(of customer: CustomerNumber) throws {
        if forgets { return try KeptEvidenceStore(transaction).replace([], of: customer, in: scope) }
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: [customer]),
            issuedOffers: try IssuedOfferStore(transaction).issuedOffers(of: [customer]))
        let known = KeptEvidenceStore(transaction)
        facts.keptEvidence = try known.evidence(of: [customer])
        let identifiers = ErasedIdentifierStore(transaction: transaction, scope: scope)
        let log = try transaction.audit()
        let evidence = facts.evidenceToKeep().map { kept in
            var kept = kept
            if !kept.originalTransactionId.isErased {
                kept.originalTransactionId = TransactionId(
                    rawValue: identifiers.standIn(for: .originalTransactionId(kept.originalTransactionId), log))
            }
            return kept
        }
        try known.replace(evidence, of: customer, in: scope)
    }

    private func provenIdentifiers(of customer: CustomerNumber) throws -> [ProvenIdentifier] {
        let stored = try CustomerStore(transaction).customers([customer])
        return stored.flatMap(\.originalTransactionIds).map(ProvenIdentifier.originalTransactionId)
            + stored.flatMap(\.appTransactionIds).map(ProvenIdentifier.appTransactionId)
    }

    private func keepIdentifiers(
        _ proven: [ProvenIdentifier], of customer: CustomerNumber, _ chain: [CustomerNumber]
    ) throws {
        let store = ErasedIdentifierStore(transaction: transaction, scope: scope)
        if forgets { try store.forget(chain) } else { try store.keep(proven, of: customer, at: now) }
        let log = try transaction.audit()
        for one in chain {
            let key: String? = try transaction.first("SELECT rollout_key FROM customer WHERE id = ?1", one)
            guard let key, !key.hasPrefix(Redacted.prefix) else { continue }
            // An alias is digested as if it were a subscription: it is never brought back.
            let identifier = proven.first { $0.value == key } ?? .originalTransactionId(TransactionId(rawValue: key))
            try transaction.execute(
                "UPDATE customer SET rollout_key = ?2 WHERE id = ?1", one, store.standIn(for: identifier, log))
        }
    }

    private func redactLedger(
        of chain: [CustomerNumber], mentions: [LedgerRowKey], _ redaction: inout Redaction,
        _ outcome: inout ErasureOutcome
    ) throws {
        let numbers = chain.map(\.storedValue)
        let own = "customer_id IN (?*)"
        try redaction.redact(.issuedOffer, where: own, numbers)
        try redaction.redact(
            .signing, where: "issued_offer IN (SELECT sequence FROM issued_offer WHERE \(own))", numbers)
        try redaction.redact(.offerGrant, where: own, numbers)
        try redaction.redact(.customerMerge, where: "merged_id IN (?*)", numbers)
        var answers = try deleteAnswers(of: own, numbers)
        for mention in mentions {
            let one = [StoredValue.integer(mention.key)]
            answers += try deleteAnswers(of: "sequence IN (?*)", one)
            // What is signed for another customer's issued offer names that customer, and stays.
            guard let table = LedgerTable.named(mention.table) else { continue }
            try redaction.redact(
                table, mention.table == LedgerTable.refusal.name ? nil : ["record"], where: "sequence IN (?*)", one)
        }
        try redaction.redact(.refusal, where: own, numbers)
        outcome.deleted["kept_answer", default: 0] += answers
    }

    private func deleteAnswers(of decisions: String, _ list: [StoredValue]) throws -> Int {
        try transaction.changes(by: "DELETE FROM kept_answer AS t WHERE \(Table.isAnswer(of: decisions))", list: list)
    }

    private func deleteRows(
        of chain: [CustomerNumber], waiting: [Int64], _ outcome: inout ErasureOutcome
    ) throws {
        for sequence in waiting {
            try NotificationStore(transaction).erase(ofRenewalInfo: sequence, at: now)
            let deleted: [TransactionId] = try transaction.all(
                "DELETE FROM history_renewal_info WHERE sequence = ?1 RETURNING original_transaction_id", sequence)
            for subscription in deleted {
                try HistoryFacts(transaction: transaction, scope: scope).update(.originalTransactionId(subscription))
            }
            outcome.deleted["history_renewal_info", default: 0] += deleted.count
        }
        // The identifiers last: they say whose the history is.
        let tables = Table.all.filter { table in
            table.columns.allSatisfy { $0.erasure == .deleted } && !["kept_answer", "import_row"].contains(table.name)
        }
        for table in tables.filter({ $0.name != "customer_identifier" })
            + tables.filter({ $0.name == "customer_identifier" })
        {
            guard let rows = table.condition else { continue }
            outcome.deleted[table.name, default: 0] += try transaction.changes(
                by: "DELETE FROM \(table.name) AS t WHERE \(rows) AND ?1 = ?1", scope, list: chain.map(\.storedValue))
        }
    }

    /// What imports have staged of the customer, and what else they remember besides what is deleted.
    private func forgetImports(
        _ proven: [ProvenIdentifier], of chain: [CustomerNumber], _ outcome: inout ErasureOutcome
    ) throws {
        outcome.deleted["import_row", default: 0] += try ImportStore(transaction).forget(
            proven.map(\.value), in: scope)
        for table in [Table.importRun, .importRefusal] {
            guard let rows = table.condition else { continue }
            for column in table.columns where column.erasure == .emptied {
                try transaction.execute(
                    "UPDATE \(table.name) AS t SET \(column.name) = '' WHERE \(rows)", scope,
                    list: chain.map(\.storedValue))
            }
        }
    }

    private func tell(
        _ customer: CustomerNumber, _ chain: [CustomerNumber], reason: String, _ redaction: Redaction
    ) throws {
        let sequence = try StoreClock(transaction).nextSequence()
        try transaction.insert(
            .erasure,
            ErasureRow(
                sequence: sequence, scope: scope, customer: customer, erasedAt: now, actor: author, reason: reason),
            at: now, in: scope,
            after: [
                "customer": customer, "erased": redaction.erased, "rows": ErasedRows.text(redaction.rows),
            ])
        for one in chain {
            try transaction.execute("UPDATE customer SET erasure_sequence = ?2 WHERE id = ?1", one, sequence)
        }
        try CustomerStore(transaction).noteChange(sequence, of: [customer])
    }
}

struct ErasureRow: LedgerRecord {
    static var ledger: LedgerTable { .erasure }

    var sequence: Int64
    var scope: ScopeNumber
    var customer: CustomerNumber
    var erasedAt: Instant
    var actor: String
    /// As the operator typed it; it names no person.
    var reason: String

    static let blank = ErasureRow(
        sequence: 0, scope: .blank, customer: .blank, erasedAt: .distantPast, actor: "", reason: "")

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("sequence", &sequence, .key)
        try columns("scope_id", &scope, .fixed("REFERENCES scope (id)"))
        try columns("customer_id", &customer, .fixed("REFERENCES customer (id)"))
        try columns("erased_at", &erasedAt, .fixed)
        try columns("actor", &actor, .fixed("CHECK (length(actor) > 0)"))
        try columns("reason", &reason, .erasable("CHECK (length(reason) > 0)", erasure: .kept))
    }
}

/// Replaces texts of the ledger by keyed digests, and collects the rows that were changed.
struct Redaction {
    let transaction: any StoreTransaction
    let log: AuditLog
    let otherKeys: [LedgerRowKey: String]

    private(set) var erased = 0
    private(set) var rows: [String: [Int64]] = [:]

    /// - Parameters:
    ///   - columns: all that an erasure digests if absent.
    ///   - condition: which rows, by a list, `?*`.
    mutating func redact(
        _ table: LedgerTable, _ columns: [String]? = nil, where condition: String, _ list: [StoredValue]
    ) throws {
        let columns = columns ?? table.table.digested
        let found = try transaction.rows(
            """
            SELECT sequence, \(columns.joined(separator: ", ")) FROM \(table.name) WHERE \(condition) ORDER BY sequence
            """, list: list)
        for row in found {
            let sequence: Int64 = try row.value(0)
            let count = try transaction.redact(table, sequence, columns, Array(row.values.dropFirst())) {
                try digests(of: $0, table, sequence)
            }
            erased += count
            if count > 0 { rows[table.name, default: []].append(sequence) }
        }
    }

    /// The digests under the key that the event which told of the column has used.
    private func digests(of column: String, _ table: LedgerTable, _ sequence: Int64) throws -> AuditLog {
        let state = table.state.first { $0.name == column }
        let key =
            try state.flatMap { try stateKey($0.member, of: sequence) }
            ?? otherKeys[LedgerRowKey(table: table.name, key: sequence)] ?? log.digestKey
        if key == log.digestKey { return log }
        guard key == SaltedDigest.name else { throw ErasureRefusal.otherDigestKey(key) }
        return log.salted(try SaltedDigest.salt(transaction))
    }

    /// The key of the newest event that changed a member of an issued offer's state.
    private func stateKey(_ member: String, of issuedOffer: Int64) throws -> String? {
        let told: [(String, String?)] = try transaction.all(
            "SELECT digest_key, after_change FROM audit_event WHERE issued_offer = ?1 ORDER BY sequence", issuedOffer)
        return try told.last { _, after in try AuditValues(text: after ?? "{}")[member] != nil }?.0
    }
}

extension StoreTransaction {
    /// Replaces texts of a row of the ledger by their keyed digests, but those that are gone already.
    ///
    /// - Parameter log: takes the digest of a column.
    /// - Returns: how many.
    func redact(
        _ table: LedgerTable, _ sequence: Int64, _ columns: [String], _ values: [StoredValue],
        by log: (_ column: String) throws -> AuditLog
    ) throws -> Int {
        var changes: [StoredValue] = [.integer(sequence)]
        var assignments: [String] = []
        for (column, value) in zip(columns, values) where value != .null && LedgerDigests.remains(of: value) == nil {
            changes.append(
                try log(column).remains(of: value, column: column, table: table, key: .integer(sequence)))
            assignments.append("\(column) = ?\(changes.count)")
        }
        guard !assignments.isEmpty else { return 0 }
        try execute(
            Statement(
                "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) WHERE sequence = ?1", values: changes))
        return assignments.count
    }
}
