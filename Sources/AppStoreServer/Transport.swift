import AsyncHTTPClient
import NIOCore
import NIOHTTP1

public struct AppStoreServerRequest: Sendable {
    public enum Method: String, Sendable, Hashable {
        case get = "GET"
        case post = "POST"
    }

    public var method: Method
    public var url: String
    /// The bearer token, if one is needed; never shown.
    public var token: String?
    public var body: [UInt8]?

    public init(method: Method, url: String, token: String? = nil, body: [UInt8]? = nil) {
        (self.method, self.url, self.token, self.body) = (method, url, token, body)
    }
}

public struct AppStoreServerReply: Sendable, Hashable {
    public var status: Int
    public var retryAfter: String?
    public var body: [UInt8]
}

public enum TransportFailure: Error, Sendable, Hashable {
    case unreachable(String)
    case timedOut
    case brokenOff
    case tooLarge
    /// The response is not HTTP, or the connection cannot be trusted.
    case unreadable(String)
    case cancelled
}

/// The network as one function, so that its failures can be tested.
public protocol AppStoreServerTransport: Sendable {
    /// Sends one request once and reads the whole reply, whatever its status. Redirects are not followed: they would
    /// take the token elsewhere.
    func reply(
        to request: AppStoreServerRequest, withinMilliseconds milliseconds: Int64, atMostBytes bytes: Int
    ) async throws(TransportFailure) -> AppStoreServerReply
}

/// The transport over HTTP, with connections kept open between calls.
public final class HTTPTransport: AppStoreServerTransport {
    private let client: HTTPClient

    /// A transport of its own connections; ``shutdown()`` ends them.
    public init(connectMilliseconds: Int64 = 5_000) {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.retryConnectionEstablishment = false
        client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: .milliseconds(connectMilliseconds)), connectionPool: pool))
    }

    public func shutdown() async {
        try? await client.shutdown()
    }

    /// The HTTP client's own deadline ends with the reply's head, so a slow body is measured here.
    public func reply(
        to request: AppStoreServerRequest, withinMilliseconds milliseconds: Int64, atMostBytes bytes: Int
    ) async throws(TransportFailure) -> AppStoreServerReply {
        do {
            return try await withThrowingTaskGroup(of: AppStoreServerReply.self) { group in
                group.addTask { try await self.exchange(request, atMostBytes: bytes) }
                group.addTask {
                    try await Task.sleep(for: .milliseconds(max(milliseconds, 1)))
                    throw TransportFailure.timedOut
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw TransportFailure.cancelled }
                return first
            }
        } catch {
            throw Task.isCancelled ? .cancelled : TransportFailure(error)
        }
    }

    private func exchange(_ request: AppStoreServerRequest, atMostBytes bytes: Int) async throws -> AppStoreServerReply
    {
        var message = HTTPClientRequest(url: request.url)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        if let token = request.token { message.headers.add(name: "Authorization", value: "Bearer \(token)") }
        message.headers.add(name: "Accept", value: "application/json")
        message.headers.add(name: "User-Agent", value: "offerd")
        if let body = request.body {
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(body)
        }
        let response = try await client.execute(message, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: bytes)
        return AppStoreServerReply(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"),
            body: Array(body.readableBytesView))
    }
}

extension HTTPTransport: CustomReflectable {
    /// Nothing: open connections hold the last request with its token (invariant 9).
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransportFailure {
    package init(_ error: any Error) {
        switch error {
        case let failure as TransportFailure: self = failure
        case is CancellationError: self = .cancelled
        case is NIOTooManyBytesError: self = .tooLarge
        case let error as HTTPClientError: self.init(error)
        case is IOError: self = Self.known(error).map { .unreachable($0) } ?? .brokenOff
        case HTTPParserError.invalidEOFState: self = .brokenOff
        case is HTTPParserError: self = .unreadable("the server does not speak HTTP")
        default: self = .unreachable(Self.known(error) ?? String(describing: type(of: error)))
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .cancelled: self = .cancelled
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            self = .timedOut
        case .remoteConnectionClosed, .bodyLengthMismatch: self = .brokenOff
        default: self = .unreadable(error.shortDescription)
        }
    }

    /// The types that tell more are those of the event loop and of TLS, which this target does not import, so the
    /// reason is taken from their words.
    private static func known(_ error: any Error) -> String? {
        let words = String(describing: error).lowercased()
        return reasons.first { words.contains($0.mark) }?.reason
    }

    private static let reasons: [(mark: String, reason: String)] = [
        ("refused", "the connection was refused"), ("unreachable", "no way leads there"),
        ("certificate", "its certificate is not trusted"), ("handshake", "no encryption could be agreed on"),
        ("connectionerrors: []", "no address belongs to its name"),
    ]
}
