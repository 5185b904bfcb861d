/// How long what is no longer needed is kept, in milliseconds; `nil` means for good.
public struct RetentionTerms: Sendable, Hashable {
    /// The text of a signature, after it was signed and once its slot no longer counts.
    public var signatures: Int64?
    /// What a refusal depended on, after it was decided.
    public var refusals: Int64?
    /// An answer that is kept for its `Idempotency-Key`; never less than the 24 hours it may be asked for again.
    public var answers: Int64?
    /// A notification's text as Apple signed it, after it was stored.
    public var notifications: Int64?

    /// 90 days, a year, a day and 90 days, unless told otherwise.
    public init(
        signatures: Int64? = 90 * Instant.Duration.day, refusals: Int64? = 365 * Instant.Duration.day,
        answers: Int64? = Instant.Duration.day, notifications: Int64? = 90 * Instant.Duration.day
    ) {
        self.signatures = signatures
        self.refusals = refusals
        self.answers = answers
        self.notifications = notifications
    }
}
