import OfferModel

/// Proves that every row is as its event tells, that none is missing or put in, and that states are what events make them.
///
/// The chain must be proven already.
struct RowCheck {
    let transaction: any StoreTransaction
    let digests: (_ key: String) throws -> LedgerDigests
    let told: ErasedRows
    let progress: (Int64) -> Void

    /// - Throws: ``BrokenRow`` for the first row that is not as it should be.
    func run(_ report: inout LedgerReport) throws {
        do {
            try check(&report)
        } catch let broken as BrokenRow where broken.table == LedgerTable.issuedOffer.name {
            // A slot follows its customer: a merge that is not as it was has to be named, and not the slot.
            try checkMerges()
            throw broken
        }
    }

    private func checkMerges() throws {
        let merges = OrderedRows(.customerMerge, transaction)
        var events = AuditPages(AuditEvent.columns, of: "audit_event", key: "sequence", transaction)
        while let row = try events.next() {
            let event = try AuditEvent.read(row).event
            for reference in try event.references() where reference.table == LedgerTable.customerMerge.name {
                try merges.take(reference, of: event, digests: digests)
            }
        }
        try merges.finish()
    }

    private func check(_ report: inout LedgerReport) throws {
        var ordered: [String: OrderedRows] = [:]
        var few: [String: FewRows] = [:]
        for table in LedgerTable.all {
            if table.isOrdered {
                ordered[table.name] = OrderedRows(table, told: told, transaction)
            } else {
                few[table.name] = FewRows(table, transaction)
            }
        }
        var events = AuditPages(AuditEvent.columns, of: "audit_event", key: "sequence", transaction)
        var removed: Int64 = 0
        while let row = try events.next() {
            let event = try AuditEvent.read(row).event
            for reference in try event.references() {
                if let rows = ordered[reference.table] {
                    try rows.take(reference, of: event, digests: digests)
                } else if let rows = few[reference.table] {
                    try rows.take(reference, of: event, digests: digests)
                } else {
                    throw BrokenRow(
                        "audit_event", .integer(event.sequence),
                        "it covers a row of the unknown table `\(reference.table)`")
                }
            }
            try follow(event, few)
            removed += try self.removed(by: event)
            if event.sequence.isMultiple(of: 10_000) { progress(event.sequence) }
        }
        let found = ordered.values.reduce(0) { $0 + $1.erased } + few.values.reduce(0) { $0 + $1.erased }
        guard found <= removed.saturatingAdding(told.told) else {
            throw BrokenRow(
                "audit_event", .null,
                "\(found) texts are gone; the events `retention` tell of \(removed) and the events `erasure` of "
                    + "\(told.told)")
        }
        for table in LedgerTable.all {
            if let rows = ordered[table.name] {
                try rows.finish()
                report.rows[table.name] = rows.count
            }
            if let rows = few[table.name] {
                report.rows[table.name] = rows.count
                try rows.finish(digests: digests)
            }
        }
    }

    /// How many texts an event tells that retention removed.
    private func removed(by event: AuditEvent) throws -> Int64 {
        guard event.kind == .retention else { return 0 }
        return try AuditValues(text: event.after ?? "{}").value("erased")
    }

    /// What an event changes of a row that it does not cover again.
    private func follow(_ event: AuditEvent, _ few: [String: FewRows]) throws {
        switch event.kind {
        case .resume:
            let after = try AuditValues(text: event.after ?? "{}")
            few[LedgerTable.pause.name]?.change(after["pause"] ?? .null, to: after)
        case .apiKeyRevoked:
            let after = try AuditValues(text: event.after ?? "{}")
            few[LedgerTable.apiKey.name]?.change(after["apiKey"] ?? .null, to: after)
        default: break
        }
    }
}

/// The rows of a table whose keys rise in the order of the events that cover them.
final class OrderedRows {
    private let table: LedgerTable
    private let transaction: any StoreTransaction
    private var pages: AuditPages
    /// Events that change slots of the page in hand, without those that issued them.
    private var changes: [Int64: [AuditEvent]] = [:]
    private(set) var count: Int64 = 0
    /// How many columns of these rows retention or an erasure removed.
    private(set) var erased: Int64 = 0
    private let told: ErasedRows

