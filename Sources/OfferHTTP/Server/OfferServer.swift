public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import OfferApplication

/// The HTTP server.
public enum OfferServer {
    /// `openapi.yaml`, which `GET /openapi.yaml` answers with: built into the program, so it is there wherever that runs.
    public static let description: [UInt8] = PackageResources.openapi_yaml

    /// The server as a service: it runs until its service group is told to stop, and then lets running requests end.
    ///
    /// - Parameters:
    ///   - useCases: what the requests ask for.
    ///   - settings: where it listens and what it bears.
    ///   - logger: gets one line a request, without secrets or identifiers of customers.
    ///   - onListening: told the port once connections are accepted.
    public static func application(
        useCases: UseCases, settings: HTTPSettings, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void
    ) -> some ApplicationProtocol {
        let limits = settings.limits
        let table = RouteTable(useCases, limits: limits, openAPI: description)
        let channel = HTTP1Channel.Configuration(
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerCount))
        return Application(
            router: table.router(useCases.apiKeys),
            server: HTTPServerBuilder { responder in
                AnsweringChannel(responder: responder, configuration: channel, patience: limits.patience)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil,
                availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
            onServerRunning: { await onListening($0.localAddress?.port ?? settings.port) },
            logger: logger)
    }
}
