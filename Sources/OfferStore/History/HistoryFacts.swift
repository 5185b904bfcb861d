import OfferModel

/// The facts of one owner's history, a subscription's or an Apple Account's, that matter for the present, in one row
/// (docs/decisions/0051).
///
/// A pure function of the owner's history rows, written in the transaction that changes those. Customers, merges and
/// coverage have no part in it: whose a row is, is looked up when it is read.
struct HistoryFacts {
    let transaction: any StoreTransaction
    let scope: ScopeNumber

    /// Derives an owner's row from the history and writes it, or removes it if nothing is left.
    @discardableResult
    func update(_ owner: ProvenIdentifier) throws -> History {
        let facts = try derive(owner)
        try write(try facts.bytes(), of: owner)
        return facts
    }

    fileprivate func write(_ facts: [UInt8]?, of owner: ProvenIdentifier) throws {
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
    }

    /// The facts of an owner by the history; empty if it has no row of theirs.
    func derive(_ owner: ProvenIdentifier) throws -> History {
        try current(
            of: History(
                transactions: try rows(of: owner), renewalInfos: try rows(of: owner),
                appTransactions: try rows(of: owner)))
    }

    func stored(_ owner: ProvenIdentifier) throws -> [UInt8]? {
        try transaction.first(
            "SELECT facts FROM history_facts WHERE scope_id = ?1 AND kind = ?2 AND value = ?3", scope, owner.kind,
            owner.value)
    }

    private func rows<Payload: HistoryRecord>(of owner: ProvenIdentifier) throws -> [Recorded<Payload>] {
        let sql = Payload.sql
        guard sql.ownerKind == owner.kind else { return [] }
        return try Statement(sql.selectOwned, scope, owner.value).all(in: transaction) {
            try FactsRow<Payload>(reading: &$0).recorded
        }.sorted { $0.sequence < $1.sequence }
    }

    /// The facts that follow from an owner's rows in their order: from all of them, or from the facts so far and the rows
    /// since.
    fileprivate func current(of rows: History) throws -> History {
        History(
            transactions: try current(rows.transactions), renewalInfos: try current(rows.renewalInfos),
            appTransactions: try current(rows.appTransactions))
    }

    /// Of each view the newest row, and what is evidence beside it. Where it depends on the owner whether a proven row
    /// counts, the newest unproven one is kept too.
    private func current<Payload: HistoryRecord>(_ rows: [Recorded<Payload>]) throws -> [Recorded<Payload>] {
        var newest: [View<Payload>: Int] = [:]
        newest.reserveCapacity(rows.count)
        var isNewest = rows.map(\.isNewest)
        for (place, row) in rows.enumerated() where row.isNewest {
            let view = View<Payload>(
                key: row.payload.viewKey.map { Identifier($0) },
                isProven: Payload.sql.needsProvenOwner && row.provenance.isProven)
            guard let known = newest.updateValue(place, forKey: view) else { continue }
            if try outranks(row, rows[known]) {
                isNewest[known] = false
            } else {
                (isNewest[place], newest[view]) = (false, known)
            }
        }
        return zip(rows, isNewest).compactMap { row, isNewest in
            if isNewest { return row }
            return row.payload.isEvidence ? FactsRow(row, isNewest: false).recorded : nil
        }
    }

    private struct View<Payload>: Hashable {
        let key: Identifier<Payload>?
        let isProven: Bool
    }

    /// Proven data first, then the newer date, then the greater bytes, which are read for this alone. A removed row has
    /// none, and decides nothing: a copy signed later, which stays, outranks both.
    private func outranks<Payload: HistoryRecord>(
        _ row: Recorded<Payload>, _ other: Recorded<Payload>
    ) throws -> Bool {
        if row.provenance.isProven != other.provenance.isProven { return row.provenance.isProven }
        if row.payload.viewDate != other.payload.viewDate { return row.payload.viewDate > other.payload.viewDate }
        let isGreater: Bool?? = try transaction.first(Payload.sql.hasGreaterPayload, row.sequence, other.sequence)
        return isGreater == true
    }
}

/// A row of history without its payload's bytes: ties are decided when it is written.
struct FactsRow<Payload: HistoryRecord>: RecordRow {
    var sequence: Int64
    var provenance: Provenance
    var payload: Payload
    /// Whether it is the newest of its view, or only evidence, which may have the same date.
    var isNewest = true

    static var blank: Self { Self(sequence: 0, provenance: .caller, payload: .blank) }

    mutating func code(with coder: inout some RecordCoder) throws {
        try coder.field(&sequence)
        try coder.field(&payload.viewDate)
        try coder.field(&provenance)
        try payload.code(with: &coder)
        try coder.field(&isNewest)
    }
}

