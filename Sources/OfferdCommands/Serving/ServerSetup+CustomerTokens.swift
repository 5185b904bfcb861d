import AppStoreServer
import CommandLineSupport
import Foundation
import Logging
import OfferApplication
import OfferDocuments
import OfferModel
import OpenSSLCrypto

extension ServerSetup {
    func customerTokenProviders() throws -> [CustomerTokens.Provider] {
        try configuration.customerTokens.map { entry in
            if let app = entry.app, !keys.apps.contains(where: { $0.bundleId == app }) {
                throw CommandFailure(
                    .usage, "`customerTokens` is for the app `\(app)`, which keys.yaml does not have",
                    hints: ["check `app` under `customerTokens`, or leave it out for all apps"])
            }
            let keys: CustomerTokens.Provider.KeySource =
                switch entry.keys {
                case .url(let url): .url(url)
                case .file(let path): .known(try keySet(path))
                }
            return CustomerTokens.Provider(issuer: entry.issuer, audience: entry.audience, keys: keys, app: entry.app)
        }
    }

    private func keySet(_ path: String) throws -> CustomerTokens.Keys {
        let bytes = try InputFile.bytes(path, "key set", most: JSONWebKeySet.longest)
        do throws(InvalidKeySet) {
            return try JSONWebKeySet.keys(bytes)
        } catch {
            throw CommandFailure(
                .usage, "key set `\(path)` cannot be used: \(error.detail)",
                hints: ["save what the login provider serves as its `jwks_uri`"])
        }
    }
}

extension CustomerTokens {
    private static let timeoutMilliseconds: Int64 = 10_000

    /// Fetches a provider's keys over HTTP. Redirects are not followed.
    static func fetch(by transport: HTTPTransport, logger: Logger) -> Fetch {
        { url in
            do {
                let reply = try await transport.reply(
                    to: AppStoreServerRequest(method: .get, url: url), withinMilliseconds: timeoutMilliseconds,
                    atMostBytes: JSONWebKeySet.longest)
                guard reply.status == 200 else { throw FailedFetch(reason: "it answered with \(reply.status)") }
                return try JSONWebKeySet.keys(reply.body)
            } catch {
                let reason =
                    switch error {
                    case let error as FailedFetch: error.reason
                    case let error as InvalidKeySet: error.detail
                    case TransportFailure.unreachable(let reason), TransportFailure.unreadable(let reason): reason
                    case TransportFailure.timedOut: "no answer in time"
                    case TransportFailure.tooLarge: "the answer is too long"
                    default: "the connection was closed"
                    }
                logger.warning(
                    "the keys of a login provider could not be fetched; those that are known stay in use",
                    metadata: ["host": "\(URLComponents(string: url)?.host ?? "")", "reason": "\(reason)"])
                throw error
            }
        }
    }

    private struct FailedFetch: Error {
        let reason: String
    }
}
