import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 connection that answers unreadable requests with a problem document, and waits for no client longer than
/// it must (invariant 10).
struct AnsweringChannel: ServerChildChannel {
    /// A connection and how far its requests are.
    struct Value: ServerChildChannelValue {
        let base: HTTP1Channel.Value
        let progress: ConnectionProgress

        var channel: any Channel { base.channel }
    }

    let responder: HTTPChannelHandler.Responder
    let configuration: HTTP1Channel.Configuration
    let patience: HTTPPatience

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let progress = ConnectionProgress(patience)
        do {
            try channel.pipeline.syncOperations.addHandlers(
                [
                    LateClients(progress, patience: patience, logger: logger) as any ChannelHandler,
                    UnreadableRequestAnswer(logger: logger),
                ], position: .first)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        var configuration = configuration
        configuration.additionalChannelHandlers = { [UnderstoodRequests(progress)] }
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
        await reporting.handle(value: value.base, logger: logger)
    }
}
