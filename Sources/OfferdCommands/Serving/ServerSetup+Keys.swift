import AppStoreServer
import CommandLineSupport
import OfferApplication
import OfferDocuments
import OfferModel
import OfferSigning
import OfferStore
import OpenSSLCrypto

struct AuditKeys {
    let signing: OpenSSLSigningKey
    let digestKey: OpenSSLDigestKey
    let witness: WitnessFile?

    /// The key by which `serve` judges what the witness has.
    var keys: CheckpointKeys { CheckpointKeys([signing.publicKey]) }

    var signer: CheckpointSigner { CheckpointSigner(fingerprint: signing.publicKey.fingerprint, key: signing) }
}

extension ServerSetup {
    /// Loads the keys of `audit:`; `nil` if there is none.
    func auditKeys() throws -> AuditKeys? {
        guard let audit = keys.audit else { return nil }
        let signing = try load(
            KeyConfiguration(keyId: "AUDIT", privateKey: audit.privateKey, use: .signing, environments: []))
        let keys = AuditKeys(
            signing: signing, digestKey: try loadDigestKey(audit.digestKey),
            witness: audit.witness.map { WitnessFile(path: absolute($0)) })
        try requireApart(from: signing)
        return keys
    }

    /// Refuses an app's key that also signs the audit.
    func requireApart(from audit: OpenSSLSigningKey) throws {
        for app in keys.apps {
            for entry in app.keys where try load(entry).publicKey.fingerprint == audit.publicKey.fingerprint {
                throw CommandFailure(
                    .usage, "the audit's key is the key `\(entry.keyId)` of app `\(app.bundleId)`",
                    hints: ["make one of its own: `offerd keys generate --out keys/audit.p8 --key-id AUDIT`"])
            }
        }
    }

    /// Every key with its public facts, as the audit records them.
    func shownKeys(audit: AuditKeys?) throws -> [String: String] {
        var shown: [String: String] = [:]
        for app in keys.apps {
            for entry in app.keys {
                let environments = entry.environments.map(\.rawValue).joined(separator: ",")
                shown["\(app.bundleId) \(entry.keyId)"] =
                    "\(entry.use.rawValue) \(environments) \(try load(entry).publicKey.fingerprint)"
            }
        }
        shown["audit"] = audit?.signing.publicKey.fingerprint
        shown[SigningKeyLog.digestMember] = audit?.digestKey.name
        return shown
    }

    private func loadDigestKey(_ source: PrivateKeySource) throws -> OpenSSLDigestKey {
        switch source {
        case .path(let path): try OpenSSLDigestKey(file: absolute(path))
        case .environment(let name):
            try OpenSSLDigestKey(
                hexadecimal: Array(try text(ofVariable: name, for: "the audit's digest key").utf8),
                source: "environment variable `\(name)`")
        case .token:
            throw CommandFailure(
                .usage, "the audit's digest key cannot be in a token", hints: ["name a file, or `env:NAME`"])
        }
    }
}

extension ServerSetup {
    /// Runs a body with a transport, whose connections end with it.
    static func withTransport<Result>(_ body: (HTTPTransport) async throws -> Result) async throws -> Result {
        let transport = HTTPTransport()
        do {
            let result = try await body(transport)
            await transport.shutdown()
            return result
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// A transaction that Apple does not know in one environment is looked up in the app's other one, so that the
    /// caller learns of it; it is never stored (decision 0027).
    func clients(
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
        guard let address = configuration.appStoreServers[environment] else { return .apple(environment) }
        guard let host = AppStoreServerHost(environment: environment, address: address) else {
            throw CommandFailure(
                .usage, "`appStoreServer` of \(environment.rawValue) is `\(address)`, which cannot be asked safely",
                hints: [
                    "write `https://HOST[:PORT]`, or `http://` with `127.0.0.1`, `[::1]` or `localhost`, without a path"
                ])
        }
        return host
    }
}