    init(_ table: LedgerTable, told: ErasedRows = ErasedRows(), _ transaction: any StoreTransaction) {
        self.table = table
        self.told = told
        self.transaction = transaction
        pages = AuditPages(table.columns, of: table.name, key: table.key, transaction)
        if table.name == LedgerTable.issuedOffer.name {
            pages.onPage = { [unowned self] in try readChanges(from: $0, through: $1) }
        }
    }

    /// Takes the next row, which an event covers.
    ///
    /// - Throws: ``BrokenRow`` if it is another row, or not as it was.
    func take(
        _ reference: LedgerRow.Reference, of event: AuditEvent, digests: (_ key: String) throws -> LedgerDigests
    ) throws {
        guard case .integer(let expected) = reference.key else {
            throw BrokenRow(
                "audit_event", .integer(event.sequence), "it covers a row of `\(table.name)` without number")
        }
        guard let row = try pages.peek(), try row.value(0) <= expected else {
            throw BrokenRow(table.name, reference.key, "it is missing; event \(event.sequence) tells of it")
        }
        let found: Int64 = try row.value(0)
        guard found == expected else { throw uncovered(found) }
        let read = try digests(event.digestKey).row(table, row.values)
        guard read.reference.digest == reference.digest else {
            throw BrokenRow(table.name, reference.key, "it is not the row that event \(event.sequence) tells of")
        }
        if table.name == LedgerTable.issuedOffer.name {
            try SlotHistory(transaction: transaction, events: changes[expected] ?? []).check(
                reference.key, issue: event
            ) { try digests($0).row(table, row.values).state }
        }
        _ = try pages.next()
        count += 1
        erased += Int64(read.erased.count)
        guard !told.holds(table.name, read.sequence) else { return }
        let removable = RetentionStore.columns(of: table.name)
        for column in read.erased where !removable.contains(column) {
            throw BrokenRow(table.name, reference.key, "its `\(column)` is gone, and no erasure names the row")
        }
    }

    /// - Throws: ``BrokenRow`` if a row is left that no event covers.
    func finish() throws {
        if let row = try pages.peek() { throw uncovered(try row.value(0)) }
    }

    private func uncovered(_ key: Int64) -> BrokenRow {
        BrokenRow(table.name, .integer(key), "no event tells of it; it was put in, or its event was cut off")
    }

    private func readChanges(from first: Int64, through last: Int64) throws {
        changes = [:]
        let rows = try transaction.rows(
            """
            SELECT \(AuditEvent.columns) FROM audit_event WHERE issued_offer BETWEEN ?1 AND ?2
            ORDER BY issued_offer, sequence
            """, first, last)
        for row in rows {
            let event = try AuditEvent.read(row).event
            guard event.kind != .issue, let slot = event.issuedOffer else { continue }
            changes[slot, default: []].append(event)
        }
    }
}

/// What the events make of a slot, against its row.
struct SlotHistory {
    let transaction: any StoreTransaction
    /// Events after the one that issued it, the earliest first.
    let events: [AuditEvent]

    /// - Parameters:
    ///   - state: the row's columns that change, by the digests of a key.
    func check(
        _ key: StoredValue, issue: AuditEvent, row state: (_ digestKey: String) throws -> AuditValues
    ) throws {
        var derived = try AuditValues(text: issue.after ?? "{}")
        // Each text is digested under the key of the event that told of it last.
        var keys: [String: String] = [:]
        for event in events {
            let before = try AuditValues(text: event.before ?? "{}")
            let after = try AuditValues(text: event.after ?? "{}")
            for told in before.members where (derived[told.name] ?? .null) != told.value {
                // Digests under two keys tell nothing of each other.
                if Self.erasable.contains(told.name), keys[told.name] ?? issue.digestKey != event.digestKey { continue }
                throw BrokenRow(
                    "audit_event", .integer(event.sequence),
                    "it changes `\(told.name)` of issued_offer \(key.shown) from \(told.value.shown), where the events "
                        + "before it make it \((derived[told.name] ?? .null).shown)")
            }
            for member in Self.erasable where after[member] != nil { keys[member] = event.digestKey }
            derived = derived.merging(after)
        }
        derived = derived.merging(["customer": try owner(try derived.value("customer"))])
        var states = [issue.digestKey: try state(issue.digestKey)]
        for column in LedgerTable.issuedOffer.state {
            let digestKey = keys[column.member] ?? issue.digestKey
            let found = try states[digestKey] ?? state(digestKey)
            states[digestKey] = found
            guard (found[column.member] ?? .null) != (derived[column.member] ?? .null) else { continue }
            let values =
                column.isErasable
                ? "is not what"
                : "is \((found[column.member] ?? .null).shown) and not "
                    + "\((derived[column.member] ?? .null).shown), as"
            throw BrokenRow(
                "issued_offer", key,
                "its `\(column.name)` \(values) the events make it; the row was changed, or its "
                    + "newest event was cut off")
        }
    }

