import CommandLineSupport
import Foundation
import OfferModel
import OfferStore

/// A folder in which backups are named by their time, so that a timer can make them.
struct BackupFolder {
    private let path: String
    /// What the names begin with: the database's own name.
    private let stem: String

    /// - Returns: `nil` for a path that is no folder.
    init?(_ path: String, of database: String) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
            return nil
        }
        self.path = path.hasSuffix("/") ? path : path + "/"
        let name = URL(filePath: database).lastPathComponent
        stem = name.hasSuffix(Self.ending) ? String(name.dropLast(Self.ending.count)) : name
    }

    private static let ending = ".sqlite"

    /// `offers-2026-12-01T030000Z.sqlite`.
    func file(at now: Instant) -> String {
        let second = Instant(milliseconds: now.milliseconds - now.milliseconds % 1_000)
        return "\(path)\(stem)-\("\(second)".filter { $0 != ":" })\(Self.ending)"
    }

    /// Deletes the oldest copies but a number of them.
    ///
    /// - Parameter newest: stays whatever its name: a clock may have run ahead.
    /// - Returns: the names of those that were deleted.
    func prune(keeping count: Int, newest: String) throws -> [String] {
        let newest = URL(filePath: newest).lastPathComponent
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0 != newest && isCopy($0) }.sorted(by: >)
        return try names.dropFirst(count - 1).map { name in
            guard unlink(path + name) == 0 else {
                let reason = String(cString: strerror(errno))
                throw CommandFailure(
                    .failed, "the copy was made, but `\(path)\(name)` cannot be deleted: \(reason)",
                    hints: ["check the owner and the permissions of the folder"])
            }
            return name
        }
    }

    private func isCopy(_ name: String) -> Bool {
        guard name.hasPrefix(stem + "-"), name.hasSuffix(Self.ending) else { return false }
        let time = name.dropFirst(stem.count + 1).dropLast(Self.ending.count)
        return time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d{6}Z/) != nil
    }
}

extension DatabaseAddress {
    /// Notes that work on the database has succeeded, where a server looks for it. The work counts even if that fails.
    func note(_ work: MaintenanceStore.Work, at instant: Instant) async {
        do {
            let database = try open()
            defer { try? database.close() }
            try await database.write { try MaintenanceStore($0).note(work, at: instant) }
        } catch {
            Console.note("warning: the time was not noted, and `/metrics` shows an older one: \(Self.words(error))")
        }
    }

    private static func words(_ error: any Error) -> String { CommandFailure.words(error)?.message ?? "\(error)" }
}
