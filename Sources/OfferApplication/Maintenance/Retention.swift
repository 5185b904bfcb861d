public import OfferModel
public import OfferStore

/// Removes what nothing needs any more and settles issued offers that have passed, in steps so small that no request
/// waits long for one.
public struct Retention: Sendable {
    /// How many rows of each kind one transaction looks at.
    private static let limit = 200

    private let ledger: Ledger
    private let author: AuditAuthor
    private let terms: RetentionTerms
    private let clock: RequestClock

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
    /// - Returns: all steps together.
    /// - Throws: `clockBehind`, `CancellationError`; steps already taken stay taken.
    public func sweep(rest: Duration = .milliseconds(20)) async throws -> RetentionStep {
        var sum = try await step()
        while !sum.isLast {
            try await Task.sleep(for: rest)
            var next = try await step()
            next.add(sum)
            sum = next
        }
        return sum
    }

    private func step() async throws -> RetentionStep {
        try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            try PauseStore(transaction).endPassed(at: now, actor: author.actor)
            return try RetentionStore(transaction).step(terms, at: now, limit: Self.limit)
        }
    }
}

extension RetentionStep {
    fileprivate mutating func add(_ earlier: RetentionStep) {
        signatures += earlier.signatures
        refusals += earlier.refusals
        answers += earlier.answers
        notifications += earlier.notifications
        events += earlier.events
        settled += earlier.settled
        isHeld = isHeld || earlier.isHeld
    }
}
