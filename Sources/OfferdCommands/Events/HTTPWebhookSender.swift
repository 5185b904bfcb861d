import AppStoreServer
import AsyncHTTPClient
import CommandLineSupport
import NIOCore
import NIOHTTP1
import OfferApplication
import OfferDocuments

/// Sends webhooks over HTTP, with connections kept open between messages.
final class HTTPWebhookSender: WebhookSender {
    /// How long a receiver may take to answer.
    static let timeout = Duration.seconds(15)
    private static let longestBody = 64 * 1_024

    private let client: HTTPClient
    private let timeout: Duration

    private init(timeout: Duration) {
        self.timeout = timeout
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.retryConnectionEstablishment = false
        // The wait for a connection counts as the receiver's time, so none waits, even if all webhooks have one host.
        pool.concurrentHTTP1ConnectionsPerHostSoftLimit = WebhookDelivery.concurrency * WebhookConfiguration.most
        client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(
                redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)), connectionPool: pool))
    }

    /// Runs a body with a sender, whose connections end with it.
    static func with<Result>(
        timeout: Duration = HTTPWebhookSender.timeout, _ body: (HTTPWebhookSender) async throws -> Result
    ) async throws -> Result {
        let sender = HTTPWebhookSender(timeout: timeout)
        do {
            let result = try await body(sender)
            try? await sender.client.shutdown()
            return result
        } catch {
            try? await sender.client.shutdown()
            throw error
        }
    }

    /// The HTTP client's own deadline ends with the answer's head, so a slow body is measured here.
    func send(_ message: WebhookMessage) async -> WebhookReply {
        do {
            return try await withThrowingTaskGroup(of: WebhookReply.self) { group in
                group.addTask { try await self.exchange(message) }
                group.addTask { [timeout] in
                    try await Task.sleep(for: timeout)
                    return .failed("no answer in time")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .failed("no answer")
            }
        } catch {
            return .failed(Self.reason(error))
        }
    }

    private func exchange(_ message: WebhookMessage) async throws -> WebhookReply {
        var request = HTTPClientRequest(url: message.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "offerd/\(ProgramVersion.number)")
        request.headers.add(name: "webhook-id", value: message.id)
        request.headers.add(name: "webhook-timestamp", value: message.timestamp)
        request.headers.add(name: "webhook-signature", value: message.signature)
        request.body = .bytes(message.body)
        let response = try await client.execute(request, deadline: .distantFuture)
        let reply = WebhookReply.status(
            Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"))
        // Read to its end only so that the connection can be used again.
        _ = try? await response.body.collect(upTo: Self.longestBody)
        return reply
    }

    /// Without the URL, which may hold a token.
    private static func reason(_ error: any Error) -> String {
        switch TransportFailure(error) {
        case .unreachable(let reason), .unreadable(let reason): reason
        case .timedOut: "no answer in time"
        case .brokenOff: "the connection was closed before the answer was complete"
        case .tooLarge: "the answer is too long"
        case .cancelled: "offerd is stopping"
        }
    }
}
