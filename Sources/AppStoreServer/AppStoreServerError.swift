public import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A call of the App Store Server API without a result. It never holds a token or a key.
public struct AppStoreServerError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing was asked: what was given makes no request.
        case notSent
        case unauthenticated
        case notFound
        case refused
        /// Apple wants no more requests until ``AppStoreServerError/retryAt``.
        case rateLimited
        case unavailable
        /// Apple could not be reached, or broke off.
        case unreachable
        case timedOut
        /// The answer is not one of Apple's: unreadable, too long or endless.
        case unreadableAnswer
        case cancelled
    }

    public let code: Code
    public let message: String
    public let hint: String?
    public internal(set) var errorCode: AppStoreErrorCode?
    public internal(set) var status: Int?
    public internal(set) var retryAt: Instant?
    public internal(set) var attempts: Int

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

    public var description: String { message }
}

/// Apple's `errorCode` of a refused request. Any number is kept; the static members are those this client knows.
///
/// Source: Apple, App Store Server API, "Error codes".
public struct AppStoreErrorCode: RawRepresentable, Sendable, Hashable, Codable {
    /// Apple's number: the HTTP status, followed by four digits.
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static let invalidAppIdentifier = AppStoreErrorCode(rawValue: 4_000_002)
    public static let invalidRequestRevision = AppStoreErrorCode(rawValue: 4_000_005)
    public static let invalidTransactionId = AppStoreErrorCode(rawValue: 4_000_006)
    /// The start is further back than Apple keeps notifications.
    public static let startDateTooFarInPast = AppStoreErrorCode(rawValue: 4_000_012)
    public static let invalidPaginationToken = AppStoreErrorCode(rawValue: 4_000_014)
    /// The pagination token is too old; the listing starts over.
    public static let paginationTokenExpired = AppStoreErrorCode(rawValue: 4_000_017)
    public static let appTransactionIdNotSupported = AppStoreErrorCode(rawValue: 4_000_048)
    public static let accountNotFound = AppStoreErrorCode(rawValue: 4_040_001)
    public static let accountNotFoundRetryable = AppStoreErrorCode(rawValue: 4_040_002)
    public static let appNotFound = AppStoreErrorCode(rawValue: 4_040_003)
    public static let appNotFoundRetryable = AppStoreErrorCode(rawValue: 4_040_004)
    public static let originalTransactionIdNotFound = AppStoreErrorCode(rawValue: 4_040_005)
    public static let originalTransactionIdNotFoundRetryable = AppStoreErrorCode(rawValue: 4_040_006)
    /// The app has no URL for notifications in this environment.
    public static let serverNotificationURLNotFound = AppStoreErrorCode(rawValue: 4_040_007)
    public static let transactionIdNotFound = AppStoreErrorCode(rawValue: 4_040_010)
    public static let appTransactionDoesNotExist = AppStoreErrorCode(rawValue: 4_040_019)
    public static let rateLimitExceeded = AppStoreErrorCode(rawValue: 4_290_000)
    public static let generalInternal = AppStoreErrorCode(rawValue: 5_000_000)
    public static let generalInternalRetryable = AppStoreErrorCode(rawValue: 5_000_001)

    /// Whether Apple says that asking again may help.
    public var isRetryable: Bool {
        switch self {
        case .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable,
            .generalInternalRetryable:
            true
        default: false
        }
    }
}

/// Apple's answer to a request it does not grant, and what follows from it.
struct RefusedAnswer {
    let status: Int
    let errorCode: AppStoreErrorCode?
    private let errorMessage: String?
    let retryAt: Instant?

    init(_ reply: AppStoreServerReply, now: Instant) {
        status = reply.status
        let body = try? JSONDecoder().decode(Body.self, from: Data(reply.body))
        errorCode = body?.errorCode.map { AppStoreErrorCode(rawValue: $0) }
        errorMessage = body?.errorMessage
        retryAt = reply.retryAfter.flatMap { RetryAfter.instant($0, now: now) }
    }

    /// Only what Apple calls retryable, too many requests, and what a gateway before Apple's server says without a code
    /// of Apple's.
    var isRetryable: Bool {
        if let errorCode, errorCode != .rateLimitExceeded { return errorCode.isRetryable }
        return [429, 502, 503, 504].contains(status) || errorCode == .rateLimitExceeded
    }

