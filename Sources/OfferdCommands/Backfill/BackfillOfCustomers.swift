import OfferApplication
import OfferModel

/// `offerd backfill --ids`: a list from where it was left to its end.
struct BackfillOfCustomers: Sendable {
    let list: BackfillList
    let file: BackfillStateFile
    let scope: Scope
    let refresh: CustomerRefresh
    let log: BackfillLog
    let patience: RetryPolicy

    /// How many ids are asked for at once. Apple answers in a tenth of a second, so this keeps to the pace of its limits.
    private static let step = 8
    /// After how many ids a line says how far it is.
    private static let reported = 100

    private var source: String { "ids sha256:\(list.digest)" }

    func run() async throws {
        let start = try begin()
        try await log.note(source, done: start.done, refused: start.refused, in: scope)
        let end = try await BackfillStop.run(
            { try await goOn(start) }, of: list.entries.count, left: { try file.read() ?? start })
        try await log.note(source, done: end.done, refused: end.refused, in: scope)
        file.remove()
        for line in BackfillText.summary(end, isOfCustomers: true) { try Terminal.output(line) }
    }

    private func begin() throws -> BackfillState {
        let fresh = BackfillState(scope: scope, source: source, startedAt: .wallClock())
        guard let left = try file.read() else {
            try file.write(fresh)
            return fresh
        }
        try BackfillStop.check(left, continues: fresh, file)
        guard left.done <= list.entries.count else {
            throw file.unreadable(": \(left.done) ids are done, and the list has \(list.entries.count)")
        }
        Terminal.message("going on after \(left.done) of \(list.entries.count) ids")
        return left
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
                Terminal.message(BackfillText.progress(state, of: list.entries.count))
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
                added += counts[.added]
                updated += counts[.updated]
                unchanged += counts[.unchanged]
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
