import NIOCore

/// Tells ``ConnectionProgress`` that bytes have become parts of a request; it stands behind what reads HTTP and does not
/// look at the parts.
final class UnderstoodRequests: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let progress: ConnectionProgress

    init(_ progress: ConnectionProgress) {
        self.progress = progress
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        progress.understood()
        context.fireChannelRead(data)
    }
}
