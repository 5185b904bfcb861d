public import OfferModel
public import OfferStore

/// Keeps limits exact after the database was replaced by an earlier copy (docs/operations.md#restore).
///
/// What was issued since the copy is unknown, while its signatures may still be redeemed. Until the last of them has
/// ended, no offer with a limit is issued for a new use; from then on, redemptions are in the customers' histories, and
/// what was not redeemed would no longer count.
public struct ForgottenUses: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// Nothing that was issued since can still be redeemed, or nothing was issued.
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

    /// Pauses new uses of limited offers in some scopes.
    ///
    /// - Parameters:
    ///   - last: the last moment at which something unknown may have been issued; now if absent.
    ///   - unlessPaused: whether a pause that has begun is left as it is.
    public func pause(
        in scopes: [Scope], issuedUntil last: Instant?, unlessPaused: Bool = false
    ) async throws -> Outcome {
        try await ledger.write(by: author) { transaction in
            let now = try clock.tolerantInstant(transaction)
            let newest = try StoreClock(transaction).lastInstant()
            let last = min(last ?? now, now)
            let end = last.adding(milliseconds: Offer.signatureLife + Offer.countingTail)
            guard newest.map({ $0 < last }) ?? true, now < end else { return .none }
            let ends = try scopes.map { scope in
                let number = try ScopeStore(transaction).findOrAdd(scope)
                let pauses = PauseStore(transaction)
                let present = try pauses.active(in: number).compactMap(\.endsAt).max() ?? now
                if unlessPaused, now < present { return present }
                _ = try pauses.pauseLimited(until: end, actor: author.actor, at: now, in: number)
                return max(present, end)
            }
            try StoreClock(transaction).advance(to: now)
            return .paused(until: ends.max() ?? end)
        }
    }

    /// - Returns: the scopes in which they were paused.
    public func resume(in scopes: [Scope]) async throws -> [Scope] {
        try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            let resumed = try scopes.filter { scope in
                guard let number = try ScopeStore(transaction).number(of: scope) else { return false }
                return try PauseStore(transaction).resumeLimited(actor: author.actor, at: now, in: number) > 0
            }
            try StoreClock(transaction).advance(to: now)
            return resumed
        }
    }
}
