import AppStoreServer
import OfferApplication
import OfferCatalog
import OfferModel
import OfferSigning

extension ServerSetup {
    /// Runs a body with every app, each with its clients of Apple's servers, whose connections end with it.
    ///
    /// - Parameter percent: how much of Apple's limits this process takes, because another may ask at the same time.
    /// - Throws: as ``registry(clients:)`` does, ``CommandFailure`` for a server that cannot be asked, and what the body
    ///   throws.
    func withRegistry<Result>(
        sharing percent: Int = 100, _ body: (AppRegistry) async throws -> Result
    ) async throws -> Result {
        let transport = HTTPTransport()
        do {
            let registry = try self.registry { app, keys in
                try clients(of: app, keys, transport, sharing: percent)
            }
            let result = try await body(registry)
            await transport.shutdown()
            return result
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// A transaction that Apple does not know in one environment is looked for in the app's other one, so that whoever
    /// asked is told; it is never stored (decision 0027).
    private func clients(
        of app: AppConfiguration, _ keys: SigningKeys, _ transport: HTTPTransport, sharing percent: Int
    ) throws -> [AppStoreEnvironment: AppStoreServerClient] {
        var endpoints: [AppStoreEnvironment: AppStoreServerClient.Server] = [:]
        for environment in app.environments {
            guard let host = try host(of: environment) else { continue }
            let limits = AppleRateLimits.apple(environment).share(percent: percent)
            endpoints[environment] = AppStoreServerClient.Server(host: host, limiter: RateLimiter(limits))
        }
        let others: [AppStoreEnvironment: AppStoreEnvironment] = [.production: .sandbox, .sandbox: .production]
        return endpoints.reduce(into: [:]) { clients, endpoint in
            guard let key = keys[endpoint.key] else { return }
            let access = AppStoreServerAccess(
                issuerId: app.issuerId.description, bundleId: app.bundleId, key: key)
            let other = others[endpoint.key].flatMap { endpoints[$0] }
            clients[endpoint.key] = AppStoreServerClient(
                access: access, home: endpoint.value, other: other, transport: transport)
        }
    }

    private func host(of environment: AppStoreEnvironment) throws -> AppStoreServerHost? {
        guard let address = appStoreServers[environment] else { return .apple(environment) }
        guard let host = AppStoreServerHost(environment: environment, address: address) else {
            throw CommandFailure.configuration(
                "`appStoreServer` of \(environment.rawValue) is `\(address)`, which cannot be asked safely",
                hints: [
                    "write `https://HOST[:PORT]`, or `http://` with `127.0.0.1`, `[::1]` or `localhost`, without a path"
                ])
        }
        return host
    }
}
