import OfferModel

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
            Statement(
                "SELECT \(table.columns) FROM \(table.name) WHERE \(table.key) = ?1", values: [reference.key]))
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
        for row in try transaction.rows(Statement("SELECT \(table.columns) FROM \(table.name) ORDER BY 1")) {
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
