/// How long data that is no longer needed is kept, in milliseconds; `nil` means permanently.
public struct RetentionTerms: Sendable, Hashable {
    /// The text of a signature, after it was signed and once its issued offer no longer counts.
    public var signatures: Int64? = 90 * Instant.Duration.day
    /// The recorded inputs of a refusal, from its decision on.
    public var refusals: Int64? = 365 * Instant.Duration.day
    /// An answer kept for its `Idempotency-Key`; never less than the 24 hours in which it can be repeated.
    public var answers: Int64? = Instant.Duration.day
    /// A notification's text as Apple signed it, after it was stored.
    public var notifications: Int64? = 90 * Instant.Duration.day

    public static let standard = RetentionTerms()
}
