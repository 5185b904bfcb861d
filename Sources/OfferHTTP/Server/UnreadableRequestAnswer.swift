import Logging
import NIOCore
import OfferAPI

/// Gives a body to the one answer that the framework writes itself: the empty 400 to a request it cannot parse.
///
/// It stands next to the socket, because such a request reaches no route. Every 400 of ours has a body, so an empty one
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
