import FoundationEssentials
public import OfferStore

/// One thing that was looked at in a database file.
public struct DatabaseCheck: Sendable, Hashable {
    public enum Subject: String, Sendable, Hashable {
        /// That the file is there, and who may use it.
        case file
        case schema
        /// That its pages hang together.
        case structure
    }

    public var subject: Subject
    /// What is wrong; `nil` if nothing is.
    public var failure: StoreError?
    public var detail: String

    init(_ subject: Subject, _ detail: String) {
        self.subject = subject
        self.detail = detail
    }

    init(_ subject: Subject, failure: StoreError) {
        self.subject = subject
        self.failure = failure
        detail = failure.detail
    }
}

extension SQLiteDatabase {
    /// Checks a database file while others may use it, as far as it can be read; writes nothing.
    ///
    /// The structure is checked by SQLite's `quick_check`, which reads the whole file.
    public static func examine(path: String) -> [DatabaseCheck] {
        guard FileManager.default.fileExists(atPath: path) else {
            return [DatabaseCheck(.file, failure: .notMigrated("there is no database at `\(path)`"))]
        }
        do {
            try DatabaseFile.requireUsable(path)
            let connection = try Connection(path: path, .readWrite)
            try connection.runScript("PRAGMA query_only = ON")
            var checks = [try file(connection, path: path)]
            checks.append(check(.schema) { try Schema.check(connection, path: path) } ?? DatabaseCheck(.schema, newest))
            checks.append(
                check(.structure) { try connection.checkStructure() }
                    ?? DatabaseCheck(.structure, "database integrity OK"))
            return checks
        } catch let error as StoreError {
            return [DatabaseCheck(.file, failure: error)]
        } catch {
            return [DatabaseCheck(.file, failure: .unavailable("\(error)"))]
        }
    }

    private static func file(_ connection: Connection, path: String) throws -> DatabaseCheck {
        let pages = try connection.column("PRAGMA page_count", as: Int64.self).first ?? 0
        let size = try connection.column("PRAGMA page_size", as: Int64.self).first ?? 0
        return DatabaseCheck(.file, "`\(path)` has \(pages * size / 1_024) KiB")
    }

    private static var newest: String { "of this version: `\(Migration.all.last?.name ?? "none")`" }

    private static func check(_ subject: DatabaseCheck.Subject, _ body: () throws -> Void) -> DatabaseCheck? {
        do {
            try body()
            return nil
        } catch let error as StoreError {
            return DatabaseCheck(subject, failure: error)
        } catch {
            return DatabaseCheck(subject, failure: .unavailable("\(error)"))
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
