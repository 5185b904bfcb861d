public import OfferModel
public import OfferStore

/// Tells the audit that an operator brings history in from Apple (docs/ledger.md, `import`).
public struct BackfillLog: Sendable {
    private let ledger: Ledger
    private let author: AuditAuthor
    private let clock: RequestClock

    /// The audit of a database.
    public init(ledger: Ledger, author: AuditAuthor, clock: @escaping @Sendable () -> Instant) {
        self.ledger = ledger
        self.author = author
        self.clock = RequestClock(wallClock: clock)
    }

    /// Records that a work begins, goes on or has come to its end.
    ///
    /// - Parameters:
    ///   - source: what is gone through; nothing personal.
    ///   - done: how many ids or pages are done.
    ///   - refused: how many of them, or of what was on them, were refused.
    /// - Throws: ``RequestError/clockBehind(_:)`` and what the store throws.
    public func note(_ source: String, done: Int, refused: Int, in scope: Scope) async throws {
        let clock = clock
        try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            try StoreClock(transaction).advance(to: now)
            try AuditLog(transaction).record(
                .imported, at: now, in: number, after: ["source": source, "done": done, "refused": refused])
        }
    }
}
