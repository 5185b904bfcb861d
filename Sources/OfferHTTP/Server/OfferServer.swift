public import Hummingbird
import HummingbirdCore
public import Logging
public import Metrics
package import NIOCore
public import OfferApplication
public import OfferModel

public enum OfferServer {
    /// `openapi.yaml`, which `GET /openapi.yaml` answers with: built into the program, so it is there wherever that
    /// runs.
    public static let description: [UInt8] = PackageResources.openapi_yaml

    /// The server as a service: it runs until its service group stops, then finishes running requests.
    ///
    /// - Parameters:
    ///   - useCases: what the requests ask for.
    ///   - settings: listen address and resource limits.
    ///   - logger: gets one line a request, without secrets or identifiers of customers.
    ///   - metrics: where requests are counted.
    ///   - inProgress: counts the requests that are being answered.
    ///   - onListening: called once connections are accepted, with the port and whether only this machine can reach it.
    public static func application(
        useCases: UseCases, settings: HTTPSettings, logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory, inProgress: RequestsInProgress = RequestsInProgress(),
        onListening: @escaping @Sendable (_ port: Int, _ isLoopback: Bool) async -> Void
    ) -> some ApplicationProtocol {
        application(
            useCases: useCases, settings: settings, logger: logger, metrics: metrics, inProgress: inProgress,
            further: nil, onListening: onListening)
    }

    /// The same with further routes.
    ///
    /// - Parameters:
    ///   - further: makes them by the API's own, whose roles they go by.
    ///   - alone: whether there is nothing else.
    package static func application(
        useCases: UseCases, settings: HTTPSettings, logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory, inProgress: RequestsInProgress = RequestsInProgress(),
        further: ((RouteTable) -> FurtherRoutes)?, alone: Bool = false,
        onListening: @escaping @Sendable (_ port: Int, _ isLoopback: Bool) async -> Void
    ) -> some ApplicationProtocol {
        var table = RouteTable(useCases, limits: settings.limits, threads: settings.threads)
        if let further { table.add(further(table), alone: alone) }
        return application(
            table.router(
                useCases.apiKeys, customerTokens: useCases.customerTokens, metrics: metrics, inProgress: inProgress,
                trustedProxies: settings.trustedProxies, hasTLS: settings.certificate != nil),
            settings: settings, inProgress: inProgress, logger: logger, onListening: onListening)
    }

    /// A server of `GET /metrics` and nothing else, for an address that clients do not reach.
    ///
    /// - Parameter text: what it answers with, asked for each time.
    public static func metrics(
        settings: HTTPSettings, logger: Logger, text: @escaping @Sendable () async -> String,
        onListening: @escaping @Sendable (_ port: Int, _ isLoopback: Bool) async -> Void
    ) -> some ApplicationProtocol {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.get("/metrics") { _, _ -> Response in
            .bytes(Array(await text().utf8), "text/plain; version=0.0.4; charset=utf-8")
        }
        return application(
            router, settings: settings, inProgress: RequestsInProgress(), logger: logger, onListening: onListening)
    }

    private static func application<Context: RequestContext>(
        _ router: Router<Context>, settings: HTTPSettings, inProgress: RequestsInProgress, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int, _ isLoopback: Bool) async -> Void
    ) -> some ApplicationProtocol where Context.Source == ApplicationRequestContextSource {
        let limits = settings.limits
        let channel = HTTP1Channel.Configuration(
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerCount))
        return Application(
            router: router,
            server: HTTPServerBuilder { responder in
                AnsweringChannel(
                    responder: responder, configuration: channel, patience: limits.patience,
                    certificate: settings.certificate, requests: inProgress)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil,
                availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
            onServerRunning: { channel in
                let address = channel.localAddress
                await onListening(address?.port ?? settings.port, address?.isLoopback ?? false)
            },
            logger: logger)
    }
}

extension SocketAddress {
    /// Whether only programs on this machine can reach it.
    package var isLoopback: Bool {
        guard let ipAddress else { return true }
        return ipAddress == "::1" || ipAddress.hasPrefix("127.") || ipAddress.hasPrefix("::ffff:127.")
    }
}

public struct HTTPSettings: Sendable {
    public var host: String
    /// The port; 0 takes a free one.
    public var port: Int
    public var limits: HTTPLimits
    /// Without one the server speaks plain HTTP.
    public var certificate: TLSCertificate?
    public var trustedProxies: [IPNetwork]
    package var threads = RequestThreads()

    public init(
        host: String, port: Int, limits: HTTPLimits = HTTPLimits(), certificate: TLSCertificate? = nil,
        trustedProxies: [IPNetwork] = []
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.certificate = certificate
        self.trustedProxies = trustedProxies
    }
}

public struct HTTPLimits: Sendable, Hashable {
    /// Open connections; more wait in the system's queue until one is closed. Each needs a file descriptor.
    public var connections = 1_024
    public var patience = HTTPTimeouts()
    /// Bytes of all header lines, and of one.
    public var headerBytes = 16 * 1_024
    public var headerCount = 100
    /// Bytes of a body that carries signed data: 2 MiB (docs/bounds.md#requests).
    public var signedDataBytes = 2 * 1_024 * 1_024
    public var catalogBytes = 2 * 1_024 * 1_024
    /// Bytes of a notification: 256 KiB (docs/bounds.md#requests).
    public var notificationBytes = 256 * 1_024
    /// Notifications processed at once; beyond it, 503 `busy`.
    public var notifications = 256
    /// The time from one notification to the next, of those that exceed the budgets of their addresses.
    public var exceedingInterval = Duration.milliseconds(20)
    /// Bytes of every other body.
    public var bodyBytes = 256 * 1_024

    /// The bytes of a body that carries signed data, by the sender's role: everyone can have an `app` key.
    func signedData(for role: Role) -> Int { role == .app ? bodyBytes : signedDataBytes }

    /// The most JSON values in a body of at most this many bytes: 2,048 in 256 KiB, 16,384 in 2 MiB.
    ///
    /// To decode a value takes as long as to check hundreds of bytes, so bytes alone bound nothing. The largest
    /// request that other limits allow, of 200 transactions and 200 issued offers, has 12,000.
    static func values(inBody bytes: Int) -> Int { bytes / 128 }

    /// The limits that docs/bounds.md#requests lists.
    public init() {}
}
