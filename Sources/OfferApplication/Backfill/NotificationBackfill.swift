public import AppStoreServer
public import OfferModel
import OfferSigning
public import OfferStore

/// Fetches the notifications that Apple sent or tried to send, page by page: `offerd backfill --notifications`.
public struct NotificationBackfill: Sendable {
    /// What came of one page.
    public struct Page: Sendable, Hashable {
        /// How many notifications were not known before.
        public var added = 0
        /// How many were.
        public var known = 0
        /// Those that were not believed: the place on the page, from 1, and why.
        public var refused: [Refused] = []
        /// Where the next page begins; `nil` after the last.
        public var next: String?
    }

    /// A notification that was not believed.
    public struct Refused: Sendable, Hashable {
        /// Its place on the page, from 1.
        public var place: Int
        /// Why, in words.
        public var reason: String
    }

    private let client: AppStoreServerClient
    private let notifications: NotificationIngestion
    private let scope: Scope
    private let author: AuditAuthor
    private let patience: RetryPolicy
    private let clock: @Sendable () -> Instant

    /// A work through the notification history of one app and environment.
    ///
    /// - Parameters:
    ///   - registry: knows whom to ask.
    ///   - notifications: takes each notification in as if it were sent.
    ///   - author: who answers for it.
    ///   - patience: how it waits.
    /// - Throws: ``RequestError/notReady(detail:hint:)`` where nobody can be asked.
    public init(
        _ registry: AppRegistry, _ notifications: NotificationIngestion, in scope: Scope, by author: AuditAuthor,
        patience: RetryPolicy, clock: @escaping @Sendable () -> Instant
    ) throws {
        client = try registry.appStoreServer(for: scope).with(.patient)
        self.notifications = notifications
        self.scope = scope
        self.author = author
        self.patience = patience
        self.clock = clock
    }

    /// Fetches a page and takes in all that is on it; when it returns, each notification is kept durably or refused.
    ///
    /// - Parameters:
    ///   - query: which notifications; the same for each page.
    ///   - token: the page before's ``Page/next``; `nil` for the first page.
    /// - Throws: ``RequestError`` for what stands against all further work, `CancellationError`, and what the store
    ///   throws. What was kept stays.
    public func fetch(_ query: NotificationHistoryQuery, after token: String?) async throws -> Page {
        let answer = try await patience.ask {
            do throws(AppStoreServerError) {
                return try await client.notificationHistoryPage(query, after: token)
            } catch {
                throw RequestError.appStoreFailed(AppStoreFailure(error, at: clock()))
            }
        }
        guard !answer.hasMore || answer.paginationToken != token else {
            throw RequestError.appStoreFailed(
                AppStoreFailure(
                    AppStoreServerError(
                        .unreadableAnswer, "Apple's notification history goes on for ever at one token",
                        hint: "try again later"), at: clock()))
        }
        var page = Page()
        for (index, item) in answer.notificationHistory.enumerated() {
            try Task.checkCancellation()
            do {
                let receipt = try await notifications.ingest(
                    item.signedPayload, of: scope, source: .fetched, author: author)
                if receipt.isRepeat { page.known += 1 } else { page.added += 1 }
            } catch RequestError.signedDataRefused(let refused) {
                let reason = refused.first?.refusal.detail ?? "it was not believed"
                page.refused.append(Refused(place: index + 1, reason: reason))
            }
        }
        page.next = answer.hasMore ? answer.paginationToken : nil
        return page
    }
}
