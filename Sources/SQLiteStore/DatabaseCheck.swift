import FoundationEssentials
import GRDB
public import OfferStore

/// One thing that was looked at in a database file.
public struct DatabaseCheck: Sendable, Hashable {
    /// What was looked at.
    public enum Subject: String, Sendable, Hashable {
        /// That the file is there, and who may use it.
        case file
        /// Which migrations it has.
        case schema
        /// That its pages hang together.
        case structure
    }

    /// What was looked at.
    public var subject: Subject
    /// What is wrong; `nil` if nothing is.
    public var failure: StoreError?
    /// What was found, for people.
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
    /// Looks at a database file beside whoever uses it, as far as it can be read; writes nothing.
    ///
    /// The structure is checked by SQLite's `quick_check`, which reads the whole file.
    public static func examine(path: String) -> [DatabaseCheck] {
        guard FileManager.default.fileExists(atPath: path) else {
            return [DatabaseCheck(.file, failure: .notMigrated("there is no database at `\(path)`"))]
        }
        do {
            try DatabaseFile.requireUsable(path)
            let queue = try StoreError.mapping { try DatabaseQueue(path: path, configuration: configuration) }
            var checks = [try StoreError.mapping { try queue.read { try Self.file($0, path: path) } }]
            checks.append(check(.schema) { try Schema.check(queue, path: path) } ?? DatabaseCheck(.schema, newest))
            checks.append(
                check(.structure) { try Structure.check(queue) }
                    ?? DatabaseCheck(.structure, "every page was read and hangs together"))
            try StoreError.mapping { try queue.close() }
            return checks
        } catch let error as StoreError {
            return [DatabaseCheck(.file, failure: error)]
        } catch {
            return [DatabaseCheck(.file, failure: .unavailable("\(error)"))]
        }
    }

    private static func file(_ connection: Database, path: String) throws -> DatabaseCheck {
        let pages = try Int64.fetchOne(connection, sql: "PRAGMA page_count") ?? 0
        let size = try Int64.fetchOne(connection, sql: "PRAGMA page_size") ?? 0
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

/// Whether the pages of a file hang together.
enum Structure {
    /// Reads every page.
    ///
    /// - Parameter thoroughly: whether indexes are compared with their tables too.
    /// - Throws: ``StoreError/damaged(_:)`` with the first things found.
    static func check(_ connections: some DatabaseReader, thoroughly: Bool = false) throws {
        let pragma = thoroughly ? "PRAGMA integrity_check(5)" : "PRAGMA quick_check(5)"
        let found = try StoreError.mapping { try connections.read { try String.fetchAll($0, sql: pragma) } }
        guard found != ["ok"] else { return }
        throw StoreError.damaged("the database file is damaged: \(found.joined(separator: "; "))")
    }
}
