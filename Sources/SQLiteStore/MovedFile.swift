public import OfferStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database file that is moved away: no other process has it open.
public final class FileToMove: MoveSource {
    private let path: String
    private let database: ExclusiveDatabase

    /// - Throws: ``StoreError/busy(_:)`` if another process has it open, ``StoreError/notMigrated(_:)``, or what keeps it
    ///   from being read.
    public init(path: String) throws {
        self.path = path
        try DatabasePlace.requireFilesOfServer(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError.notMigrated("there is no database at `\(path)`")
        }
        guard !FileManager.default.fileExists(atPath: path + DatabaseFile.moved) else {
            throw StoreError.unavailable("`\(path)\(DatabaseFile.moved)` exists already, and would be replaced")
        }
        try DatabaseFile.requireUsable(path)
        database = try ExclusiveDatabase(path: path)
        try Schema.check(database.connection, path: path)
    }

    public func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        try database.connection.reading(body)
    }

    /// Gives the file another name.
    public func retire() throws -> String {
        try database.fold()
        let kept = path + DatabaseFile.moved
        let reserve = CheckpointRight.resolved(path) + DiskReserve.ending
        guard !FileManager.default.fileExists(atPath: kept), rename(path, kept) == 0 else {
            throw StoreError.readOnly("`\(path)` cannot be renamed to `\(kept)`")
        }
        rename(path + "-checkpoint", kept + "-checkpoint")
        unlink(reserve)
        return "kept the file as \(kept)"
    }

    public func close() { database.close() }
}

/// A database file that is filled under another name until it is whole.
public final class FileToFill: MoveTarget {
    private let path: String
    private let draft: String
    private let database: ExclusiveDatabase
    private var connection: Connection { database.connection }

    /// Begins, or goes on with what an interrupted move has left.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` if there is a file already.
    public init(path: String) throws {
        self.path = path
        draft = path + DatabaseFile.moving
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError.unavailable("`\(path)` exists already and is not replaced")
        }
        // A move that was interrupted at its very end has left the draft's name beside the database's own.
        var status = stat()
        if stat(draft, &status) == 0, status.st_nlink > 1 { unlink(draft) }
        try DatabaseFile.createIfMissing(draft)
        database = try ExclusiveDatabase(path: draft)
        // What is lost with the power is copied again.
        try connection.runScript("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try connection.writing {
            for table in Table.all where try !connection.has(table) { try connection.runScript(table.creation) }
        }
    }

    public func reading<T>(_ body: (any StoreTransaction) throws -> T) throws -> T { try connection.reading(body) }

    public func append(_ rows: [StoredRow], to table: Table) throws {
        try connection.writing {
            for row in rows { try connection.execute(table.insertion(of: row)) }
        }
        connection.checkpoint(0)
    }

    public func complete() throws {
        try connection.writing {
            for statement in Migration.besidesRows where try !connection.has(statement) {
                try connection.runScript(statement)
            }
            guard try connection.rows(Statement("PRAGMA foreign_key_check")).isEmpty else {
                throw StoreError.constraint("a foreign key")
            }
        }
    }

    public func finish() throws {
        try Schema.noteAll(connection)
        try database.fold()
        try connection.close()
        try DatabaseFile.publish(draft, as: path)
        unlink(draft)
    }

    public func close() { database.close() }
}

extension Connection {
    fileprivate func has(_ table: Table) throws -> Bool {
        try row(Statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", table.name)) != nil
    }

    /// Whether the schema has what a statement creates.
    fileprivate func has(_ creation: String) throws -> Bool {
        try row(Statement("SELECT 1 FROM sqlite_schema WHERE sql = ?1", creation)) != nil
    }
}