    private static let erasable = Set(LedgerTable.issuedOffer.state.filter(\.isErasable).map(\.member))

    /// Whose a slot is now that was issued to a customer.
    private func owner(_ customer: Int64) throws -> Int64 {
        var owner = customer
        // Merges that were put in may lead in a circle; they are found and named after the slots.
        var seen: Set<Int64> = []
        while seen.insert(owner).inserted,
            let survivor = try transaction.row("SELECT survivor_id FROM customer_merge WHERE merged_id = ?1", owner)
        {
            owner = try survivor.value(0)
        }
        return owner
    }
}

/// The rows of a table that people make: few, so what the events make of them is kept.
final class FewRows {
    private struct Expected {
        var state: AuditValues
        var digestKey: String
    }

    private let table: LedgerTable
    private let transaction: any StoreTransaction
    private var expected: [StoredValue: Expected] = [:]

    init(_ table: LedgerTable, _ transaction: any StoreTransaction) {
        self.table = table
        self.transaction = transaction
    }

    /// How many columns of these rows were erased.
    private(set) var erased: Int64 = 0

    var count: Int64 { Int64(expected.count) }

    /// Takes the row that an event covers.
    ///
    /// - Throws: ``BrokenRow`` if it is missing or not as it was.
    func take(
        _ reference: LedgerRow.Reference, of event: AuditEvent, digests: (_ key: String) throws -> LedgerDigests
    ) throws {
        let row = try transaction.row(
            "SELECT \(table.columns) FROM \(table.name) WHERE \(table.key) = ?1", values: [reference.key])
        guard let row else {
            throw BrokenRow(table.name, reference.key, "it is missing; event \(event.sequence) tells of it")
        }
        let read = try digests(event.digestKey).row(table, row.values)
        guard read.reference.digest == reference.digest else {
            throw BrokenRow(table.name, reference.key, "it is not the row that event \(event.sequence) tells of")
        }
        erased += Int64(read.erased.count)
        let told = try AuditValues(text: event.after ?? "{}")
        expected[reference.key] = Expected(state: told, digestKey: event.digestKey)
    }

    /// Notes what a later event changes of a row; one that no event covers is found at the end.
    func change(_ key: StoredValue, to after: AuditValues) {
        guard let known = expected[key] else { return }
        expected[key]?.state = known.state.merging(after)
    }

    /// - Throws: ``BrokenRow`` for a row that no event covers, or that is in another state than the events make it.
    func finish(digests: (_ key: String) throws -> LedgerDigests) throws {
        for row in try transaction.rows("SELECT \(table.columns) FROM \(table.name) ORDER BY 1") {
            let key = row.values[0]
            guard let known = expected[key] else {
                throw BrokenRow(table.name, key, "no event tells of it; it was put in, or its event was cut off")
            }
            let state = try digests(known.digestKey).row(table, row.values).state
            for column in table.state
            where (state[column.member] ?? .null) != (known.state[column.member] ?? .null) {
                throw BrokenRow(
                    table.name, key,
                    "its `\(column.name)` is \((state[column.member] ?? .null).shown) and not "
                        + "\((known.state[column.member] ?? .null).shown), as the events make it; the row was changed, "
                        + "or its newest event was cut off")
            }
        }
    }
}
