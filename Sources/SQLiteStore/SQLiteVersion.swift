import GRDB
import OfferStore

/// The oldest SQLite that has STRICT tables and RETURNING.
enum SQLiteVersion {
    private static let oldest = [3, 37, 0]

    static func check(_ connections: some DatabaseReader) throws {
        let version = try StoreError.mapping {
            try connections.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
        }
        let parts = version.split(separator: ".").compactMap { Int($0) }
        if parts.lexicographicallyPrecedes(oldest) {
            throw StoreError.unavailable("SQLite \(version) is too old: 3.37 or later is needed")
        }
    }
}
