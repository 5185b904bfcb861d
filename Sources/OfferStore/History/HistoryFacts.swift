import OfferEligibility
import OfferModel

/// What matters for the present in the history of one owner, a subscription or an Apple Account, in one row
/// (docs/decisions/0051).
///
/// A pure function of the owner's history rows, written in the transaction that changes those. Customers, merges and
/// coverage have no part in it: whose a row is, is looked up when it is read.
struct HistoryFacts {
    let transaction: any StoreTransaction
    let scope: ScopeNumber

    /// Derives an owner's row from the history and writes it, or removes it if nothing is left.
    @discardableResult
    func update(_ owner: ProvenIdentifier) throws -> [UInt8]? {
        let facts = try derive(owner)
        if let facts {
            try transaction.execute(
                """
                INSERT INTO history_facts (scope_id, kind, value, facts) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (scope_id, kind, value) DO UPDATE SET facts = excluded.facts
                """, scope, owner.kind, owner.value, facts)
        } else {
            try transaction.execute(
                "DELETE FROM history_facts WHERE scope_id = ?1 AND kind = ?2 AND value = ?3", scope, owner.kind,
                owner.value)
        }
        return facts
    }

    /// The facts of an owner as the history has them; `nil` if it has no row of theirs.
    func derive(_ owner: ProvenIdentifier) throws -> [UInt8]? {
        let transactions: [FactsRow<Transaction>] = try current(of: owner)
        let renewalInfos: [FactsRow<RenewalInfo>] = try current(of: owner)
        let appTransactions: [FactsRow<AppTransaction>] = try current(of: owner)
        guard !(transactions.isEmpty && renewalInfos.isEmpty && appTransactions.isEmpty) else { return nil }
        var writer = FactsWriter()
        try writer.append(run: transactions)
        try writer.append(run: renewalInfos)
        try writer.append(run: appTransactions)
        return writer.bytes
    }

    func stored(_ owner: ProvenIdentifier) throws -> [UInt8]? {
        try transaction.row(
            "SELECT facts FROM history_facts WHERE scope_id = ?1 AND kind = ?2 AND value = ?3", scope, owner.kind,
            owner.value)?.value(0)
    }

    /// Of each view the newest row, and what is evidence beside it. Where it depends on the owner whether a proven row
    /// counts, the newest unproven one is kept too.
    private func current<Payload: HistoryRecord>(of owner: ProvenIdentifier) throws -> [FactsRow<Payload>] {
        let sql = Payload.sql
        guard sql.ownerKind == owner.kind else { return [] }
        let rows = try Statement(sql.selectOwned, scope, owner.value).all(in: transaction) {
            try FactsRow<Payload>(reading: &$0)
        }.sorted { $0.sequence < $1.sequence }
        var newest: [View<Payload>: Int] = [:]
        for (place, row) in rows.enumerated() {
            let view = View<Payload>(
                key: row.payload.viewKey.map { Identifier($0) },
                isProven: sql.needsProvenOwner && row.provenance.isProven)
            if let known = newest[view], try !outranks(row, rows[known]) { continue }
            newest[view] = place
        }
        let places = Set(newest.values)
        return rows.indices.compactMap { place in
            var row = rows[place]
            row.isNewest = places.contains(place)
            return row.isNewest || row.payload.isEvidence ? row : nil
        }
    }

    private struct View<Payload>: Hashable {
        let key: Identifier<Payload>?
        let isProven: Bool
    }

    /// Proven data first, then the newer date, then the greater bytes, which are read for this alone.
    private func outranks<Payload>(_ row: FactsRow<Payload>, _ other: FactsRow<Payload>) throws -> Bool {
        if row.provenance.isProven != other.provenance.isProven { return row.provenance.isProven }
        if row.payload.viewDate != other.payload.viewDate { return row.payload.viewDate > other.payload.viewDate }
        return try transaction.row(Payload.sql.hasGreaterPayload, row.sequence, other.sequence)?.value(0)
            ?? false
    }
}

