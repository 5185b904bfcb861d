import CommandLineSupport
import Foundation
import OfferStore
import PostgresStore
import SQLiteStore

/// Where the configuration has the database: in an SQLite file, or on a PostgreSQL server.
enum DatabaseAddress: Equatable {
    case file(path: String)
    /// As libpq takes it; it may hold a password.
    case server(url: String)

    /// - Parameter directory: what a relative path is relative to; the working directory if absent.
    /// - Throws: a failure of use for a text that is meant for another program.
    init(_ text: String, relativeTo directory: URL? = nil) throws {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .server(url: text)
        } else if text.contains("://") || text.contains(/\b(host|dbname) *=/) {
            // It may hold a password.
            let beginning = text.prefix { $0 != "/" && $0 != "=" }
            throw CommandFailure(
                .usage, "the database `\(beginning)…` is neither a path nor a URL of PostgreSQL",
                hints: ["write `postgres://USER@HOST/NAME`, with libpq's parameters after a `?`"])
        } else {
            self = .file(path: URL(filePath: text, relativeTo: directory).path)
        }
    }

    /// - Parameters:
    ///   - isServer: whether this process serves requests.
    ///   - isQuiet: whether no other request is running.
    ///   - onCommit: called after each commit with the number of its writes and its duration.
    func open(
        isServer: Bool = false, isQuiet: @escaping @Sendable () -> Bool = { false },
        onCommit: @escaping @Sendable (_ writes: Int, _ duration: Duration) -> Void = { _, _ in }
    ) throws -> any DatabaseDriver {
        switch self {
        case .file(let path):
            try SQLiteDatabase(path: path, isServer: isServer, isQuiet: isQuiet, onCommit: onCommit)
        case .server(let url): try PostgresDatabase(url: url, onCommit: onCommit)
        }
    }

    /// - Returns: the names of the steps that were taken.
    func migrate() throws -> [String] {
        switch self {
        case .file(let path): try SQLiteDatabase.migrate(path: path)
        case .server(let url): try PostgresDatabase.migrate(url: url)
        }
    }

    /// The path of the file; absent on a server.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The path of the file, for a command that works on files.
    ///
    /// - Parameter instead: what to use for a database on a server.
    func requirePath(_ command: String, instead: String) throws -> String {
        guard let path else {
            throw CommandFailure(
                .usage, "`\(command)` works on a database file, and `\(self)` is on a PostgreSQL server",
                hints: [instead])
        }
        return path
    }
}

extension DatabaseAddress: CustomStringConvertible {
    /// The path, or the URL without its password and its parameters, which may hold one.
    var description: String {
        switch self {
        case .file(let path): return path
        case .server(let url):
            let parts = url.split(separator: "//", maxSplits: 1)
            guard parts.count == 2, let at = parts[1].lastIndex(of: "@") else {
                return String(url.prefix { $0 != "?" })
            }
            let user = parts[1][..<at].prefix { $0 != ":" && $0 != "?" }
            return "\(parts[0])//\(user)\(parts[1][at...].prefix { $0 != "?" })"
        }
    }
}
