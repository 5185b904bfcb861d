import Logging
import Metrics
import OfferApplication
import OfferConsole
import OfferDocuments
import OfferHTTP
import ServiceLifecycle

/// Serves the console at an address of its own, with the certificate and the proxies of the API's server.
struct ConsoleService: Service {
    /// People, not backends: more connections are a mistake, and must not take the server's files.
    private static let connections = 128

    let address: ListenAddress
    let useCases: UseCases
    let settings: HTTPSettings
    let metrics: any MetricsFactory
    let inProgress: RequestsInProgress
    let pages: @Sendable (RouteTable) -> FurtherRoutes
    let logger: Logger
    let announce: @Sendable (String) -> Void

    func run() async throws {
        var settings = settings
        (settings.host, settings.port) = (address.host, address.port)
        settings.limits.connections = Self.connections
        let scheme = settings.certificate == nil ? "http" : "https"
        let server = OfferServer.application(
            useCases: useCases, settings: settings, logger: logger, metrics: metrics, inProgress: inProgress,
            further: pages, alone: true
        ) { [address, logger, announce] port, isLoopback in
            let bound = ListenAddress(host: address.host, port: port)
            announce("console on \(scheme)://\(bound)\(ConsoleSite.root)")
            if scheme == "http", !isLoopback {
                logger.warning(
                    "API keys of staff travel unencrypted, because other machines can reach the console at `\(bound)` and it has no TLS: set `tls`, or listen on 127.0.0.1 behind a proxy with TLS"
                )
            }
        }
        do {
            try await server.run()
        } catch {
            throw ListenFailure.translate(
                error, address: address, of: "console", place: "`console` in the configuration")
        }
    }
}
