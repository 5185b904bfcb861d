import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto

/// The first API keys of an app in its environments, each with its token in a file. The process is in the folder.
struct FirstAPIKeys {
    /// With what each is for.
    private static let roles: [(role: Role, meaning: String)] = [
        (.client, "the token of your backend"), (.app, "the token of an app without a backend"),
        (.marketing, "the token for `offerctl`"),
    ]

    let installation: NewInstallation
    let environments: [AppStoreEnvironment]

    /// Makes each key where the app has none of that role in that environment but revoked ones, so that it makes none
    /// again.
    ///
    /// - Parameter isNew: whether the installation is; a database that is there already is left at its version.
    /// - Returns: the files that were written, with their meaning.
    func make(_ setup: ServerSetup, isNew: Bool) async throws -> [(name: String, meaning: String)] {
        let isMissing = setup.database.path.map { !FileManager.default.fileExists(atPath: $0) } ?? isNew
        if isMissing { _ = try setup.database.migrate() }
        let database = try setup.database.open()
        defer { try? database.close() }
        let keys = APIKeys(
            database: try setup.ledger(database), digest: OpenSSLDigest(), random: OpenSSLRandom(),
            author: AuditAuthor(actor: "offerd init"), clock: { .wallClock })
        let present = try await keys.list()
        var written: [(name: String, meaning: String)] = []
        for environment in environments {
            let scope = Scope(bundleId: BundleId(installation.app), environment: environment)
            for (role, meaning) in Self.roles
            where !present.contains(where: { $0.scope == scope && $0.role == role && $0.state != .revoked }) {
                let name = installation.token(role, in: environment)
                guard !FileManager.default.fileExists(atPath: name) else {
                    throw CommandFailure(
                        .failed, "`\(name)` is in the way of the token of a new `\(role.rawValue)` key",
                        hints: ["move it, then run the command again"])
                }
                let token = try await keys.create(scope: scope, role: role, label: "offerd init")
                do {
                    try AtomicFile.create(token.text + "\n", at: name)
                } catch {
                    // Its token is nowhere.
                    _ = try? await keys.revoke(token.id)
                    throw error
                }
                written.append((name: name, meaning: meaning))
            }
        }
        return written
    }
}

/// The first catalog of an app: the example's offers with the app's bundle ID.
enum FirstCatalog {
    /// The bundle ID of Examples/catalog.yaml.
    static let example = "com.example.pro"

    private static let heading = """
        # A first catalog: four offers to start from. In LocalTesting it works as it is. Before you apply it elsewhere, put your
        # products, prices and offers in, as App Store Connect has them, and check the file with `offerctl catalog validate`.
        # docs/catalog.md explains every key.

        """

    static func text(for app: String) -> String {
        let lines = String(decoding: PackageResources.catalog_yaml, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return heading + lines.drop { $0.hasPrefix("#") }.joined(separator: "\n").replacing(example, with: app)
    }
}
