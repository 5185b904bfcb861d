public import OfferModel
public import OfferStore

/// Keeps limits exact after the database was replaced by an earlier copy (docs/operations.md#restore).
///
/// What was issued since the copy is unknown, while its signatures may still be redeemed. Until the last of them has
/// ended, no offer with a limit is issued for a new use; from then on, redemptions are in the customers' histories, and
/// what was not redeemed would no longer count.
public struct ForgottenUses: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// Nothing that was issued since can still be redeemed.
        case none
        case paused(until: Instant)
    }

    private let ledger: Ledger
    private let author: AuditAuthor
    private let clock: RequestClock

    public init(ledger: Ledger, author: AuditAuthor, clock: @escaping @Sendable () -> Instant) {
        self.ledger = ledger
        self.author = author
        self.clock = RequestClock(wallClock: clock)
    }

    /// Pauses new uses of limited offers in the database's scopes and some that it may lack.
    ///
    /// - Parameters:
    ///   - last: the last moment at which something unknown may have been issued; now if absent.
    ///   - unlessPaused: whether a pause that has begun is left as it is.
    public func pause(
        in scopes: [Scope], issuedUntil last: Instant?, unlessPaused: Bool = false
    ) async throws -> Outcome {
        try await ledger.write(by: author) { transaction in
            let now = try clock.tolerantInstant(transaction)
            let end = min(last ?? now, now).adding(milliseconds: PauseStore.longestOfLimited)
            guard now < end else { return .none }
            let store = ScopeStore(transaction)
            for scope in scopes { _ = try store.findOrAdd(scope) }
            let ends = try store.all().map { number in
                let pauses = PauseStore(transaction)
                let present =
                    try pauses.active(in: number).filter { $0.covers == .limitedOffers }
                    .compactMap(\.endsAt).max() ?? now
                if now < present, unlessPaused || end <= present { return present }
                try pauses.pauseLimited(until: end, actor: author.actor, at: now, in: number)
                return end
            }
            try StoreClock(transaction).advance(to: now)
            return .paused(until: ends.max() ?? end)
        }
    }

    /// - Returns: the scopes in which they were paused.
    public func resume() async throws -> [Scope] {
        try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            let store = ScopeStore(transaction)
            let resumed = try store.all().filter { number in
                try PauseStore(transaction).resumeLimited(actor: author.actor, at: now, in: number) > 0
            }.map(store.scope)
            try StoreClock(transaction).advance(to: now)
            return resumed
        }
    }
}
