import AppStoreServer
import CommandLineSupport
import Foundation
import Logging
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import Testing

@testable import OfferdCommands

@Suite("A reload that fails")
struct FailedReloadTests {
    /// A database beside whose commits something happens.
    private struct InterruptedDatabase: StoreDatabase {
        let real: SQLiteDatabase
        let beforeWrite: @Sendable () throws -> Void

        func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
            try await real.read(body)
        }

        func write<T: Sendable>(
            expecting expectation: WriteExpectation.Maker?,
            _ body: @escaping @Sendable (any StoreTransaction) throws -> T
        ) async throws -> T {
            try beforeWrite()
            return try await real.write(expecting: expectation, body)
        }
    }

    /// A server as far as a reload knows it, whose certificate breaks with the next commit.
    private static func reload(
        _ installation: Installation, _ transport: HTTPTransport, _ database: SQLiteDatabase
    ) throws -> (reload: Reload, registry: AppRegistry) {
        let directory = installation.directory
        let setup = try ServerSetup.read(config: directory.path("offerd.yaml"), environment: [:])
        let registry = AppRegistry(try setup.apps(asking: transport))
        let interrupted = InterruptedDatabase(real: database) {
            try directory.write("no certificate", to: "one.pem")
        }
        let useCases = UseCases(
            registry: registry, database: interrupted, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            clock: { .wallClock })
        let reload = Reload(
            read: { try ServerSetup.read(config: directory.path("offerd.yaml"), environment: [:]) },
            transport: transport, registry: registry, rates: RequestRates(setup.configuration.rateLimits),
            webhooks: WebhookRegistry(), customerTokens: CustomerTokens(),
            certificate: try setup.configuration.tls.map(TLSCertificate.init), audit: useCases.audit, auditKeys: nil,
            started: setup,
            logger: Logger(label: "offerd") { _ in SwiftLogNoOpLogHandler() })
        return (reload, registry)
    }

    @Test("the audit has the keys of a configuration if and only if it is applied, whenever the certificate breaks")
    func audit() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        try TestCertificate.make("one", in: directory)
        let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
        try directory.write(yaml + "tls: { certificate: one.pem, key: one.key }\n", to: "offerd.yaml")
        let database = try SQLiteDatabase(path: directory.path("offers.sqlite"))
        try await ServerSetup.withTransport { transport in
            let (reload, registry) = try Self.reload(installation, transport, database)
            let whole = try Data(contentsOf: URL(filePath: directory.path("one.pem")))
            for (number, isBroken) in [true, false, true].enumerated() {
                let key = "LOCALTEST\(number + 2)"
                let made = try await Installation.offerd.run(
                    ["keys", "generate", "--out", "\(key).p8", "--key-id", key], directory: directory.url)
                try #require(made.status == 0)
                let keys = try String(contentsOfFile: directory.path("keys.yaml"), encoding: .utf8)
                try directory.write(
                    keys.replacing(/keyId: \w+, privateKey: \w+\.p8/, with: "keyId: \(key), privateKey: \(key).p8"),
                    to: "keys.yaml")
                try (isBroken ? Data("no certificate".utf8) : whole).write(
                    to: URL(filePath: directory.path("one.pem")))
                let outcome = await reload.apply()
                let noted = try await database.read { transaction in
                    try transaction.rows(
                        Statement("SELECT after_change FROM audit_event WHERE kind = 'keys' ORDER BY sequence DESC")
                    )
                    .first?.value(0, as: String.self)
                }
                let signs = registry.all.first?.signingKeys[.localTesting]?.keyId == KeyId(key)
                if case .applied = outcome { #expect(!isBroken && signs) } else { #expect(isBroken && !signs) }
                #expect((noted?.contains(key) ?? false) == signs, "\(key): \(noted ?? "nothing")")
            }
        }
        try database.close()
    }
}
