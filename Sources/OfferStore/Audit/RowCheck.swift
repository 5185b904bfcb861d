import OfferModel

/// Proves that every row is as its event tells, that none is missing or put in, and that states are what events make
/// them.
///
/// The chain must be proven already.
struct RowCheck {
    let transaction: any StoreTransaction
    let digests: (_ key: String) throws -> LedgerDigests
    let erasures: ErasedRows
    let progress: (Int64) -> Void

    /// - Throws: ``BrokenRow`` for the first row that is not as it should be.
    func run(_ report: inout LedgerReport) throws {
        do {
            try check(&report)
        } catch let broken as BrokenRow
            where [LedgerTable.issuedOffer, .offerGrant].contains(where: { $0.name == broken.table })
        {
            // Both follow their customer: a merge that is not as it was has to be named, and not they.
            try checkMerges()
            throw broken
        }
    }

    private func checkMerges() throws {
        let merges = OrderedRows(.customerMerge, digests: digests, transaction)
        var events = AuditPages.events(transaction)
        while let row = try events.next() {
            let event = try AuditEvent(row: row)
            for reference in try event.references() where reference.table == LedgerTable.customerMerge.name {
                try merges.take(reference, of: event)
            }
        }
        try merges.finish()
    }

    private func check(_ report: inout LedgerReport) throws {
        var tables: [String: any CoveredRows] = [:]
        for table in LedgerTable.all {
            let rows: any CoveredRows =
                table.isOrdered
                ? OrderedRows(table, erasures: erasures, digests: digests, transaction)
                : UnorderedRows(table, erasures: erasures, digests: digests, transaction)
            tables[table.name] = rows
        }
        var events = AuditPages.events(transaction)
        var removed: Int64 = 0
        while let row = try events.next() {
            let event = try AuditEvent(row: row)
            for reference in try event.references() {
                guard let rows = tables[reference.table] else {
                    throw BrokenRow(
                        "audit_event", .integer(event.sequence),
                        "it covers a row of the unknown table `\(reference.table)`")
                }
                try rows.take(reference, of: event)
            }
            let after = try AuditValues(text: event.after ?? "{}")
            switch event.kind {
            case .resume: tables[LedgerTable.pause.name]?.change(after["pause"] ?? .null, to: after)
            case .apiKeyRotated, .apiKeyRevoked:
                tables[LedgerTable.apiKey.name]?.change(after["apiKey"] ?? .null, to: after)
            case .grantUsed, .grantRevoked:
                tables[LedgerTable.offerGrant.name]?.change(after["grant"] ?? .null, to: after)
            case .retention: removed += try after.value("erased", as: Int64.self)
            default: break
            }
            if event.sequence.isMultiple(of: 10_000) { progress(event.sequence) }
        }
        let found = tables.values.reduce(0) { $0 + $1.erased }
        guard found <= removed.saturatingAdding(erasures.count) else {
            throw BrokenRow(
                "audit_event", .null,
                "\(found) texts are gone; the events `retention` tell of \(removed) and the events `erasure` of "
                    + "\(erasures.count)")
        }
        for table in LedgerTable.all {
            try tables[table.name]?.finish()
            report.rows[table.name] = tables[table.name]?.count
        }
    }
}

/// The rows of one table, compared with the events that cover them.
protocol CoveredRows: AnyObject {
    var count: Int64 { get }
    /// How many columns of these rows retention or an erasure removed.
    var erased: Int64 { get }
    /// - Throws: ``BrokenRow`` if it is missing, another one, or not as it was.
    func take(_ reference: LedgerRow.Reference, of event: AuditEvent) throws
    /// Notes what a later event changes of a row; one that no event covers is found at the end.
    func change(_ key: StoredValue, to after: AuditValues)
    /// - Throws: ``BrokenRow`` for a row that no event covers, or that is in another state than the events make it.
    func finish() throws
}

extension CoveredRows {
    func change(_ key: StoredValue, to after: AuditValues) {}
}

/// The rows of a table whose keys rise in the order of the events that cover them.
final class OrderedRows: CoveredRows {
    private let table: LedgerTable
    private let transaction: any StoreTransaction
    private var pages: AuditPages
    /// Events that change issued offers of the page in hand, without those that issued them.
    private var changes: [Int64: [AuditEvent]] = [:]
    private(set) var count: Int64 = 0
    private(set) var erased: Int64 = 0
    private let erasures: ErasedRows
    private let digests: (_ key: String) throws -> LedgerDigests

    init(
        _ table: LedgerTable, erasures: ErasedRows = ErasedRows(),
        digests: @escaping (_ key: String) throws -> LedgerDigests, _ transaction: any StoreTransaction
    ) {
        self.table = table
        self.erasures = erasures
        self.digests = digests
        self.transaction = transaction
        pages = AuditPages(table.table.list, of: table.name, key: table.key, in: transaction)
        if table.name == LedgerTable.issuedOffer.name {
            pages.onPage = { [unowned self] in try readChanges(from: $0, through: $1) }
        }
    }

    func take(_ reference: LedgerRow.Reference, of event: AuditEvent) throws {
        guard case .integer(let expected) = reference.key else {
            throw BrokenRow(
                "audit_event", .integer(event.sequence), "it covers a row of `\(table.name)` without number")
        }
        guard let row = try pages.peek(), try row.value(0) <= expected else {
            throw BrokenRow(table.name, reference.key, "it is missing; event \(event.sequence) records it")
        }
        let found: Int64 = try row.value(0)
        guard found == expected else { throw uncovered(found) }
        let read = try digests(event.digestKey).row(table, row.values)
        guard read.reference.digest == reference.digest else {
            throw BrokenRow(table.name, reference.key, "it is not the row that event \(event.sequence) records")
        }
        if table.name == LedgerTable.issuedOffer.name {
            try IssuedOfferHistory(transaction: transaction, events: changes[expected] ?? []).check(
                reference.key, issue: event
            ) { try digests($0).row(table, row.values).state }
        }
        _ = try pages.next()
        count += 1
        erased += Int64(read.erased.count)
        guard !erasures.holds(table.name, read.sequence) else { return }
        let removable = table.table.columns(removedWith: nil)
        for column in read.erased where !removable.contains(column) {
            throw BrokenRow(table.name, reference.key, "its `\(column)` is gone, and no erasure names the row")
        }
    }

