public import AppStoreServer
package import OfferAPI
public import OfferModel
import OfferSigning
public import OfferStore

/// Fetches many customers from Apple, a few at a time: `offerd backfill --ids`.
public struct CustomerBackfill: Sendable {
    package enum Outcome: Sendable, Hashable {
        /// The customer was fetched; the report has the gaps.
        case fetched(RefreshReport)
        /// The customer was fetched since the work began, by another id.
        case known
        /// Apple returns nothing for this id, or nothing that can be verified; in words.
        case refused(String)
    }

    private let refresh: CustomerRefresh
    private let scope: Scope
    private let author: AuditAuthor
    private let start: Instant
    private let patience: RetryPolicy

    /// - Parameter start: when the work began, also if it goes on after an interruption.
    public init(
        _ refresh: CustomerRefresh, in scope: Scope, by author: AuditAuthor, since start: Instant,
        patience: RetryPolicy
    ) {
        self.refresh = refresh
        self.scope = scope
        self.author = author
        self.start = start
        self.patience = patience
    }

    /// Fetches the customers of these ids at the same time; when it returns, every one is kept durably or refused.
    ///
    /// - Parameter ids: of transactions or of app transactions, as many as may be asked for at once.
    /// - Throws: ``RequestError`` for what prevents all further work, `CancellationError`. What was kept stays.
    package func fetch(_ ids: [String]) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for (place, id) in ids.enumerated() {
                group.addTask { (place, try await fetch(id)) }
            }
            var outcomes = [Outcome](repeating: .known, count: ids.count)
            for try await (place, outcome) in group { outcomes[place] = outcome }
            return outcomes
        }
    }

    private func fetch(_ id: String) async throws -> Outcome {
        // The client refuses to send such a one, which would end the work at this line each time.
        guard PathIdentifier.allows(id) else {
            return .refused("`\(OneLine.of(id, atMost: 60))` is not an id of Apple's")
        }
        do {
            let report = try await patience.ask {
                try await refresh.refresh(id: id, since: start, in: scope, by: author)
            }
            return report.map(Outcome.fetched) ?? .known
        } catch RequestError.unknownToAppStore(let detail, _) {
            return .refused(detail)
        } catch RequestError.appStoreDataRefused(let refused) {
            return .refused(
                refused.first.map { "\($0.pointer): \($0.refusal.detail)" } ?? "none of the data could be verified")
        } catch RequestError.appStoreFailed(let failure) where failure.error.isAboutItsQuestion {
            return .refused(failure.detail)
        }
    }
}

extension AppStoreServerError {
    /// Whether another question may well be answered: Apple refuses this one, or always fails with it.
    var isAboutItsQuestion: Bool {
        code == .refused && errorCode != nil || errorCode == .generalInternal
    }
}

/// Fetches the notifications that Apple sent or tried to send, page by page: `offerd backfill --notifications`.
public struct NotificationBackfill: Sendable {
    public struct Page: Sendable, Hashable {
        public var added = 0
        public var known = 0
        /// Those that could not be verified: the place on the page, from 1, and why.
        public var refused: [Refused] = []
        /// Where the next page begins; `nil` after the last.
        public var next: String?
    }

    public struct Refused: Sendable, Hashable {
        public var place: Int
        public var reason: String
    }

    private let client: AppStoreServerClient
    private let notifications: NotificationIngestion
    private let scope: Scope
    private let author: AuditAuthor
    private let patience: RetryPolicy
    private let clock: @Sendable () -> Instant

    /// - Throws: `noAppStoreServer`.
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
    /// - Parameter token: the page before's ``Page/next``; `nil` for the first page.
    /// - Throws: ``RequestError`` for what prevents all further work, `CancellationError`. What was kept stays.
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
                        .unreadableAnswer, "Apple's notification history repeats the same pagination token",
                        hint: "try again later"), at: clock()))
        }
        var page = Page()
        for (index, item) in answer.notificationHistory.enumerated() {
            try Task.checkCancellation()
            do {
                let receipt = try await notifications.ingest(
                    item.signedPayload, of: scope, source: .fetched, author: author)
                if receipt.repeated { page.known += 1 } else { page.added += 1 }
            } catch RequestError.signedDataRefused(let refused) {
                let reason = refused.first?.refusal.detail ?? "it could not be verified"
                page.refused.append(Refused(place: index + 1, reason: reason))
            }
        }
        page.next = answer.hasMore ? answer.paginationToken : nil
        return page
    }
}

/// How a background job keeps within Apple's rate limits: it waits as long as Apple asks for.
public struct RetryPolicy: Sendable {
    private let sleep: @Sendable (_ milliseconds: Int64) async throws -> Void
    private let onWait: @Sendable (AppStoreFailure) -> Void

    /// - Parameter sleep: waits, and throws `CancellationError` as soon as the task is cancelled.
    public init(
        sleep: @escaping @Sendable (_ milliseconds: Int64) async throws -> Void,
        onWait: @escaping @Sendable (AppStoreFailure) -> Void
    ) {
        self.sleep = sleep
        self.onWait = onWait
    }

    /// Asks until Apple's limits let an answer through.
    ///
    /// - Throws: `CancellationError`, and what asking throws for another reason.
    func ask<Answer: Sendable>(_ question: () async throws -> Answer) async throws -> Answer {
        while true {
            do {
                return try await question()
            } catch RequestError.appStoreFailed(let failure) {
                switch failure.error.code {
                case .cancelled: throw CancellationError()
                case .rateLimited:
                    onWait(failure)
                    try await sleep(Int64(failure.secondsToWait) * Instant.Duration.second)
                default: throw RequestError.appStoreFailed(failure)
                }
            }
        }
    }
}

/// Tells the audit that an operator brings history in from Apple (docs/ledger.md, `import`).
public struct BackfillLog: Sendable {
    private let ledger: Ledger
    private let author: AuditAuthor
    private let clock: RequestClock

    public init(ledger: Ledger, author: AuditAuthor, clock: @escaping @Sendable () -> Instant) {
        self.ledger = ledger
        self.author = author
        self.clock = RequestClock(wallClock: clock)
    }

    /// Records that a work begins, goes on or has come to its end.
    ///
    /// - Parameters:
    ///   - source: what is gone through; nothing personal.
    ///   - refused: how many of them, or of what was on them, were refused.
    /// - Throws: `clockBehind`.
    public func note(_ source: String, done: Int, refused: Int, in scope: Scope) async throws {
        try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            try StoreClock(transaction).advance(to: now)
            try transaction.audit().record(
                .imported, at: now, in: number, after: ["source": source, "done": done, "refused": refused])
        }
    }
}
