import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OfferAPI
import OfferModel
import Synchronization

/// An HTTP/1.1 connection that answers unreadable requests with a problem document and enforces the client's deadlines
/// (invariant 10).
struct AnsweringChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let base: HTTP1Channel.Value
        let progress: ConnectionProgress

        var channel: any Channel { base.channel }
    }

    let responder: HTTPChannelHandler.Responder
    let configuration: HTTP1Channel.Configuration
    let patience: HTTPTimeouts
    /// For TLS; `nil` for plain HTTP.
    let certificate: TLSCertificate?
    let requests: RequestsInProgress

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let progress = ConnectionProgress(patience)
        do {
            if let certificate { try channel.pipeline.syncOperations.addHandler(certificate.handler()) }
            try channel.pipeline.syncOperations.addHandlers(
                [
                    DeadlineEnforcer(progress, patience: patience, logger: logger) as any ChannelHandler,
                    UnreadableRequestAnswer(logger: logger),
                ])
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        var configuration = configuration
        configuration.additionalChannelHandlers = { [ParsedRequestObserver(progress)] }
        return HTTP1Channel(responder: responder, configuration: configuration)
            .setup(channel: channel, logger: logger).map { Value(base: $0, progress: progress) }
    }

    func handle(value: Value, logger: Logger) async {
        let responder = responder
        let reporting = HTTP1Channel(
            responder: { request, writer, channel in
                try await value.progress.respond(to: request, writer, channel, by: responder)
            },
            configuration: configuration)
        await withTaskExecutorPreference(ConnectionExecutor(value.channel.eventLoop, requests)) {
            await reporting.handle(value: value.base, logger: logger)
        }
    }
}

/// One connection's ``ConnectionDeadlines``, shared by the event loop and the task that answers.
final class ConnectionProgress: Sendable {
    private let deadlines: Mutex<ConnectionDeadlines>

    init(_ patience: HTTPTimeouts) {
        deadlines = Mutex(ConnectionDeadlines(patience, at: .now))
    }

    /// Notes what has happened on the connection, or asks what is to be done.
    func note<Answer: Sendable>(_ event: (inout ConnectionDeadlines) -> Answer) -> Answer {
        deadlines.withLock { event(&$0) }
    }

    /// Answers one request through a responder, tracking its progress, and sends `100 Continue` if the client waits for
    /// it.
    @concurrent func respond(
        to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel,
        by responder: HTTPChannelHandler.Responder
    ) async throws {
        var request = request
        note { $0.began(withBody: request.announcesBody, at: .now) }
        if request.announcesBody {
            if request.expectsContinue, !request.withholdsBody {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            request.body = RequestBody(asyncSequence: ReportedBody(base: request.body, progress: self))
        }
        try await responder(request, writer, channel)
        note { $0.answered(at: .now) }
    }
}

/// A body that reports when it was read to its end.
private struct ReportedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let progress: ConnectionProgress

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), progress: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let progress: ConnectionProgress

        @concurrent mutating func next() async throws -> ByteBuffer? {
            let buffer = try await base.next()
            if buffer == nil { progress.note { $0.readBody() } }
            return buffer
        }
    }
}

/// Closes connections of late clients, with an answer where one is possible (invariant 10).
///
/// It sits next to the socket and sees only bytes; ``ConnectionProgress`` knows what they mean.
final class DeadlineEnforcer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let progress: ConnectionProgress
    private let patience: HTTPTimeouts
    private let logger: Logger
    private var context: ChannelHandlerContext?
    private var looks: RepeatedTask?

    init(_ progress: ConnectionProgress, patience: HTTPTimeouts, logger: Logger) {
        self.progress = progress
        self.patience = patience
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        let interval = TimeAmount(patience.interval)
        looks = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in own.value.look()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        looks?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isRead = progress.note { deadlines in
            deadlines.received(at: .now)
            return !deadlines.isLeaving
        }
        if isRead { context.fireChannelRead(data) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        progress.note { $0.takesAnswers(context.channel.isWritable, at: .now) }
        context.fireChannelWritabilityChanged()
    }

    private func look() {
        guard let context else { return }
        switch progress.note({ $0.verdict(at: .now) }) {
        case .wait:
            return
        case .close:
            context.close(promise: nil)
        case .refuse:
            // Only the sending half is closed: closing with bytes unread would take the answer from the client.
            if let answer = UnroutedAnswer.badRequest(.late("headers", after: patience.headers), logger: logger) {
                context.writeAndFlush(wrapOutboundOut(.byteBuffer(answer)), promise: nil)
            }
            context.close(mode: .output, promise: nil)
        case .giveUpBody:
            context.fireErrorCaught(LateBody(patience: patience.body))
        }
    }
}

