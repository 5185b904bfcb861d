public import OfferModel
public import OfferStore

/// Sets the store's time back after a clock that once ran ahead (docs/design.md#time).
public struct ClockReset: Sendable {
    /// What became of it.
    public enum Outcome: Sendable, Hashable {
        /// The clock is not behind what was recorded, so nothing was changed.
        case nothingToReset
        /// Requests are dated by the clock again; what was recorded at a later moment keeps its dates.
        case reset(from: Instant, to: Instant)
    }

    private let ledger: Ledger
    private let author: AuditAuthor
    private let clock: RequestClock

    /// A reset of the store in a database, told of in its audit.
    public init(ledger: Ledger, author: AuditAuthor, clock: @escaping @Sendable () -> Instant) {
        self.ledger = ledger
        self.author = author
        self.clock = RequestClock(wallClock: clock)
    }

    /// Lets the last recorded moment be now, if it is further ahead of the clock than is tolerated.
    ///
    /// - Throws: ``ClockLag`` if the clock is behind data that the App Store has signed, for then it is the clock that is
    ///   wrong and nothing is changed; and what the store throws.
    public func run() async throws -> Outcome {
        let clock = clock
        return try await ledger.write(by: author) { transaction in
            let store = StoreClock(transaction)
            let marks = try store.marks()
            let now = clock.wallClock()
            if let lag = ClockLag(of: now, behind: ClockMarks(newestSignedDate: marks.newestSignedDate)) { throw lag }
            guard let last = marks.lastInstant, ClockLag(of: now, behind: marks) != nil else { return .nothingToReset }
            try store.reset(to: now)
            try SlotStore(transaction).countAgain(after: now)
            try AuditLog(transaction).record(
                .clockReset, at: now, in: nil, before: ["lastInstant": last], after: ["lastInstant": now])
            return .reset(from: last, to: now)
        }
    }
}
