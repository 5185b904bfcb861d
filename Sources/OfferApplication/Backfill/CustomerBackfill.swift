import AppStoreServer
public import OfferModel
import OfferSigning
public import OfferStore

/// Fetches many customers from Apple, a few at a time: `offerd backfill --ids`.
public struct CustomerBackfill: Sendable {
    /// What came of one id.
    public enum Outcome: Sendable, Hashable {
        /// The customer was fetched; the report tells of gaps.
        case fetched(RefreshReport)
        /// The customer was fetched since the work began, by another id.
        case known
        /// Apple gives nothing for this id, or nothing that is believed; in words.
        case refused(String)
    }

    private let refresh: CustomerRefresh
    private let scope: Scope
    private let author: AuditAuthor
    private let start: Instant
    private let patience: BackfillPatience

    /// A work through many ids.
    ///
    /// - Parameters:
    ///   - refresh: fetches one.
    ///   - scope: whose customers they are.
    ///   - author: who answers for it.
    ///   - start: when the work began, also if it goes on after an interruption.
    ///   - patience: how it waits.
    public init(
        _ refresh: CustomerRefresh, in scope: Scope, by author: AuditAuthor, since start: Instant,
        patience: BackfillPatience
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
    /// - Returns: what came of each, in the same order.
    /// - Throws: ``RequestError`` for what stands against all further work, `CancellationError`, and what the store
    ///   throws. What was kept stays.
    public func fetch(_ ids: [String]) async throws -> [Outcome] {
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
            return .refused("`\(OneLine.of(id, atMost: 60))` is no id of Apple's")
        }
        do {
            let report = try await patience.ask {
                try await refresh.refresh(id: id, since: start, in: scope, by: author)
            }
            return report.map(Outcome.fetched) ?? .known
        } catch RequestError.unknownToAppStore(let detail, _) {
            return .refused(detail)
        } catch RequestError.appStoreDataRefused(let refused) {
            return .refused(refused.first.map { "\($0.pointer): \($0.refusal.detail)" } ?? "nothing was believed")
        } catch RequestError.appStoreFailed(let failure) where failure.error.isAboutItsQuestion {
            return .refused(failure.detail)
        }
    }
}

extension AppStoreServerError {
    /// Whether another question may well be answered: Apple refuses this one, or fails with it for good.
    var isAboutItsQuestion: Bool {
        code == .refused && errorCode != nil || errorCode == .generalInternal
    }
}
