import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import UnixSignals

/// The progress of a backfill: its state file holds it between the steps, so that a restart continues there.
struct BackfillState: Codable, Equatable, Sendable {
    struct Finding: Codable, Equatable, Sendable {
        /// The line of the list, or page and place of a notification.
        var place: String
        var id: String?
        var reason: String
    }

    var version = 1
    var app: String
    var environment: String
    /// Its input: a list by its digest, or a range of time.
    var source: String
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
    /// Customers whose history may have gaps.
    var incomplete = 0
    /// The outcome of all payloads of the customers.
    var added = 0
    var updated = 0
    var unchanged = 0
    var findings: [Finding] = []

    /// Bounds the file.
    private static let mostFindings = 1_000

    /// No backfill counts further, and sums of such counts do not overflow.
    private static let counts = 0...1_000_000_000_000

    init(scope: Scope, source: String, startedAt: Instant) {
        app = scope.bundleId.rawValue
        environment = scope.environment.rawValue
        self.source = source
        self.startedAt = startedAt
    }

    /// Whether a backfill can have written it: other programs can write to the file.
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

struct BackfillStateFile: Sendable {
    let path: String

    /// The state of an interrupted backfill, if there is one. Drafts that killed processes left are deleted.
    func read() throws -> BackfillState? {
        AtomicFile.removeLeftovers(of: path)
        guard FileManager.default.fileExists(atPath: URL(filePath: path).path) else { return nil }
        let text = try InputFile.text(path, "state file")
        guard let state = try? JSONDecoder().decode(BackfillState.self, from: Data(text.utf8)), state.isPlausible
        else { throw unreadable() }
        return state
    }

    /// It does not hold the state of a backfill, or holds another one's.
    func unreadable(_ reason: String = "") -> CommandFailure {
        CommandFailure(
            .usage, "`\(path)` is not the state of a backfill\(reason)",
            hints: ["name another with `--state`, or delete it to start again: what is known already stays as it is"])
    }

    /// Replaces the state. Only its owner can read the file: it names customers.
    func write(_ state: BackfillState) throws {
        let file = try AtomicFile(path: path)
        try file.write(try state.jsonText() + "\n")
        try file.finish()
    }

    func remove() {
        // A file that stays would only let the same work be taken up at its end.
        try? FileManager.default.removeItem(at: URL(filePath: path))
    }
}

extension BackfillStateFile {
    /// The state to continue from: the stored one, or a new one.
    ///
    /// - Parameter resuming: refuses a state that does not fit, and says how far it is.
    func begin(_ fresh: BackfillState, resuming: (BackfillState) throws -> String) throws -> BackfillState {
        guard let left = try read() else {
            try write(fresh)
            return fresh
        }
        guard (left.app, left.environment, left.source) == (fresh.app, fresh.environment, fresh.source) else {
            throw CommandFailure(
                .usage,
                "`\(path)` is the state of another, unfinished backfill: \(left.app) in \(left.environment), "
                    + left.source,
                hints: ["finish that one, name another file with `--state`, or delete it to give that one up"])
        }
        Console.note("going on after \(try resuming(left))")
        return left
    }

    /// Runs a backfill that a signal may stop and that a failure may end, and prints its result.
    ///
    /// - Parameter count: how many ids there are; `nil` for notifications.
    func run(
        _ start: BackfillState, of count: Int?, in scope: Scope, _ log: BackfillLog,
        _ work: @escaping @Sendable () async throws -> BackfillState
    ) async throws {
        let goingOn = "the same command goes on where it stopped"
        try await log.note(start.source, done: start.done, refused: start.refused, in: scope)
        do {
            guard let end = try await Interruption.stoppable(work) else {
                let left = try read() ?? start
                throw CommandFailure(
                    .failed, "stopped: " + BackfillText.progress(left, of: count), hints: [goingOn])
            }
            try await log.note(end.source, done: end.done, refused: end.refused, in: scope)
            remove()
            for line in BackfillText.summary(end, isOfCustomers: count != nil) { try Console.output(line) }
        } catch RequestError.appStoreFailed(let failure) {
            throw CommandFailure(.failed, failure.detail, hints: (failure.hint.map { [$0] } ?? []) + [goingOn])
        }
    }
}

enum BackfillText {
    static func progress(_ state: BackfillState, of count: Int?) -> String {
        let done = count.map { "\(state.done) of \($0) ids" } ?? state.done.counted("page")
        return
            "\(done): \(state.fetched) \(count == nil ? "added" : "fetched"), \(state.known) known, \(state.refused) refused"
    }

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

/// Lets SIGINT or SIGTERM stop a long work between two steps, so that it can continue later.
enum Interruption {
    /// - Returns: what it gave; `nil` if it was stopped before its end.
    static func stoppable<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            do {
                // After a signal, the work may have come to its end meanwhile.
                while let value = try await group.next() {
                    group.cancelAll()
                    if let value { return value }
                }
            } catch is CancellationError {}
            return nil
        }
    }
}
