public import OfferModel

/// A call of the App Store Server API without a result. It never holds a token or a key.
public struct AppStoreServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to do about it, in one word.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing was asked: what was given makes no request.
        case notSent
        /// Apple does not accept the key for this app.
        case unauthenticated
        /// Apple knows nothing of it in this app and environment.
        case notFound
        /// Apple refuses the request as it is.
        case refused
        /// Apple wants no more requests until ``AppStoreServerError/retryAt``.
        case rateLimited
        /// Apple cannot answer now.
        case unavailable
        /// Apple could not be reached, or broke off.
        case unreachable
        /// No answer in time.
        case timedOut
        /// The answer is none of Apple's: unreadable, too long or endless.
        case unreadableAnswer
        /// The task was cancelled.
        case cancelled
    }

    /// What to do about it.
    public let code: Code
    /// What is wrong, in one lower-case line.
    public let message: String
    /// What to do next.
    public let hint: String?
    /// Apple's number, known here or not.
    public internal(set) var errorCode: AppStoreErrorCode?
    /// HTTP's status, if there was an answer.
    public internal(set) var status: Int?
    /// When Apple wants to be asked again.
    public internal(set) var retryAt: Instant?
    /// How often it was tried.
    public internal(set) var attempts: Int

    /// An error by its parts.
    public init(
        _ code: Code, _ message: String, hint: String? = nil, errorCode: AppStoreErrorCode? = nil,
        status: Int? = nil, retryAt: Instant? = nil, attempts: Int = 0
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.errorCode = errorCode
        self.status = status
        self.retryAt = retryAt
        self.attempts = attempts
    }

    /// The message.
    public var description: String { message }
}
