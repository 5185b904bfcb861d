import AppStoreServer
import CommandLineSupport
import OfferApplication
import OfferModel

/// `offerd backfill --notifications`: the rest of a range of time.
struct BackfillOfNotifications: Sendable {
    let from: Instant
    let to: Instant?
    let file: BackfillStateFile
    let scope: Scope
    let work: NotificationBackfill
    let log: BackfillLog

    /// Progress is reported after this many pages of 20.
    private static let reported = 10
    /// How often one run begins with the first page again. A token that was left for long is taken no more, once; what
    /// is refused again and again will not be accepted later.
    private static let mostBeginnings = 3

    func run() async throws {
        // Without `--to` an interrupted backfill keeps its end: its page token belongs to that query.
        let end = try to ?? file.read()?.endOfNotifications ?? .wallClock
        let fresh = BackfillState(
            scope: scope, source: "notifications \(from.milliseconds)-\(end.milliseconds)", startedAt: .wallClock)
        let start = try file.begin(fresh) { left in
            // Without a token nothing would be left to do, and the rest of the range would look fetched.
            guard left.done == 0 || left.token != nil else {
                throw file.unreadable(": it does not say where the next page begins")
            }
            return "\(left.done) pages"
        }
        let query = NotificationHistoryQuery(from: from, to: end)
        try await file.run(start, of: nil, in: scope, log) { try await goOn(start, query) }
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
                // A token expires. From the first page on, what was taken in stays known.
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
    /// Whether Apple no longer accepts the page's token.
    fileprivate var isOfPageToken: Bool {
        error.errorCode == .paginationTokenExpired || error.errorCode == .invalidPaginationToken
    }
}

extension BackfillState {
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
