public import OfferModel

/// Apple's `NotificationHistoryResponse`.
public struct NotificationHistoryPage: Sendable, Hashable, Decodable {
    /// The notifications.
    public let notificationHistory: [NotificationHistoryItem]
    /// Where the next page begins.
    public let paginationToken: String?
    /// Whether there is a next page.
    public let hasMore: Bool

    private enum CodingKeys: CodingKey {
        case notificationHistory
        case paginationToken
        case hasMore
    }

    /// Reads Apple's JSON.
    ///
    /// - Throws: `DecodingError` without `notificationHistory` or `hasMore`, or if there is more and no
    ///   `paginationToken`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        notificationHistory = try members.decode([NotificationHistoryItem].self, forKey: .notificationHistory)
        paginationToken = try members.decodeIfPresent(String.self, forKey: .paginationToken)
        hasMore = try members.decode(Bool.self, forKey: .hasMore)
        if hasMore, paginationToken?.isEmpty != false {
            throw DecodingError.dataCorruptedError(
                forKey: .paginationToken, in: members, debugDescription: "there is more, and no way to it")
        }
    }
}

/// A notification as Apple sent it, and how that went: Apple's `NotificationHistoryResponseItem` and
/// `CheckTestNotificationResponse`.
public struct NotificationHistoryItem: Sendable, Hashable, Decodable {
    /// One attempt of Apple's to send it.
    public struct SendAttempt: Sendable, Hashable, Decodable {
        /// When.
        public let attemptDate: Instant?
        /// How it went.
        public let sendAttemptResult: SendAttemptResult?
    }

    /// The notification as a JWS, not verified.
    public let signedPayload: String
    /// Apple's attempts to send it.
    public let sendAttempts: [SendAttempt]

    private enum CodingKeys: CodingKey {
        case signedPayload
        case sendAttempts
    }

    /// Reads Apple's JSON.
    ///
    /// - Throws: `DecodingError` without `signedPayload`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try members.decode(String.self, forKey: .signedPayload)
        sendAttempts = try members.decodeIfPresent([SendAttempt].self, forKey: .sendAttempts) ?? []
    }
}

/// What became of one attempt of Apple's to send a notification.
public struct SendAttemptResult: RawRepresentable, Sendable, Hashable, Codable {
    /// Apple's spelling.
    public let rawValue: String
    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It arrived.
    public static let success = SendAttemptResult(rawValue: "SUCCESS")
    /// The server did not answer in time.
    public static let timedOut = SendAttemptResult(rawValue: "TIMED_OUT")
    /// TLS could not be agreed on, or the certificate was not accepted.
    public static let tlsIssue = SendAttemptResult(rawValue: "TLS_ISSUE")
    /// The server redirected in a circle.
    public static let circularRedirect = SendAttemptResult(rawValue: "CIRCULAR_REDIRECT")
    /// No answer came.
    public static let noResponse = SendAttemptResult(rawValue: "NO_RESPONSE")
    /// The network failed.
    public static let socketIssue = SendAttemptResult(rawValue: "SOCKET_ISSUE")
    /// The answer's text could not be read.
    public static let unsupportedCharset = SendAttemptResult(rawValue: "UNSUPPORTED_CHARSET")
    /// The answer was none.
    public static let invalidResponse = SendAttemptResult(rawValue: "INVALID_RESPONSE")
    /// The connection was closed too early.
    public static let prematureClose = SendAttemptResult(rawValue: "PREMATURE_CLOSE")
    /// The status was none from 200 to 206.
    public static let unsuccessfulHTTPResponseCode = SendAttemptResult(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    /// Something else.
    public static let other = SendAttemptResult(rawValue: "OTHER")
}

/// Apple's `SendTestNotificationResponse`.
struct RequestedTestNotification: Decodable {
    let testNotificationToken: String
}
