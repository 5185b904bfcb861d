import HTTPTypes

extension HTTPField.Name {
    /// The request's id on every answer.
    static let requestId = ours("X-Request-Id")
    /// The key under which a request may be repeated.
    static let idempotencyKey = ours("Idempotency-Key")
    /// `true` on an answer that was given before.
    static let idempotentReplayed = ours("Idempotent-Replayed")

    /// What is left of a limit: `r` requests, and more in `t` seconds.
    static let rateLimit = ours("RateLimit")
    /// The limit itself: `q` requests at once, and as many again in `w` seconds.
    static let rateLimitPolicy = ours("RateLimit-Policy")

    /// A name written in this file.
    private static func ours(_ text: StaticString) -> HTTPField.Name {
        // A trap, because only the literals above come here and never any input: a name that HTTP does not allow is a
        // mistake in this file, which the first test that asks anything meets.
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("`\(text)` is no header name") }
        return name
    }
}
