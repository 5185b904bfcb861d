import GRDB
import OfferStore

/// The schema's version.
enum Schema {
    private static var migrator: DatabaseMigrator { migrator(Migration.all) }

    private static func migrator(_ steps: [Migration]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in steps {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        return migrator
    }

    /// Takes the missing steps, each in a transaction of its own, and returns their names.
    @discardableResult
    static func migrate(_ connections: some DatabaseWriter, steps: [Migration] = Migration.all) throws -> [String] {
        try StoreError.mapping {
            let before = try connections.read { try migrator.appliedIdentifiers($0) }
            try refuseNewer(before, path: nil)
            try migrator(steps).migrate(connections)
            let after = try connections.read { try migrator.appliedIdentifiers($0) }
            return after.subtracting(before).sorted()
        }
    }

    /// Refuses a database that is older or newer than this version.
    static func check(_ connections: some DatabaseReader, path: String) throws {
        try StoreError.mapping {
            let applied = try applied(connections, path: path)
            guard applied == Set(Migration.all.map(\.name)) else {
                throw StoreError.notMigrated("the database at `\(path)` is not migrated to this version")
            }
        }
    }

    /// The names of the steps a database has; one that this version does not know is refused.
    static func applied(_ connections: some DatabaseReader, path: String) throws -> Set<String> {
        try StoreError.mapping {
            let applied = try connections.read { try migrator.appliedIdentifiers($0) }
            try refuseNewer(applied, path: path)
            return applied
        }
    }

    private static func refuseNewer(_ applied: Set<String>, path: String?) throws {
        let unknown = applied.subtracting(Migration.all.map(\.name)).sorted()
        guard let first = unknown.first else { return }
        let place = path.map { " at `\($0)`" } ?? ""
        throw StoreError.newerThanThisVersion(
            "the database\(place) was migrated by a newer version: this one does not know `\(first)`")
    }
}
