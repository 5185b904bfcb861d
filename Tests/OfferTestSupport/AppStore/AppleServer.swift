import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A real HTTP server on a free port that plays Apple's and remembers what it was asked.
public final class AppleServer: Sendable {
    /// What was asked.
    public struct Request: Sendable {
        /// `GET` or `POST`.
        public var method: String
        /// Path and query.
        public var uri: String
        /// By lower-case name; of a repeated header the first.
        public var headers: [String: String]
        /// The whole body.
        public var body: String

        /// The JWT that came as a bearer token.
        public var token: String { String(headers["authorization"]?.split(separator: " ").last ?? "") }
    }

    /// What the server does with one request.
    public enum Reply: Sendable {
        case answer(Int, String, [String: String] = [:])
        /// Closes the connection without an answer.
        case drop
        /// Closes it in the middle of the body.
        case breakOff
        /// Never answers.
        case silence
        /// Sends the head and the first byte of the body, and then nothing.
        case stall

        /// An error as Apple writes it.
        public static func error(_ code: Int64, _ message: String = "message", _ headers: [String: String] = [:])
            -> Reply
        {
            .answer(Int(code / 10_000), #"{"errorCode":\#(code),"errorMessage":"\#(message)"}"#, headers)
        }
    }

    private let requests: Mutex<[Request]>

    /// `http://127.0.0.1:PORT`; nobody answers there after the run.
    public let address: String

    /// What was asked so far.
    public var seen: [Request] { requests.withLock { $0 } }

    private init(channel: any Channel) {
        address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        requests = Mutex([])
    }

    /// Runs the body beside a server that answers the n-th request, from 0, as told.
    public static func run<Result>(
        _ reply: @escaping @Sendable (Request, Int) -> Reply, _ body: (AppleServer) async throws -> Result
    ) async throws -> Result {
        let box = Box()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Exchange(box: box, reply: reply))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = AppleServer(channel: channel)
        box.server.withLock { $0 = server }
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    /// Runs the body beside a server that gives these answers in order, the last one for ever.
    public static func run<Result>(
        answering replies: [Reply], _ body: (AppleServer) async throws -> Result
    ) async throws -> Result {
        try await run({ _, place in replies[min(place, replies.count - 1)] }, body)
    }

    fileprivate func add(_ request: Request) -> Int {
        requests.withLock {
            $0.append(request)
            return $0.count - 1
        }
    }

    fileprivate final class Box: Sendable {
        let server = Mutex<AppleServer?>(nil)
    }
}

private final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let box: AppleServer.Box
    private let reply: @Sendable (AppleServer.Request, Int) -> AppleServer.Reply
    private var request = AppleServer.Request(method: "", uri: "", headers: [:], body: "")

    init(box: AppleServer.Box, reply: @escaping @Sendable (AppleServer.Request, Int) -> AppleServer.Reply) {
        self.box = box
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let headers = head.headers.map { ($0.name.lowercased(), $0.value) }
            request = AppleServer.Request(
                method: head.method.rawValue, uri: head.uri,
                headers: Dictionary(headers) { first, _ in first }, body: "")
        case .body(let buffer):
            request.body += String(buffer: buffer)
        case .end:
            let place = box.server.withLock { $0?.add(request) } ?? 0
            answer(reply(request, place), context)
        }
    }

    private func answer(_ reply: AppleServer.Reply, _ context: ChannelHandlerContext) {
        switch reply {
        case .silence: break
        case .drop: context.close(promise: nil)
        case .breakOff:
            write(200, length: 1_000, "{", [:], context)
            context.flush()
            context.close(promise: nil)
        case .stall:
            write(200, length: 1_000, "{", [:], context)
            context.flush()
        case .answer(let status, let body, let headers):
            write(status, length: body.utf8.count, body, headers, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private func write(
        _ status: Int, length: Int, _ body: String, _ headers: [String: String], _ context: ChannelHandlerContext
    ) {
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "Content-Type", value: "application/json")
        head.headers.add(name: "Content-Length", value: String(length))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
    }
}