extension FactsRow {
    init(_ row: Recorded<Payload>, isNewest: Bool) {
        self.init(sequence: row.sequence, provenance: row.provenance, payload: row.payload, isNewest: isNewest)
    }

    /// Reads the columns `sequence, provenance`, the date and `facts`.
    init(reading row: inout RowReader) throws {
        self = .blank
        sequence = try row.next()
        provenance = try row.next()
        let date: Instant = try row.next()
        try row.nextBytes { bytes in
            do {
                try PackedReader.read(bytes) { try $0.read(into: &payload) }
            } catch let error as PackedError {
                throw StoreError.corrupt("facts \(error.detail)")
            }
        }
        payload.viewDate = date
    }

    /// The row with bytes that settle ties as the payload's did.
    var recorded: Recorded<Payload> {
        Recorded(
            payload: payload, payloadBytes: isNewest ? greaterBytes : [], provenance: provenance, sequence: sequence)
    }
}

private let greaterBytes: [UInt8] = [1]

extension Recorded {
    fileprivate var isNewest: Bool { !payloadBytes.isEmpty }
}

extension History {
    /// Reads the facts of one owner, whether or not renewal info counts yet.
    ///
    /// - Returns: where the bytes of the transactions are.
    /// - Throws: ``StoreError/corruptFacts(_:)``.
    @discardableResult
    fileprivate mutating func read(facts: UnsafeRawBufferPointer) throws -> Range<Int> {
        var places = 0..<0
        do {
            try PackedReader.read(facts) { reader in
                places = try reader.run(of: FactsRow<Transaction>.self) { row, left in
                    if transactions.capacity == 0 { transactions.reserveCapacity(left) }
                    transactions.append(row.recorded)
                }
                try reader.run(of: FactsRow<RenewalInfo>.self) { row, _ in renewalInfos.append(row.recorded) }
                try reader.run(of: FactsRow<AppTransaction>.self) { row, _ in appTransactions.append(row.recorded) }
            }
        } catch let error as PackedError {
            throw StoreError.corruptFacts("`history_facts`: facts \(error.detail)")
        }
        return places
    }

    /// The stored form; `nil` if there is nothing to store.
    ///
    /// - Parameters:
    ///   - before: the transactions as they are stored.
    ///   - stored: their bytes, which are used again if these transactions are still the first.
    func bytes(
        after before: [Recorded<Transaction>] = [], _ stored: ArraySlice<UInt8> = []
    ) throws -> [UInt8]? {
        guard hasRows else { return nil }
        var writer = RunWriter()
        let keepsStored = transactions.starts(with: before, by: ===)
        try writer.append(
            run: transactions.lazy.map { FactsRow($0, isNewest: $0.isNewest) }, known: keepsStored ? before.count : 0,
            stored: stored)
        try writer.append(run: renewalInfos.lazy.map { FactsRow($0, isNewest: $0.isNewest) })
        try writer.append(run: appTransactions.lazy.map { FactsRow($0, isNewest: $0.isNewest) })
        return writer.bytes
    }

    private var hasRows: Bool { !(transactions.isEmpty && renewalInfos.isEmpty && appTransactions.isEmpty) }

    /// Without renewal info that does not count.
    ///
    /// - Parameter isProven: whether a verified transaction names the owner; without one its signed renewal info counts
    ///   for nothing and hides nothing.
    func counting(ownerIsProven isProven: Bool) -> History {
        guard !renewalInfos.isEmpty else { return self }
        let hidesUnproven = isProven && renewalInfos.contains { $0.provenance.isProven }
        var counting = self
        counting.renewalInfos = renewalInfos.filter {
            $0.provenance.isProven ? isProven : !hidesUnproven || $0.payload.isEvidence
        }
        return counting
    }

    /// Adds what an owner's facts say, as far as it counts.
    ///
    /// - Returns: whether anything does.
    mutating func add(_ facts: UnsafeRawBufferPointer, ownerIsProven isProven: Bool) throws -> Bool {
        var added = History()
        try added.read(facts: facts)
        return add(added, ownerIsProven: isProven)
    }

    mutating func add(_ facts: History, ownerIsProven isProven: Bool) -> Bool {
        let counting = facts.counting(ownerIsProven: isProven)
        append(counting)
        return counting.hasRows
    }

    fileprivate mutating func append(_ other: History) {
        if transactions.isEmpty { transactions = other.transactions } else { transactions += other.transactions }
        renewalInfos += other.renewalInfos
        appTransactions += other.appTransactions
    }
}

