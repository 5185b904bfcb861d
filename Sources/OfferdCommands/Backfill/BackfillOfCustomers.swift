import CommandLineSupport
import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OpenSSLCrypto

/// `offerd backfill --ids`: the rest of a list.
struct BackfillOfCustomers: Sendable {
    let list: BackfillList
    let file: BackfillStateFile
    let scope: Scope
    let refresh: CustomerRefresh
    let log: BackfillLog
    let patience: RetryPolicy

    /// How many ids are fetched at once. Apple answers in a tenth of a second, so this uses its limits fully.
    private static let step = 8
    /// Progress is reported after this many ids.
    private static let reported = 100

    func run() async throws {
        let count = list.entries.count
        let fresh = BackfillState(scope: scope, source: "ids sha256:\(list.digest)", startedAt: .wallClock)
        let start = try file.begin(fresh) { left in
            guard left.done <= count else {
                throw file.unreadable(": \(left.done) ids are done, and the list has \(count)")
            }
            return "\(left.done) of \(count) ids"
        }
        try await file.run(start, of: count, in: scope, log) { try await goOn(start) }
    }

    private func goOn(_ start: BackfillState) async throws -> BackfillState {
        let work = CustomerBackfill(
            refresh, in: scope, by: BackfillCommand.author, since: start.startedAt, patience: patience)
        var state = start
        while state.done < list.entries.count {
            try Task.checkCancellation()
            let entries = list.entries[state.done...].prefix(Self.step)
            let outcomes = try await work.fetch(entries.map(\.id))
            for (entry, outcome) in zip(entries, outcomes) { state.note(outcome, of: entry) }
            try file.write(state)
            if state.done / Self.reported > (state.done - entries.count) / Self.reported {
                Console.note(BackfillText.progress(state, of: list.entries.count))
            }
        }
        return state
    }
}

extension BackfillState {
    fileprivate mutating func note(_ outcome: CustomerBackfill.Outcome, of entry: BackfillList.Entry) {
        done += 1
        switch outcome {
        case .known: known += 1
        case .refused(let reason):
            refused += 1
            note(Finding(place: "line \(entry.line)", id: entry.id, reason: reason))
        case .fetched(let report):
            fetched += 1
            for counts in [report.transactions, report.renewalInfos, report.appTransactions] {
                added += counts.added
                updated += counts.updated
                unchanged += counts.unchanged
            }
            guard !report.gaps.isEmpty else { return }
            incomplete += 1
            note(
                Finding(
                    place: "line \(entry.line)", id: entry.id,
                    reason: "not complete: " + report.gaps.map(\.detail).joined(separator: "; ")))
        }
    }
}

/// The ids of a file, one per line; blank lines and comments after `#` are ignored.
struct BackfillList: Sendable {
    /// One id with its line, from 1.
    struct Entry: Sendable, Equatable {
        var line: Int
        var id: String
    }

    let entries: [Entry]
    /// SHA-256 of the file, so that a state is never continued on another list.
    let digest: String

    init(file: String) throws {
        let text = try InputFile.text(file, "list of ids")
        self.init(text)
        guard !entries.isEmpty else {
            throw CommandFailure(
                .usage, "list of ids `\(file)` has none",
                hints: ["write an `originalTransactionId`, a `transactionId` or an `appTransactionId` on each line"])
        }
    }

    init(_ text: String) {
        digest = Hexadecimal.lowercase(OpenSSLDigest().sha256(Array(text.utf8)))
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        entries = lines.enumerated().compactMap { index, line in
            let id = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespacesAndNewlines)
            return id.isEmpty ? nil : Entry(line: index + 1, id: id)
        }
    }
}
