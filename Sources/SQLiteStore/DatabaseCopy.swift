public import OfferStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content of a database file by which a copy of it is judged.
public struct DatabaseContent: Sendable, Hashable {
    public var schema: String
    public var isCurrent: Bool
    public var census: StoreCensus
}

extension SQLiteDatabase {
    /// How many pages are copied between two looks for a cancelled task.
    private static let pagesPerStep: CInt = 256

    /// Copies a database by SQLite's backup API while others may use it, and checks the copy.
    ///
    /// One read transaction spans the whole copy: writers go on beside it, and what they commit meanwhile is not in it.
    /// The copy has its name only once it is whole and checked, is readable by its owner alone, and has no companions.
    ///
    /// - Throws: ``StoreError``; then there is no copy. ``StoreError/unavailable(_:)`` if the target exists.
    @discardableResult
    public static func copy(from source: String, to target: String) throws -> DatabaseContent {
        try DatabasePlace.requireFilesOfServer(source)
        guard FileManager.default.fileExists(atPath: source) else {
            throw StoreError.notMigrated("there is no database at `\(source)`")
        }
        guard !FileManager.default.fileExists(atPath: target) else {
            throw StoreError.unavailable("`\(target)` exists already and is not replaced")
        }
        let draft = try DatabaseFile.draft(of: target)
        defer {
            for ending in ["", "-journal", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: draft + ending)
            }
        }
        let (from, to) = (try Connection(path: source, .readWrite), try Connection(path: draft, .readWrite))
        try from.reading { transaction in
            // The snapshot begins with the first look, not with the transaction.
            _ = try transaction.rows(Statement("SELECT COUNT(*) FROM sqlite_schema"))
            try from.backUp(to: to, pagesPerStep: pagesPerStep)
        }
        // A file of its own, without a log beside it; flushed with the commit.
        try to.runScript("PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE")
        try from.close()
        try to.close()
        let content = try inspect(path: draft)
        try DatabaseFile.publish(draft, as: target)
        return content
    }

    /// Runs a body on a database file of this version without writing anything, such as on a copy.
    public static func readInline<T>(
        at path: String, _ body: (any StoreTransaction) throws -> T
    ) throws -> T {
        try Connection(path: path, .readOnly).reading(body)
    }

    /// Reads a whole database file, checks its structure with its indexes, and counts what it holds; writes nothing.
    ///
    /// - Throws: ``StoreError/damaged(_:)``, ``StoreError/newerThanThisVersion(_:)``, or ``StoreError/unavailable(_:)``
    ///   for a database that is not of this service or cannot be read. One that only needs
    ///   `offerd migrate` is not a failure.
    public static func inspect(path: String) throws -> DatabaseContent {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError.unavailable("there is no file `\(path)`")
        }
        let connection = try Connection(path: path, .readOnly)
        let applied = try Schema.applied(connection, path: path)
        guard let newest = applied.max() else {
            throw StoreError.foreign("the file is not a database of offerd")
        }
        try connection.checkStructure(thoroughly: true)
        let census = try connection.reading(StoreCensus.read)
        return DatabaseContent(
            schema: newest, isCurrent: applied == Set(Migration.all.map(\.name)), census: census)
    }
}
