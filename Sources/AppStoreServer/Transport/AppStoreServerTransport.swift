/// One HTTP request of the App Store Server API.
public struct AppStoreServerRequest: Sendable {
    /// What is done.
    public enum Method: String, Sendable, Hashable {
        /// Reads.
        case get = "GET"
        /// Sends a body.
        case post = "POST"
    }

    /// What is done.
    public var method: Method
    /// The whole address.
    public var url: String
    /// The token; sent and never shown.
    public var token: String
    /// JSON, if there is a body.
    public var body: [UInt8]?
}

/// What came back.
public struct AppStoreServerReply: Sendable, Hashable {
    /// HTTP's status.
    public var status: Int
    /// The header `Retry-After`, as it came.
    public var retryAfter: String?
    /// The whole body.
    public var body: [UInt8]

    /// A reply by its parts.
    public init(status: Int, retryAfter: String? = nil, body: [UInt8]) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// Why no reply came.
public enum TransportFailure: Error, Sendable, Hashable {
    /// Nobody could be reached, with what the network says.
    case unreachable(String)
    /// The whole reply did not come in time.
    case timedOut
    /// The connection ended before the reply did.
    case brokenOff
    /// The reply is longer than allowed.
    case tooLarge
    /// What came is no HTTP, or the connection is not to be trusted.
    case unreadable(String)
    /// The task was cancelled.
    case cancelled
}

/// The network, behind the smallest door, so that its failures can be tested.
public protocol AppStoreServerTransport: Sendable {
    /// Sends one request once and reads the whole reply, whatever its status. Redirects are not followed: they would
    /// take the token elsewhere.
    func reply(
        to request: AppStoreServerRequest, withinMilliseconds milliseconds: Int64, atMostBytes bytes: Int
    ) async throws(TransportFailure) -> AppStoreServerReply
}
