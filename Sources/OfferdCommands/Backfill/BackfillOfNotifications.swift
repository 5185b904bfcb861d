import AppStoreServer
import CommandLineSupport
import OfferApplication
import OfferModel

/// `offerd backfill --notifications`: a range of time from the page where it was left to its end.
struct BackfillOfNotifications: Sendable {
    let from: Instant
    let to: Instant?
    let file: BackfillStateFile
    let scope: Scope
    let work: NotificationBackfill
    let log: BackfillLog

    /// After how many pages of 20 a line says how far it is.
    private static let reported = 10
    /// How often one run begins with the first page again. A token that was left for long is taken no more, once; what
    /// is refused again and again is no matter of time.
    private static let mostBeginnings = 3

    func run() async throws {
        let (start, end) = try begin()
        let query = NotificationHistoryQuery(from: from, to: end)
        try await log.note(start.source, done: start.done, refused: start.refused, in: scope)
        let done = try await BackfillStop.run(
            { try await goOn(start, query) }, of: nil, left: { try file.read() ?? start })
        try await log.note(done.source, done: done.done, refused: done.refused, in: scope)
        file.remove()
        for line in BackfillText.summary(done, isOfCustomers: false) { try Console.output(line) }
    }

    /// Without `--to` an interrupted work keeps the end it had: its page token is of that very question.
    private func begin() throws -> (BackfillState, end: Instant) {
        let left = try file.read()
        let end = to ?? left?.endOfNotifications ?? .wallClock
        let fresh = BackfillState(
            scope: scope, source: "notifications \(from.milliseconds)-\(end.milliseconds)", startedAt: .wallClock)
        guard let left else {
            try file.write(fresh)
            return (fresh, end)
        }
        try BackfillStop.check(left, continues: fresh, file)
        // Without a token nothing would be left to do, and the rest of the range would look fetched.
        guard left.done == 0 || left.token != nil else {
            throw file.unreadable(": it does not say where the next page begins")
        }
        Console.note("going on after \(left.done) pages")
        return (left, end)
    }

    private func goOn(_ start: BackfillState, _ query: NotificationHistoryQuery) async throws -> BackfillState {
        var state = start
        var isFirstPage = state.done == 0
        var beginnings = 0
        while isFirstPage || state.token != nil {
            try Task.checkCancellation()
            let page: NotificationBackfill.Page
            do {
                page = try await work.fetch(query, after: state.token)
            } catch RequestError.appStoreFailed(let failure) where failure.isOfPageToken && state.token != nil {
                guard beginnings < Self.mostBeginnings else { throw Self.givenUp(state, failure) }
                beginnings += 1
                // A token does not live for ever. From the first page on, what was taken in stays known.
                Console.note("beginning with the first page again: \(failure.detail)")
                state = BackfillState(scope: scope, source: state.source, startedAt: state.startedAt)
                isFirstPage = true
                continue
            }
            isFirstPage = false
            state.note(page)
            if page.next != nil { try file.write(state) }
            if state.done % Self.reported == 0 { Console.note(BackfillText.progress(state, of: nil)) }
        }
        return state
    }

    private static func givenUp(_ state: BackfillState, _ failure: AppStoreFailure) -> CommandFailure {
        CommandFailure(
            .failed,
            "Apple refuses the token of page \(state.done + 1), after \(mostBeginnings) times from the first page: "
                + failure.detail,
            hints: [
                "what was fetched is kept; fetch the rest in shorter ranges with `--from` and `--to`",
                "the same command tries it again",
            ])
    }
}

extension AppStoreFailure {
    /// Whether Apple does not take the page's token any more.
    fileprivate var isOfPageToken: Bool {
        error.errorCode == .paginationTokenExpired || error.errorCode == .invalidPaginationToken
    }
}

extension BackfillState {
    /// The end of the range that the work goes through.
    fileprivate var endOfNotifications: Instant? {
        source.hasPrefix("notifications ")
            ? source.split(separator: "-").last.flatMap { Int64($0) }.map { Instant(milliseconds: $0) } : nil
    }

    fileprivate mutating func note(_ page: NotificationBackfill.Page) {
        done += 1
        token = page.next
        fetched += page.added
        known += page.known
        refused += page.refused.count
        for refused in page.refused {
            note(Finding(place: "page \(done), notification \(refused.place)", reason: refused.reason))
        }
    }
}