    func error(of access: AppStoreServerAccess, at host: AppStoreServerHost, attempts: Int) -> AppStoreServerError {
        let (code, cause, hint) = verdict(access, host)
        let number = errorCode.map { " (\($0.rawValue)\(quotedMessage))" } ?? " (status \(status))"
        return AppStoreServerError(
            code, cause + number, hint: hint, errorCode: errorCode, status: status, retryAt: retryAt,
            attempts: attempts)
    }

    private func verdict(
        _ access: AppStoreServerAccess, _ host: AppStoreServerHost
    ) -> (code: AppStoreServerError.Code, cause: String, hint: String?) {
        switch (status, errorCode) {
        case (401, _):
            (
                .unauthenticated,
                "Apple does not accept the key `\(access.keyId)` for `\(access.bundleId)` at `\(host)`",
                "check that it is an In-App Purchase key of this team, `keyId` and `issuerId` `\(access.issuerId)` in "
                    + "keys.yaml, that the key was not revoked, and that this machine's clock is right"
            )
        case (429, _), (_, .rateLimitExceeded):
            (.rateLimited, "Apple is limiting requests for `\(access.bundleId)`", "try again later")
        case (_, .transactionIdNotFound), (_, .originalTransactionIdNotFound), (_, .accountNotFound):
            (
                .notFound, "Apple knows no such transaction of `\(access.bundleId)` in \(host.environment.rawValue)",
                "check the id and the environment: Sandbox and TestFlight purchases are not in Production"
            )
        case (_, .appTransactionDoesNotExist):
            (.notFound, "Apple has no app transaction of this customer of `\(access.bundleId)`", nil)
        case (_, .serverNotificationURLNotFound):
            (
                .notFound, "`\(access.bundleId)` has no URL for notifications in \(host.environment.rawValue)",
                "enter it in App Store Connect, App Information, App Store Server Notifications"
            )
        case (_, .appNotFound), (_, .invalidAppIdentifier):
            (
                .notFound, "Apple knows no app `\(access.bundleId)` for the key `\(access.keyId)`",
                "check `bundleId` in keys.yaml, and that the key belongs to the same team"
            )
        case (_, .invalidTransactionId), (_, .appTransactionIdNotSupported):
            (.refused, "Apple does not take this transaction id", "give a `transactionId` or `originalTransactionId`")
        case (_, .paginationTokenExpired), (_, .invalidPaginationToken), (_, .invalidRequestRevision):
            (.refused, "Apple does not take this page's token", "begin with the first page again")
        case (_, .startDateTooFarInPast):
            (.refused, "Apple keeps notifications for 180 days", "choose a later start")
        case (500..., _): (.unavailable, "Apple's server cannot answer", "try again later")
        case (404, _): (.notFound, "Apple knows nothing of it", "check the id and the environment")
        default: (.refused, "Apple refuses the request", nil)
        }
    }

    /// Apple's words, cut and cleared of what would break a line.
    private var quotedMessage: String {
        guard let errorMessage, !errorMessage.isEmpty else { return "" }
        let text = String.UnicodeScalarView(
            errorMessage.unicodeScalars.prefix(200).map { $0.properties.generalCategory == .control ? " " : $0 })
        return ": \(String(text))"
    }

    private struct Body: Decodable {
        let errorCode: Int64?
        let errorMessage: String?

        private enum CodingKeys: CodingKey {
            case errorCode
            case errorMessage
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            errorCode = try? members.decodeIfPresent(Int64.self, forKey: .errorCode)
            errorMessage = try? members.decodeIfPresent(String.self, forKey: .errorMessage)
        }
    }
}

enum RetryAfter {
    /// Reads `Retry-After`: Apple sends UNIX milliseconds ("Rate limit exceeded": `errorCode` 4290000), HTTP means
    /// seconds from now (RFC 9110 §10.2.3). A year of seconds and a date in milliseconds are a thousandfold apart, so
    /// the number tells which it is.
    static func instant(_ text: String, now: Instant) -> Instant? {
        let digits = text.drop { $0 == " " }
        guard !digits.isEmpty, digits.utf8.count <= 15, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits)
        else { return nil }
        return number < leastDate
            ? now.adding(milliseconds: number * Instant.Duration.second) : Instant(milliseconds: number)
    }

    /// 2001-09-09 in milliseconds; in seconds it is 31,000 years.
    private static let leastDate: Int64 = 1_000_000_000_000
}