/// The owners whose history a transaction changes: the facts of each are read before and updated once.
final class ChangedHistory {
    private let facts: HistoryFacts
    private var known: [ProvenIdentifier: Known] = [:]
    private var changes: [ProvenIdentifier: Change] = [:]
    private var updated: [ProvenIdentifier: (before: History, after: History)] = [:]
    private var postponed: [ProvenIdentifier: Write] = [:]

    /// An owner's facts as they are stored; where none are, by the history.
    private struct Known {
        var history: History
        var bytes: [UInt8]?
        /// Where the bytes of the transactions are.
        var transactions = 0..<0
    }

    private struct Change {
        var added = History()
        var hasRemovals = false
    }

    private struct Write {
        let bytes: [UInt8]?
        let replacesOthers: Bool
    }

    init(_ facts: HistoryFacts) {
        self.facts = facts
    }

    /// Reads the facts of an owner, before any row of the history is changed.
    func read(_ owner: ProvenIdentifier) throws {
        guard known[owner] == nil else { return }
        known[owner] = try stored(owner) ?? Known(history: try facts.derive(owner))
    }

    private func stored(_ owner: ProvenIdentifier) throws -> Known? {
        guard let bytes = try facts.stored(owner) else { return nil }
        var stored = Known(history: History(), bytes: bytes)
        stored.transactions = try bytes.withUnsafeBytes { try stored.history.read(facts: $0) }
        return stored
    }

    /// The facts of the subscriptions that have changed.
    var subscriptions: [TransactionId: History] {
        var facts: [TransactionId: History] = [:]
        for case (.originalTransactionId(let id), let change) in updated { facts[id] = change.after }
        return facts
    }

    /// Notes a new row of an owner, which comes after all others.
    func add(_ payload: HistoryPayload, sequence: Int64, of owner: ProvenIdentifier) {
        func row<Payload: HistoryRecord>(_ record: Payload) -> Recorded<Payload> {
            FactsRow(sequence: sequence, provenance: payload.provenance, payload: record).recorded
        }
        switch payload.content {
        case .transaction(let record): changes[owner, default: Change()].added.transactions.append(row(record))
        case .renewalInfo(let record): changes[owner, default: Change()].added.renewalInfos.append(row(record))
        case .appTransaction(let record): changes[owner, default: Change()].added.appTransactions.append(row(record))
        }
    }

    /// Notes that rows were removed which may be in the facts although newer ones have replaced them.
    func noteRemoval(of owner: ProvenIdentifier) {
        changes[owner, default: Change()].hasRemovals = true
    }

    /// Derives the facts of what has changed and writes them.
    func update() throws {
        try derive()
        try write()
    }

    private func derive() throws {
        for (owner, change) in changes {
            let before = try known.removeValue(forKey: owner) ?? stored(owner)
            let after: History
            if var rows = before?.history, !change.hasRemovals {
                rows.append(change.added)
                after = try facts.current(of: rows)
            } else {
                after = try facts.derive(owner)
            }
            let shown = before?.bytes == nil ? History() : before?.history ?? History()
            let bytes = try after.bytes(
                after: shown.transactions, before.flatMap { $0.bytes?[$0.transactions] } ?? [])
            guard bytes != before?.bytes else { continue }
            postponed[owner] = Write(bytes: bytes, replacesOthers: before?.bytes != nil)
            // What an earlier update of this delivery wrote is not what was there before.
            updated[owner] = (updated[owner]?.before ?? shown, after)
        }
        changes.removeAll()
    }

    /// Writes what was postponed.
    func write() throws {
        for (owner, write) in postponed { try facts.write(write.bytes, of: owner) }
        postponed.removeAll()
    }

    /// Derives the rest, and keeps the events of what has changed: not before customers are linked, because renewal
    /// info counts only once its subscription is proven to be of this app.
    ///
    /// Facts that replace others are not written before ``write()``: until then ``subscriptions`` has them, and what was
    /// asked ahead still holds.
    func finish(at now: Instant, isProven: (TransactionId) throws -> Bool) throws {
        try derive()
        for (owner, write) in postponed {
            if case .originalTransactionId = owner, write.replacesOthers { continue }
            try facts.write(write.bytes, of: owner)
            postponed[owner] = nil
        }
        let events = SubscriptionEvents(transaction: facts.transaction, scope: facts.scope, now: now)
        for (owner, change) in updated.sorted(by: { $0.key.value < $1.key.value }) {
            guard case .originalTransactionId(let subscription) = owner else { continue }
            try events.keep(
                of: subscription, from: change.before, to: change.after, isProven: try isProven(subscription))
        }
    }
}
