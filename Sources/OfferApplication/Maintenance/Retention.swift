public import OfferModel
public import OfferStore

/// Removes what nothing needs any more and settles slots that have passed, in steps so small that no request waits long
/// for one.
public struct Retention: Sendable {
    public struct Sum: Sendable, Hashable {
        public var signatures = 0
        public var refusals = 0
        public var answers = 0
        public var notifications = 0
        /// Passed slots that were taken off the counters of their offers.
        public var settled = 0

        /// Whether texts stay because the audit's digest key has changed since some were recorded.
        public var isHeld = false

        public var isEmpty: Bool { signatures + refusals + answers + notifications == 0 }

        mutating func add(_ step: RetentionStep) {
            signatures += step.signatures
            refusals += step.refusals
            answers += step.answers
            notifications += step.notifications
            settled += step.settled
            isHeld = isHeld || step.isHeld
        }
    }

    /// How many rows of each kind one transaction looks at.
    private static let limit = 200

    private let ledger: Ledger
    private let author: AuditAuthor
    private let terms: RetentionTerms
    private let clock: RequestClock

    /// Retention in a database, recorded in its audit.
    public init(
        ledger: Ledger, terms: RetentionTerms, author: AuditAuthor, clock: @escaping @Sendable () -> Instant
    ) {
        self.ledger = ledger
        self.author = author
        self.terms = terms
        self.clock = RequestClock(wallClock: clock)
    }

    /// Removes everything that is due.
    ///
    /// - Parameter rest: how long requests have the writer for themselves between two steps.
    /// - Throws: `clockBehind`, `CancellationError`; steps already taken stay taken.
    public func sweep(rest: Duration = .milliseconds(20)) async throws -> Sum {
        var sum = Sum()
        while true {
            let step = try await ledger.write(by: author) { transaction in
                try RetentionStore(transaction).step(terms, at: try clock.instant(transaction), limit: Self.limit)
            }
            sum.add(step)
            if step.isLast { return sum }
            try await Task.sleep(for: rest)
        }
    }
}