    func finish() throws {
        if let row = try pages.peek() { throw uncovered(try row.value(0)) }
    }

    private func uncovered(_ key: Int64) -> BrokenRow {
        BrokenRow(table.name, .integer(key), "no event records it; the row was inserted, or its event was cut off")
    }

    private func readChanges(from first: Int64, through last: Int64) throws {
        changes = [:]
        let events: [AuditEvent] = try transaction.all(
            """
            SELECT \(Table.auditEvent.list) FROM audit_event WHERE issued_offer BETWEEN ?1 AND ?2
            ORDER BY issued_offer, sequence
            """, first, last)
        for event in events where event.kind != .issue {
            if let issuedOffer = event.issuedOffer { changes[issuedOffer, default: []].append(event) }
        }
    }
}

/// The state of an issued offer by its events, compared with its row.
struct IssuedOfferHistory {
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
        derived = derived.merging(["customer": try transaction.owner(try derived.value("customer"))])
        var states = [issue.digestKey: try state(issue.digestKey)]
        for column in LedgerTable.issuedOffer.state {
            let digestKey = keys[column.member] ?? issue.digestKey
            let found = try states[digestKey] ?? state(digestKey)
            states[digestKey] = found
            try LedgerTable.issuedOffer.compare(column, of: key, found, with: derived)
        }
    }

    private static let erasable = Set(LedgerTable.issuedOffer.state.filter(\.isErasable).map(\.member))
}

extension StoreTransaction {
    /// The current owner of what was issued or granted to a customer, after merges.
    fileprivate func owner(_ customer: Int64) throws -> Int64 {
        var owner = customer
        // Merges that were put in may lead in a circle; they are found and named after the issued offers.
        var seen: Set<Int64> = []
        while seen.insert(owner).inserted,
            let survivor: Int64 = try first("SELECT survivor_id FROM customer_merge WHERE merged_id = ?1", owner)
        {
            owner = survivor
        }
        return owner
    }
}

/// The rows of a table that people make: few, so what the events make of them is kept.
final class UnorderedRows: CoveredRows {
    private struct Expected {
        var state: AuditValues
        var digestKey: String
    }

    private let table: LedgerTable
    private let transaction: any StoreTransaction
    private let erasures: ErasedRows
    private let digests: (_ key: String) throws -> LedgerDigests
    private var expected: [StoredValue: Expected] = [:]

    init(
        _ table: LedgerTable, erasures: ErasedRows, digests: @escaping (_ key: String) throws -> LedgerDigests,
        _ transaction: any StoreTransaction
    ) {
        self.table = table
        self.erasures = erasures
        self.digests = digests
        self.transaction = transaction
    }

    private(set) var erased: Int64 = 0

    var count: Int64 { Int64(expected.count) }

    func take(_ reference: LedgerRow.Reference, of event: AuditEvent) throws {
        let row = try transaction.row(
            "SELECT \(table.table.list) FROM \(table.name) WHERE \(table.key) = ?1", reference.key)
        guard let row else {
            throw BrokenRow(table.name, reference.key, "it is missing; event \(event.sequence) records it")
        }
        let read = try digests(event.digestKey).row(table, row.values)
        guard read.reference.digest == reference.digest else {
            throw BrokenRow(table.name, reference.key, "it is not the row that event \(event.sequence) records")
        }
        erased += Int64(read.erased.count)
        if let column = read.erased.first, let sequence = read.sequence, !erasures.holds(table.name, sequence) {
            throw BrokenRow(table.name, reference.key, "its `\(column)` is gone, and no erasure names the row")
        }
        let told = try AuditValues(text: event.after ?? "{}")
        expected[reference.key] = Expected(state: told, digestKey: event.digestKey)
    }

    func change(_ key: StoredValue, to after: AuditValues) {
        guard let known = expected[key] else { return }
        expected[key]?.state = known.state.merging(after)
    }

    func finish() throws {
        for row in try transaction.rows("SELECT \(table.table.list) FROM \(table.name) ORDER BY \(table.key)") {
            let key = table.key(of: row.values)
            guard let known = expected[key] else {
                throw BrokenRow(table.name, key, "no event records it; the row was inserted, or its event was cut off")
            }
            let state = try digests(known.digestKey).row(table, row.values).state
            var told = known.state
            if case .integer(let customer)? = told["customer"] {
                told = told.merging(["customer": try transaction.owner(customer)])
            }
            for column in table.state { try table.compare(column, of: key, state, with: told) }
        }
    }
}

extension LedgerTable {
    /// - Throws: ``BrokenRow`` if a column of a row is not what the events make it.
    fileprivate func compare(
        _ column: CoveredColumn, of key: StoredValue, _ row: AuditValues, with events: AuditValues
    ) throws {
        let (found, told) = (row[column.member] ?? .null, events[column.member] ?? .null)
        guard found != told else { return }
        let values = column.isErasable ? "is not what" : "is \(found.shown) and not \(told.shown), as"
        throw BrokenRow(
            name, key,
            "its `\(column.name)` \(values) the events make it; the row was changed, or its newest event was cut off")
    }
}
