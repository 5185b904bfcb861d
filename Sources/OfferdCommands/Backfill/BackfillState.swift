import CommandLineSupport
import Foundation
import OfferModel

/// How far a backfill is: what its state file holds between its steps, so that a restart goes on there.
struct BackfillState: Codable, Equatable, Sendable {
    /// Something that was refused, or that is not complete.
    struct Finding: Codable, Equatable, Sendable {
        /// The line of the list, or page and place of a notification.
        var place: String
        /// The id as it stands in the list.
        var id: String?
        /// Why, in words.
        var reason: String
    }

    /// The form of the file.
    var version = 1
    var app: String
    var environment: String
    /// What is gone through: a list by its digest, or a range of time.
    var source: String
    /// When the work began, also if it goes on later.
    var startedAt: Instant
    /// How many ids or pages are done.
    var done = 0
    /// Where the next page of notifications begins.
    var token: String?
    /// Customers that were fetched, or notifications that were not known before.
    var fetched = 0
    /// Ids of customers who were fetched already, or notifications that were known.
    var known = 0
    var refused = 0
    /// Customers of whom not everything is known for certain.
    var incomplete = 0
    /// What became of all payloads of the customers.
    var added = 0
    var updated = 0
    var unchanged = 0
    /// The first of what was refused or is incomplete.
    var findings: [Finding] = []

    /// More would make the file grow without end.
    private static let mostFindings = 1_000

    /// No work has so many of anything, and sums of so many are still numbers.
    private static let counts = 0...1_000_000_000_000

    init(scope: Scope, source: String, startedAt: Instant) {
        app = scope.bundleId.rawValue
        environment = scope.environment.rawValue
        self.source = source
        self.startedAt = startedAt
    }

    /// Whether a work can have left it: anybody can write to the file.
    var isPlausible: Bool {
        version == 1 && findings.count <= Self.mostFindings
            && [done, fetched, known, refused, incomplete, added, updated, unchanged].allSatisfy {
                Self.counts.contains($0)
            }
    }

    mutating func note(_ finding: Finding) {
        if findings.count < Self.mostFindings { findings.append(finding) }
    }
}

/// The file that a backfill's state is kept in.
struct BackfillStateFile: Sendable {
    let path: String

    /// The state of an interrupted work; `nil` if there is none. What killed processes have left beside it is taken away.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read, or holds something that no backfill has written.
    func read() throws -> BackfillState? {
        AtomicFile.removeLeftovers(of: path)
        guard FileManager.default.fileExists(atPath: URL(filePath: path).path) else { return nil }
        let text = try InputFile.text(path, "state file")
        guard let state = try? JSONDecoder().decode(BackfillState.self, from: Data(text.utf8)), state.isPlausible
        else { throw unreadable() }
        return state
    }

    /// What stands in it is not the state of a backfill, or not of this one.
    func unreadable(_ reason: String = "") -> CommandFailure {
        CommandFailure(
            .usage, "`\(path)` is no state of a backfill\(reason)",
            hints: ["name another with `--state`, or delete it to begin anew: what is known already stays as it is"])
    }

    /// Keeps a state in the place of the one before. Only its owner can read the file: it names customers.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be written.
    func write(_ state: BackfillState) throws {
        let file = try AtomicFile(path: path)
        try file.write(try state.jsonText() + "\n")
        try file.finish()
    }

    /// Takes it away: the work has come to its end.
    func remove() {
        // A file that stays would only let the same work be taken up at its end.
        try? FileManager.default.removeItem(at: URL(filePath: path))
    }
}

/// What a backfill says of itself.
enum BackfillText {
    /// One line in the middle of the work.
    static func progress(_ state: BackfillState, of count: Int?) -> String {
        let done = count.map { "\(state.done) of \($0) ids" } ?? state.done.counted("page")
        return
            "\(done): \(state.fetched) \(count == nil ? "added" : "fetched"), \(state.known) known, \(state.refused) refused"
    }

    /// Where the work came to its end.
    static func summary(_ state: BackfillState, isOfCustomers: Bool) -> [String] {
        var lines =
            isOfCustomers
            ? [
                "\(state.done.counted("id")): \(state.fetched.counted("customer")) fetched, "
                    + "\(state.known) of customers fetched already, \(state.refused) refused",
                "of Apple's data: \(state.added) added, \(state.updated) updated, \(state.unchanged) unchanged",
            ]
            : [
                "\((state.fetched + state.known + state.refused).counted("notification")) on "
                    + "\(state.done.counted("page")): \(state.fetched) added, \(state.known) known, "
                    + "\(state.refused) refused"
            ]
        if state.incomplete > 0 {
            lines.append("\(state.incomplete.counted("customer")) not complete")
        }
        lines += state.findings.map { finding in
            "  \(([finding.place, finding.id.map { "`\($0)`" }] as [String?]).compactMap(\.self).joined(separator: ", ")): "
                + finding.reason
        }
        let more = state.refused + state.incomplete - state.findings.count
        if more > 0 { lines.append("  and \(more) more") }
        return lines
    }
}
