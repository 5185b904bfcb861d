public import OfferModel
public import OfferStore

/// Removes what nothing needs any more, in steps so small that no request waits long for one.
public struct Retention: Sendable {
    /// How much was removed.
    public struct Sum: Sendable, Hashable {
        /// Signatures whose text was replaced by its digest.
        public var signatures = 0
        /// Refusals whose record was replaced by its digest.
        public var refusals = 0
        /// Kept answers that were deleted.
        public var answers = 0

        /// Whether nothing was.
        public var isEmpty: Bool { signatures + refusals + answers == 0 }

        mutating func add(_ step: RetentionStep) {
            signatures += step.signatures.count
            refusals += step.refusals.count
            answers += step.answers
        }
    }

    /// How many rows of each kind one transaction looks at.
    private static let limit = 200

    private let database: any StoreDatabase
    private let digest: any Digest
    private let terms: RetentionTerms
    private let clock: RequestClock

    /// Retention in a database.
    public init(
        database: any StoreDatabase, digest: any Digest, terms: RetentionTerms,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.database = database
        self.digest = digest
        self.terms = terms
        self.clock = RequestClock(wallClock: clock)
    }

    /// Removes everything that is due.
    ///
    /// - Parameter rest: how long requests have the writer for themselves between two steps.
    /// - Throws: ``RequestError/clockBehind(_:)``, `CancellationError`, and what the store throws; steps already taken
    ///   stay taken.
    public func sweep(rest: Duration = .milliseconds(20)) async throws -> Sum {
        let (digest, terms, clock) = (digest, terms, clock)
        var sum = Sum()
        while true {
            let step = try await database.write { transaction in
                try RetentionStore(transaction, digest: digest)
                    .step(terms, at: try clock.instant(transaction), limit: Self.limit)
            }
            sum.add(step)
            if step.isLast { return sum }
            try await Task.sleep(for: rest)
        }
    }
}