/// The rest of a request's body did not arrive in time; thrown to the reader of the body.
struct LateBody: Error {
    var patience: Duration
}

extension Problem {
    /// A part of the request did not arrive in time. The connection closes after the answer.
    ///
    /// - Parameter part: what is missing, such as `headers`.
    static func late(_ part: String, after patience: Duration) -> Problem {
        Problem(
            .invalidRequest, "the \(part) did not arrive within \(patience.inWords)",
            hint: "send the whole request without a pause, on a new connection"
        ).with(.connection, "close")
    }
}

extension Duration {
    /// Whole seconds, or milliseconds where there are some.
    fileprivate var inWords: String {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}

/// Tells ``ConnectionProgress`` that bytes have become parts of a request; it sits behind the HTTP decoder and does not
/// look at the parts.
final class ParsedRequestObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let progress: ConnectionProgress

    init(_ progress: ConnectionProgress) {
        self.progress = progress
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        progress.note { $0.readHeaders() }
        context.fireChannelRead(data)
    }
}

/// Gives a body to the one answer that the framework writes itself: the empty 400 to a request it cannot parse.
///
/// It sits next to the socket, because such a request reaches no route. Every 400 of ours has a body, so an empty one
/// is the framework's.
final class UnreadableRequestAnswer: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let buffer) = unwrapOutboundIn(data), Self.isEmptyBadRequest(buffer),
            let answer = answer()
        else { return context.write(data, promise: promise) }
        context.write(wrapOutboundOut(.byteBuffer(answer)), promise: promise)
    }

    private static func isEmptyBadRequest(_ buffer: ByteBuffer) -> Bool {
        // All that is sent comes by here; the status alone, ` 400`, tells nearly all of it apart.
        guard buffer.readableBytes < 1_024,
            buffer.getInteger(at: buffer.readerIndex + 8, as: UInt32.self) == 0x2034_3030,
            buffer.readableBytesView.starts(with: "HTTP/1.1 400 ".utf8)
        else {
            return false
        }
        return String(buffer: buffer).lowercased().contains("\r\ncontent-length: 0\r\n")
    }

    private func answer() -> ByteBuffer? {
        let problem = Problem(
            .invalidRequest, "the request is not HTTP/1.1, its method does not exist, or its headers are too large",
            hint: "check the method, the rest of the request line, the headers and `Content-Length`")
        return UnroutedAnswer.badRequest(problem, logger: logger)
    }
}

/// The answer to bytes that never became a request: a problem document with an id and a line in the log, like every
/// other.
enum UnroutedAnswer {
    /// An `invalid-request` as it goes to the socket; the connection ends with it.
    static func badRequest(_ problem: Problem, logger: Logger) -> ByteBuffer? {
        let requestId = LowercaseUUID.random()
        let status = HTTPResponse.Status.badRequest
        logger.info(
            "answered",
            metadata: [
                "request.id": "\(requestId)", "http.route": "none", "http.status": .stringConvertible(status.code),
                "problem": "\(ProblemCode.invalidRequest.rawValue)",
            ])
        guard let body = try? WireJSON.encode(problem.body(instance: "/", requestId: requestId)) else { return nil }
        let head = """
            HTTP/1.1 \(status)\r
            connection: close\r
            content-type: \(ProblemBody.mediaType)\r
            content-length: \(body.count)\r
            x-request-id: \(requestId)\r
            \r\n
            """
        return ByteBuffer(bytes: Array(head.utf8) + body)
    }
}
