import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Asks one `offerd`, with one API key. Every way of not getting an answer becomes a `CommandFailure` of its own.
struct OfferdClient: Sendable {
    /// Answers larger than this are not read to their end.
    static let largestAnswer = 64 * 1_024 * 1_024

    /// The server.
    let address: ServerAddress
    /// The API key's token; sent, never shown.
    let token: String
    /// How long a whole exchange may take.
    let timeoutSeconds: Int

    /// What the server said.
    struct Answer: Sendable {
        var status: Int
        var mediaType: String
        var etag: String?
        var location: String?
        var retryAfter: String?
        var body: [UInt8]
    }

    /// Sends one request and reads the whole answer, whatever its status.
    ///
    /// - Throws: `CommandFailure` with status 3 if there is no answer.
    func send(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws(CommandFailure) -> Answer {
        var request = HTTPClientRequest(url: address.url(path, query: query))
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "User-Agent", value: "offerctl/\(Offerctl.version)")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        return try await exchange(request)
    }

    private func exchange(_ request: HTTPClientRequest) async throws(CommandFailure) -> Answer {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Answer, any Error>
        do {
            let response = try await client.execute(request, timeout: .seconds(Int64(timeoutSeconds)))
            let body = try await response.body.collect(upTo: Self.largestAnswer)
            result = .success(
                Answer(
                    status: Int(response.status.code), mediaType: Self.mediaType(response.headers),
                    etag: response.headers.first(name: "ETag"), location: response.headers.first(name: "Location"),
                    retryAfter: response.headers.first(name: "Retry-After"), body: Array(body.readableBytesView)))
        } catch {
            result = .failure(error)
        }
        // The exchange is over either way; what closing the connection says adds nothing to it.
        try? await client.shutdown()
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            throw ConnectionFailure(error, isEncrypted: address.isEncrypted)
                .commandFailure(address: address, timeoutSeconds: timeoutSeconds)
        }
    }

    /// Redirects are not followed: they would take the API key to an address nobody chose.
    private var configuration: HTTPClient.Configuration {
        var pool = HTTPClient.Configuration.ConnectionPool()
        pool.retryConnectionEstablishment = false
        return HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(Int64(min(timeoutSeconds, 10))), read: .seconds(Int64(timeoutSeconds))),
            connectionPool: pool)
    }

    private static func mediaType(_ headers: HTTPHeaders) -> String {
        let value = headers.first(name: "Content-Type") ?? ""
        return value.prefix { $0 != ";" && $0 != " " }.lowercased()
    }
}
