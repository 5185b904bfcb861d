import OfferModel

/// A database that is moved away. Nothing else can change it until it is closed.
public protocol MoveSource: AnyObject {
    /// Runs a body on all that it holds.
    func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T

    /// Takes care that no server opens it again.
    ///
    /// - Returns: what was done with it, in words.
    func retire() throws -> String

    func close()
}

/// A database that is filled. Nothing else can open it before it is finished.
public protocol MoveTarget: AnyObject {
    func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T

    /// Why it cannot hold a row; `nil` if it can.
    func refusal(of row: StoredRow) -> String?

    /// Adds rows, all or none of them.
    func append(_ rows: [StoredRow], to table: Table) throws

    /// Adds what a database has besides rows.
    func complete() throws

    /// Lets servers open it.
    func finish() throws

    func close()
}

extension MoveTarget {
    public func refusal(of row: StoredRow) -> String? { nil }
}

/// A database that is being filled, for what reads one. It is read by one task at a time.
public final class FilledDatabase: StoreDatabase, @unchecked Sendable {
    private let target: any MoveTarget

    public init(_ target: any MoveTarget) { self.target = target }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try target.reading(body)
    }

    public func write<T: Sendable>(
        expecting _: WriteExpectation.Maker?, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        throw StoreError.unavailable("a database that is being filled is only read")
    }
}

/// Copies every row of a database into another one, and proves that both hold the same (docs/scale.md#moving).
///
/// The target is its own record of how far the copying has come: rows arrive in the order of their keys, so that an
/// interrupted move goes on after the last one.
public struct DatabaseMove {
    /// How many rows are read and written at once.
    private static let page = 5_000

    private let source: any MoveSource
    private let target: any MoveTarget
    private let tables = Table.all

    public static var tableCount: Int { Table.all.count }

    public init(from source: any MoveSource, to target: any MoveTarget) {
        self.source = source
        self.target = target
    }

    /// Copies what the target does not have yet.
    ///
    /// - Parameter progress: is told how many tables are done, and how many rows of the next one were copied.
    public func copy(progress: (_ tables: Int, _ rows: Int) throws -> Void = { _, _ in }) throws {
        for (number, table) in tables.enumerated() {
            var last = try target.reading { try table.lastKey(in: $0) }
            var copied = 0
            while true {
                let rows = try source.reading { try $0.rows(table.page(after: last, limit: Self.page)) }
                guard let end = rows.last else { break }
                for row in rows {
                    guard let reason = target.refusal(of: row) else { continue }
                    throw Refusal(place: Place(table: table.name, key: table.key(of: row)), reason: reason)
                }
                try target.append(rows, to: table)
                last = table.key(of: end)
                copied += rows.count
                try progress(number, copied)
            }
        }
        try target.complete()
    }

    /// The rows of each table, once both sides hold the same.
    ///
    /// - Throws: ``Difference``.
    public func compare(progress: (_ tables: Int, _ rows: Int) throws -> Void = { _, _ in }) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for (number, table) in tables.enumerated() {
            var last: [StoredValue]?
            var count = 0
            while true {
                let statement = table.page(after: last, limit: Self.page)
                let there = try source.reading { try $0.rows(statement) }
                let here = try target.reading { try $0.rows(statement) }
                guard there == here else {
                    let longer = there.count > here.count ? there : here
                    let row = zip(there, here).first { $0 != $1 }?.0 ?? longer[min(there.count, here.count)]
                    throw Difference(place: Place(table: table.name, key: table.key(of: row)))
                }
                guard let end = there.last else { break }
                last = table.key(of: end)
                count += there.count
                try progress(number, count)
            }
            counts[table.name] = count
        }
        return counts
    }

    /// A row by its table and its key.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        let table: String
        let key: [StoredValue]

        /// Such as "`customer` 7".
        public var description: String {
            let values = key.map { value in
                switch value {
                case .integer(let number): "\(number)"
                case .text(let text): text
                case .blob(let bytes): Hexadecimal.lowercase(bytes)
                case .null: "null"
                }
            }
            return "`\(table)` \(values.joined(separator: ", "))"
        }
    }

    /// Both sides do not hold the same.
    public struct Difference: Error {
        public let place: Place
    }

    /// The target cannot hold a row.
    public struct Refusal: Error {
        public let place: Place
        public let reason: String
    }
}

extension Table {
    /// The columns of the primary key.
    var keyColumns: [String] {
        if let column = columns.first(where: \.isPrimaryKey) { return [column.name] }
        let prefix = "PRIMARY KEY ("
        guard let listed = constraints.first(where: { $0.hasPrefix(prefix) }) else { return columns.map(\.name) }
        return listed.dropFirst(prefix.count).prefix { $0 != ")" }.split(separator: ", ").map(String.init)
    }

    /// The next rows after a key, in the order of keys, with every column.
    func page(after key: [StoredValue]?, limit: Int) -> Statement {
        let order = keyColumns.joined(separator: ", ")
        let start = key.map { " WHERE (\(order)) > (\(Statement.placeholders($0.count)))" } ?? ""
        return Statement("SELECT \(list) FROM \(name)\(start) ORDER BY \(order) LIMIT \(limit)", values: key ?? [])
    }

    func lastKey(in transaction: any StoreTransaction) throws -> [StoredValue]? {
        let order = keyColumns.map { "\($0) DESC" }.joined(separator: ", ")
        let sql = "SELECT \(keyColumns.joined(separator: ", ")) FROM \(name) ORDER BY \(order) LIMIT 1"
        return try transaction.row(Statement(sql, values: []))?.values
    }

    /// Inserts a row with every column.
    public func insertion(of row: StoredRow) -> Statement { Statement(insertSQL, values: row.values) }

    /// The key of a row with every column.
    func key(of row: StoredRow) -> [StoredValue] {
        keyColumns.compactMap { name in columns.firstIndex { $0.name == name }.map { row.values[$0] } }
    }
}