/// A row of history without its payload's bytes: ties are decided when it is written.
struct FactsRow<Payload: HistoryRecord>: FactsFields {
    var sequence: Int64
    var provenance: Provenance
    var payload: Payload
    /// Whether it is the newest of its view, or only evidence, which may have the same date.
    var isNewest = true

    static var empty: Self { Self(sequence: 0, provenance: .caller, payload: .empty) }

    mutating func code(with coder: inout some FactsCoder) throws {
        try coder.field(&sequence)
        try coder.field(&payload.viewDate)
        try coder.field(&provenance)
        try payload.codeFirst(with: &coder)
        try coder.field(&isNewest)
        try payload.codeAdded(with: &coder)
    }
}

extension FactsRow {
    /// Reads the columns `sequence, provenance`, the date and `facts`.
    init(reading row: inout RowReader) throws {
        self = .empty
        sequence = try row.next()
        provenance = try row.next()
        let date: Instant = try row.next()
        try row.nextBytes { try FactsReader.read($0) { try $0.read(into: &payload) } }
        payload.viewDate = date
    }

    /// The row with bytes that settle ties as the payload's did.
    var recorded: Recorded<Payload> {
        Recorded(
            payload: payload, payloadBytes: isNewest ? greaterBytes : [], provenance: provenance, sequence: sequence)
    }
}

private let greaterBytes: [UInt8] = [1]

extension History {
    /// Adds what an owner's facts say.
    ///
    /// - Parameter isProven: whether a verified transaction names the owner; without one its signed renewal info counts
    ///   for nothing and hides nothing.
    mutating func add(_ facts: UnsafeRawBufferPointer, ownerIsProven isProven: Bool) throws -> Bool {
        let before = (transactions.count, renewalInfos.count, appTransactions.count)
        do {
            try FactsReader.read(facts) { reader in
                try reader.run(of: FactsRow<Transaction>.self) { row, left in
                    if transactions.capacity == 0 { transactions.reserveCapacity(left) }
                    transactions.append(row.recorded)
                }
                var infos: [Recorded<RenewalInfo>] = []
                try reader.run(of: FactsRow<RenewalInfo>.self) { row, _ in infos.append(row.recorded) }
                let hidesUnproven = isProven && infos.contains { $0.provenance.isProven }
                renewalInfos += infos.filter {
                    $0.provenance.isProven ? isProven : !hidesUnproven || $0.payload.isEvidence
                }
                try reader.run(of: FactsRow<AppTransaction>.self) { row, _ in appTransactions.append(row.recorded) }
            }
        } catch StoreError.corrupt(let detail) {
            throw StoreError.corruptFacts("`history_facts`: \(detail)")
        }
        return before != (transactions.count, renewalInfos.count, appTransactions.count)
    }
}

/// The owners whose history a transaction has changed: theirs is derived once, and before anything reads it.
final class ChangedHistory {
    private let facts: HistoryFacts
    private var owners: Set<ProvenIdentifier> = []
    private var changes: [ProvenIdentifier: (before: [UInt8]?, after: [UInt8]?)] = [:]

    init(_ facts: HistoryFacts) {
        self.facts = facts
    }

    func note(_ owner: ProvenIdentifier) {
        owners.insert(owner)
    }

    func update() throws {
        for owner in owners {
            // Without facts before, those of an earlier update are no earlier facts.
            let before = if let known = changes[owner] { known.before } else { try facts.stored(owner) }
            changes[owner] = (before, try facts.update(owner))
        }
        owners.removeAll()
    }

    /// Updates the rest, and keeps the events of what has changed: not before customers are linked, because renewal
    /// info counts only once its subscription is proven to be of this app.
    func finish(at now: Instant) throws {
        try update()
        let events = SubscriptionEvents(transaction: facts.transaction, scope: facts.scope, now: now)
        for (owner, change) in changes.sorted(by: { $0.key.value < $1.key.value }) where change.before != change.after {
            guard case .originalTransactionId(let subscription) = owner else { continue }
            try events.keep(of: subscription, from: change.before, to: change.after)
        }
    }
}
