public import OfferStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

public struct DatabaseCheck: Sendable, Hashable {
    public enum Subject: String, Sendable, Hashable {
        /// The file exists, with its permissions.
        case file
        case schema
        case structure
    }

    public var subject: Subject
    public var failure: StoreError?
    public var detail: String

    init(_ subject: Subject, _ detail: String) {
        self.subject = subject
        self.detail = detail
    }

    init(_ subject: Subject, failure error: any Error) {
        let failure = error as? StoreError ?? .unavailable("\(error)")
        self.init(subject, failure.detail)
        self.failure = failure
    }
}

extension SQLiteDatabase {
    /// Checks a database file while others may use it, as far as it can be read; writes nothing.
    ///
    /// The structure is checked by SQLite's `quick_check`, which reads the whole file.
    public static func examine(path: String) -> [DatabaseCheck] {
        do {
            try DatabasePlace.requireFilesOfServer(path)
        } catch {
            return [DatabaseCheck(.file, failure: error)]
        }
        guard FileManager.default.fileExists(atPath: path) else {
            return [DatabaseCheck(.file, failure: StoreError.notMigrated("there is no database at `\(path)`"))]
        }
        do {
            try DatabaseFile.requireUsable(path)
            let connection = try Connection(path: path, .readWrite)
            try connection.runScript("PRAGMA query_only = ON")
            return [
                try file(connection, path: path),
                check(.schema, "of this version: `\(Migration.all.last?.name ?? "none")`") {
                    try Schema.check(connection, path: path)
                },
                check(.structure, "database integrity OK") { try connection.checkStructure() },
            ]
        } catch {
            return [DatabaseCheck(.file, failure: error)]
        }
    }

    private static func file(_ connection: Connection, path: String) throws -> DatabaseCheck {
        let pages = try connection.column("PRAGMA page_count", as: Int64.self).first ?? 0
        let size = try connection.column("PRAGMA page_size", as: Int64.self).first ?? 0
        return DatabaseCheck(.file, "`\(path)` has \(pages * size / 1_024) KiB")
    }

    private static func check(
        _ subject: DatabaseCheck.Subject, _ detail: String, _ body: () throws -> Void
    ) -> DatabaseCheck {
        do {
            try body()
            return DatabaseCheck(subject, detail)
        } catch {
            return DatabaseCheck(subject, failure: error)
        }
    }
}

extension Connection {
    /// Reads every page of the file, whether they hang together.
    ///
    /// - Parameter thoroughly: whether indexes are compared with their tables too.
    /// - Throws: ``StoreError/damaged(_:)`` with the first things found.
    func checkStructure(thoroughly: Bool = false) throws {
        let found: [String] = try column(thoroughly ? "PRAGMA integrity_check(5)" : "PRAGMA quick_check(5)")
        guard found != ["ok"] else { return }
        throw StoreError.damaged("the database file is damaged: \(found.joined(separator: "; "))")
    }
}
