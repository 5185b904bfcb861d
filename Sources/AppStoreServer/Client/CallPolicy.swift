public import OfferModel

/// How long and how often Apple is asked before a call is given up.
public struct CallPolicy: Sendable, Hashable {
    /// How often one question is put at most, the first time included.
    public var attempts: Int
    /// How long one attempt may take, in milliseconds.
    public var requestMilliseconds: Int64
    /// How long a whole call may take, in milliseconds: every attempt, page and wait together.
    public var totalMilliseconds: Int64
    /// The wait before the second attempt, in milliseconds; it doubles with each further one.
    public var firstBackoffMilliseconds: Int64
    /// The longest of these waits, in milliseconds.
    public var longestBackoffMilliseconds: Int64
    /// An answer longer than this is not read to its end, in bytes.
    public var maximumAnswerBytes: Int
    /// How many pages one call fetches at most.
    public var maximumPages: Int

    /// For a person who waits: three attempts of 10 s within 30 s, answers up to 4 MiB, 500 pages.
    public init(
        attempts: Int = 3, requestMilliseconds: Int64 = 10 * Instant.Duration.second,
        totalMilliseconds: Int64 = 30 * Instant.Duration.second, firstBackoffMilliseconds: Int64 = 500,
        longestBackoffMilliseconds: Int64 = 8 * Instant.Duration.second, maximumAnswerBytes: Int = 4_194_304,
        maximumPages: Int = 500
    ) {
        self.attempts = attempts
        self.requestMilliseconds = requestMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.firstBackoffMilliseconds = firstBackoffMilliseconds
        self.longestBackoffMilliseconds = longestBackoffMilliseconds
        self.maximumAnswerBytes = maximumAnswerBytes
        self.maximumPages = maximumPages
    }

    /// For a work through many customers that nobody waits for: five attempts of 30 s within 10 minutes.
    public static let patient = CallPolicy(
        attempts: 5, requestMilliseconds: 30 * Instant.Duration.second,
        totalMilliseconds: 10 * Instant.Duration.minute)

    /// The longest wait after so many attempts.
    func backoffCeiling(afterAttempts count: Int) -> Int64 {
        var ceiling = max(firstBackoffMilliseconds, 0)
        for _ in 1..<max(count, 1) where ceiling < longestBackoffMilliseconds { ceiling *= 2 }
        return min(ceiling, max(longestBackoffMilliseconds, 0))
    }
}
