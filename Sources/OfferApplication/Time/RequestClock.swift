public import OfferModel
public import OfferStore

/// Where every use case takes its one instant from (docs/design.md#time).
struct RequestClock: Sendable {
    /// How far behind what is stored the wall clock may be, in milliseconds.
    static let tolerance = 60 * Instant.Duration.second

    let wallClock: @Sendable () -> Instant

    /// The instant of a request that decides or writes: never before anything that was committed.
    ///
    /// - Throws: `clockBehind` if the wall clock is so far behind that it cannot be right.
    func instant(_ transaction: any StoreTransaction) throws -> Instant {
        try instant(after: try StoreClock(transaction).marks())
    }

    /// The same where the store's marks were read already.
    ///
    /// - Throws: `clockBehind`.
    func instant(after marks: ClockMarks) throws -> Instant {
        let now = wallClock()
        if let lag = ClockLag(of: now, behind: marks) { throw RequestError.clockBehind(lag) }
        return max(now, marks.lastInstant ?? now)
    }

    /// The instant of a request that only reads or only takes something away, and so is answered even if the clock is
    /// behind.
    func tolerantInstant(_ transaction: any StoreTransaction) throws -> Instant {
        tolerantInstant(after: try StoreClock(transaction).lastInstant())
    }

    func tolerantInstant(after last: Instant?) -> Instant {
        let now = wallClock()
        return max(now, last ?? now)
    }
}

/// By how much the wall clock is behind, and behind what.
public struct ClockLag: Error, Sendable, Hashable {
    /// The mark that shows that the clock is behind.
    public enum Mark: Sendable, Hashable {
        /// Something was committed at a later instant.
        case lastInstant
        /// Data that Apple dated later is stored.
        case signedDate
    }

    public let mark: Mark
    /// By how much, in milliseconds; more than is tolerated.
    public let milliseconds: Int64

    /// In how many milliseconds the clock will have caught up, if it is not corrected before.
    public var caughtUpAfter: Int64 { milliseconds.saturatingSubtracting(RequestClock.tolerance) }

    /// `nil` if the clock is not behind, or so little that it is tolerated.
    public init?(of wallClock: Instant, behind marks: ClockMarks) {
        let lags = [(Mark.lastInstant, marks.lastInstant), (.signedDate, marks.newestSignedDate)].compactMap {
            mark, at in
            at.map { (mark: mark, lag: $0.milliseconds(since: wallClock)) }
        }
        guard let most = lags.max(by: { $0.lag < $1.lag }), most.lag > RequestClock.tolerance else { return nil }
        mark = most.mark
        milliseconds = most.lag
    }

    public var detail: String {
        let seconds = milliseconds / Instant.Duration.second
        return switch mark {
        case .lastInstant: "the clock of the service is \(seconds) s behind the last time it recorded something"
        case .signedDate: "the clock of the service is \(seconds) s behind data that the App Store has signed"
        }
    }
}

/// Sets the store's time back after a clock that once ran ahead (docs/design.md#time).
public struct ClockReset: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// The clock is not behind what was recorded, so nothing was changed.
        case nothingToReset
        /// Requests are dated by the clock again; what was recorded at a later moment keeps its dates.
        case reset(from: Instant, to: Instant)
    }

    private let ledger: Ledger
    private let author: AuditAuthor
    private let clock: RequestClock

    public init(ledger: Ledger, author: AuditAuthor, clock: @escaping @Sendable () -> Instant) {
        self.ledger = ledger
        self.author = author
        self.clock = RequestClock(wallClock: clock)
    }

    /// Sets the last recorded moment back to now if it is further ahead of the clock than is tolerated.
    ///
    /// - Throws: ``ClockLag`` if the clock is behind data that the App Store has signed, for then it is the clock that
    ///   is wrong and nothing is changed.
    public func run() async throws -> Outcome {
        return try await ledger.write(by: author) { transaction in
            let store = StoreClock(transaction)
            let marks = try store.marks()
            let now = clock.wallClock()
            if let lag = ClockLag(of: now, behind: ClockMarks(newestSignedDate: marks.newestSignedDate)) { throw lag }
            guard let last = marks.lastInstant, ClockLag(of: now, behind: marks) != nil else { return .nothingToReset }
            try store.reset(to: now)
            try IssuedOfferStore(transaction).countAgain(after: now)
            try APIKeyStore(transaction).setBackUses(to: now.startOfHour)
            try PauseStore(transaction).shortenLimited(to: now, actor: author.actor)
            try transaction.audit().record(
                .clockReset, at: now, in: nil, before: ["lastInstant": last], after: ["lastInstant": now])
            return .reset(from: last, to: now)
        }
    }
}
