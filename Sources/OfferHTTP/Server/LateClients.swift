import Logging
import NIOCore

/// Ends connections whose clients are late, with an answer where one can be given (invariant 10).
///
/// It stands next to the socket and sees bytes only; what they mean it learns from ``ConnectionProgress``.
final class LateClients: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let progress: ConnectionProgress
    private let patience: HTTPPatience
    private let logger: Logger
    private var context: ChannelHandlerContext?
    private var looks: RepeatedTask?

    init(_ progress: ConnectionProgress, patience: HTTPPatience, logger: Logger) {
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
        if progress.received() { context.fireChannelRead(data) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        progress.takesAnswers(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    private func look() {
        guard let context else { return }
        switch progress.verdict() {
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
