import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The transport over HTTP, with connections kept open between calls.
public final class HTTPTransport: AppStoreServerTransport {
    private let client: HTTPClient

    /// A transport of its own connections; ``shutdown()`` ends them.
    ///
    /// - Parameter connectMilliseconds: how long making a connection may take.
    public init(connectMilliseconds: Int64 = 5_000) {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.retryConnectionEstablishment = false
        client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: .milliseconds(connectMilliseconds)), connectionPool: pool))
    }

    /// Closes the connections; what is still on its way fails.
    public func shutdown() async {
        // They are given up either way; what closing says adds nothing.
        try? await client.shutdown()
    }

    /// Sends one request once and reads the whole reply.
    ///
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
        message.headers.add(name: "Authorization", value: "Bearer \(request.token)")
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
