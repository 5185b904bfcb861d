import AppStoreData
public import AppStoreServer
public import OfferModel

extension AppRegistry {
    /// What turns signed data of a scope into payloads.
    ///
    /// - Throws: ``RequestError/notReady(detail:hint:)`` as ``app(for:)`` does.
    func reader(for scope: Scope) throws -> SignedDataReader {
        let app = try app(for: scope)
        return SignedDataReader(
            verifier: app.verifier, bundleId: app.bundleId, appAppleId: app.appAppleId,
            environment: scope.environment)
    }

    /// Whom to ask for the purchases of a scope.
    ///
    /// - Throws: ``RequestError/notReady(detail:hint:)`` where nobody can be asked, and as ``app(for:)`` does.
    public func appStoreServer(for scope: Scope) throws -> AppStoreServerClient {
        guard let client = try app(for: scope).appStoreServers[scope.environment] else {
            throw RequestError.notReady(
                detail: "Apple's servers know no purchases of \(scope.environment.rawValue)",
                hint: "name a server that answers in Apple's place as `appStoreServer` in offerd.yaml")
        }
        return client
    }
}
