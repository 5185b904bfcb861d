import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A real HTTP server on a free port that answers as told and remembers what it was asked.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        var method: String
        var uri: String
        var headers: [String: String]
        var body: String
    }

    struct Reply: Sendable {
        var status: Int
        var headers: [(String, String)]
        var body: String
        /// Sends nothing at all, so that the client waits.
        var isSilent = false

        static let silence = Reply(status: 200, headers: [], body: "", isSilent: true)

        static func json(_ status: Int, _ body: String, _ headers: [(String, String)] = []) -> Reply {
            Reply(status: status, headers: [("Content-Type", "application/json")] + headers, body: body)
        }

        static func problem(
            _ status: Int, _ code: String, _ detail: String, _ more: String = "", headers: [(String, String)] = []
        ) -> Reply {
            let body = """
                {"type":"urn:offerd:problem:\(code)","title":"t","status":\(status),"code":"\(code)",\
                "detail":"\(detail)","instance":"/v1","requestId":"req-1"\(more)}
                """
            return Reply(
                status: status, headers: [("Content-Type", "application/problem+json")] + headers, body: body)
        }
    }

    private let channel: any Channel
    private let requests: Record

    /// `http://127.0.0.1:PORT`.
    var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// What was asked so far.
    var seen: [Request] { requests.all }

    private init(channel: any Channel, requests: Record) {
        self.channel = channel
        self.requests = requests
    }

    /// Runs the body beside a server that answers `METHOD /path` (without the query) as told, anything else with 404.
    static func run<Result>(
        _ replies: [String: Reply], _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        try await run(sequences: replies.mapValues { [$0] }, body)
    }

    /// The same with several replies, given one after the other, the last for ever. `METHOD /path?query` goes before
    /// the path alone.
    static func run<Result>(
        sequences replies: [String: [Reply]], _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        let requests = Record()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Exchange(replies: replies, requests: requests))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(ScriptedServer(channel: channel, requests: requests))
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    final class Record: Sendable {
        private let stored = Mutex<[Request]>([])
        var all: [Request] { stored.withLock { $0 } }
        func add(_ request: Request) { stored.withLock { $0.append(request) } }
    }
}

private final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let replies: [String: [ScriptedServer.Reply]]
    private let requests: ScriptedServer.Record
    private var request = ScriptedServer.Request(method: "", uri: "", headers: [:], body: "")

    init(replies: [String: [ScriptedServer.Reply]], requests: ScriptedServer.Record) {
        self.replies = replies
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let headers = head.headers.map { ($0.name.lowercased(), $0.value) }
            request = ScriptedServer.Request(
                method: head.method.rawValue, uri: head.uri,
                headers: Dictionary(headers) { first, _ in first }, body: "")
        case .body(let buffer):
            request.body += String(buffer: buffer)
        case .end:
            requests.add(request)
            answer(context)
        }
    }

    private func key(_ request: ScriptedServer.Request) -> String {
        let path = request.uri.split(separator: "?").first.map(String.init) ?? request.uri
        let exact = "\(request.method) \(request.uri)"
        return replies[exact] == nil ? "\(request.method) \(path)" : exact
    }

    private func answer(_ context: ChannelHandlerContext) {
        let key = key(request)
        let place = requests.all.count { self.key($0) == key } - 1
        let answers = replies[key] ?? []
        let reply =
            (place < answers.count ? answers[place] : answers.last)
            ?? ScriptedServer.Reply(status: 404, headers: [("Content-Type", "text/plain")], body: "not scripted")
        guard !reply.isSilent else { return }
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status))
        for (name, value) in reply.headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "Content-Length", value: String(reply.body.utf8.count))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
