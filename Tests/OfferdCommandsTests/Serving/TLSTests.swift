import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OfferTestSupport
import Testing

/// A certificate of 127.0.0.1 that signs for itself, made by the `openssl` tool.
struct TestCertificate {
    static func make(_ name: String, in directory: TemporaryDirectory) throws {
        let made = try Command.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                directory.path("\(name).key"), "-out", directory.path("\(name).pem"),
            ])
        try #require(made.status == 0, "\(made.errorText)")
    }

    /// A client that believes these certificates alone.
    static func client(
        believing names: [String], in directory: TemporaryDirectory, showing own: String? = nil,
        upTo version: TLSVersion? = nil
    ) throws -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(
            try names.flatMap { try NIOSSLCertificate.fromPEMFile(directory.path("\($0).pem")) })
        tls.maximumTLSVersion = version
        if let own {
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(directory.path("\(own).pem"))
                .map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: directory.path("\(own).key"), format: .pem))
        }
        return HTTPClient(configuration: HTTPClient.Configuration(tlsConfiguration: tls))
    }
}

extension HTTPClient {
    fileprivate func status(_ url: String) async throws -> UInt {
        let answer = try await execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        _ = try await answer.body.collect(upTo: 65_536)
        return answer.status.code
    }
}

@Suite("TLS")
struct TLSTests {
    /// An installation whose configuration has `tls`.
    private func installation(_ extra: String = "") async throws -> Installation {
        let installation = try await Installation()
        try TestCertificate.make("one", in: installation.directory)
        let configuration = try String(contentsOfFile: installation.directory.path("offerd.yaml"), encoding: .utf8)
        try installation.directory.write(
            configuration + "tls: { certificate: one.pem, key: one.key\(extra) }\n", to: "offerd.yaml")
        return installation
    }

    @Test("a server with a certificate answers over TLS 1.2 and 1.3, and nothing else")
    func versions() async throws {
        let installation = try await installation()
        let server = try await RunningServer.start(installation)
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        for version in [TLSVersion.tlsv12, .tlsv13] {
            let client = try TestCertificate.client(
                believing: ["one"], in: installation.directory, upTo: version)
            #expect(try await client.status(server.url + "/healthz") == 200)
            try await client.shutdown()
        }
        let old = try TestCertificate.client(believing: ["one"], in: installation.directory, upTo: .tlsv11)
        await #expect(throws: (any Error).self) { try await old.status(server.url + "/healthz") }
        try await old.shutdown()
        let plain = HTTPClient(configuration: HTTPClient.Configuration())
        await #expect(throws: (any Error).self) {
            try await plain.status(server.url.replacing("https:", with: "http:") + "/healthz")
        }
        try await plain.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test("a client is verified by what it believes, and the server by what it is told to ask for")
    func clientCertificates() async throws {
        let installation = try await installation(", clientCertificates: caller.pem")
        try TestCertificate.make("caller", in: installation.directory)
        try TestCertificate.make("stranger", in: installation.directory)
        let server = try await RunningServer.start(installation)
        let known = try TestCertificate.client(
            believing: ["one"], in: installation.directory, showing: "caller")
        #expect(try await known.status(server.url + "/healthz") == 200)
        try await known.shutdown()
        for shown in [nil, "stranger"] {
            let refused = try TestCertificate.client(
                believing: ["one"], in: installation.directory, showing: shown)
            await #expect(throws: (any Error).self, "\(shown ?? "no certificate")") {
                try await refused.status(server.url + "/healthz")
            }
            try await refused.shutdown()
        }
        #expect(await server.stop() == 0)
    }

    @Test(
        "a certificate that cannot be used is named before the server starts",
        arguments: [
            ("none.pem", "one.key", "the certificate `DIR/none.pem` does not exist"),
            ("empty.pem", "one.key", "no certificate can be read from `DIR/empty.pem`"),
            ("one.pem", "none.key", "the private key `DIR/none.key` does not exist"),
            ("one.pem", "one.pem", "the private key `DIR/one.pem` cannot be read"),
            (
                "one.pem", "two.key",
                "the certificate `DIR/one.pem` and the key `DIR/two.key` do not belong together"
            ),
        ])
    func unusable(certificate: String, key: String, message: String) async throws {
        let installation = try await Installation()
        let directory = installation.directory
        try TestCertificate.make("one", in: directory)
        try TestCertificate.make("two", in: directory)
        try directory.write("", to: "empty.pem")
        let configuration = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
        try directory.write(
            configuration + "tls: { certificate: \(certificate), key: \(key) }\n", to: "offerd.yaml")
        let refused = try await Installation.offerd.run(["serve", "--config", "offerd.yaml"], directory: directory.url)
        #expect(refused.status == 2)
        let lines = refused.errorText.split(separator: "\n").map(String.init)
        let told = lines.first.map { $0.replacing(/`[^`]*\//, with: "`DIR/") }
        #expect(told == "error: \(message)")
        #expect(lines.last?.hasPrefix("hint: ") == true)
    }

    @Test(
        "a key that others on the machine may read is warned of, by serve and by doctor",
        arguments: [("644", true), ("604", true), ("640", false), ("600", false)])
    func openKey(mode: String, isOpen: Bool) async throws {
        let installation = try await installation()
        // A link, as it is renewed by; the link's own mode says nothing.
        let linked = try Command.run(
            "sh", ["-ec", "mv one.key real.key; ln -s real.key one.key; chmod \(mode) real.key"],
            directory: installation.directory.url)
        try #require(linked.status == 0, "\(linked.errorText)")
        let doctor = try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(doctor.status == 0, "\(doctor.text)")
        #expect(doctor.text.contains("ok       tls               the certificate is valid until "), "\(doctor.text)")
        #expect(doctor.text.contains("/one.key` (mode \(mode))\n") == isOpen, "\(doctor.text)")
        let server = try await RunningServer.start(installation)
        #expect(await server.stop() == 0)
        let log = try installation.logs().joined()
        #expect(log.contains("others on this machine may read the TLS key") == isOpen, "\(log)")
    }

    @Test("doctor fails on an expired certificate, and says when it expired")
    func expired() async throws {
        let installation = try await installation()
        let made = try Command.run(
            "sh",
            [
                "-ec",
                """
                openssl req -new -key one.key -subj /CN=one -out one.csr
                openssl x509 -req -in one.csr -key one.key -days -1 -out one.pem
                """,
            ], directory: installation.directory.url)
        try #require(made.status == 0, "\(made.errorText)")
        let doctor = try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(doctor.status == 1)
        let lines = doctor.text.split(separator: "\n").drop { !$0.contains(" tls ") }.prefix(2)
        let pattern = TerminalPattern(
            """
            failed   tls               the certificate expired at {time}
                     hint: renew it; `serve` reads it again by itself
            """)
        #expect(try pattern.matches(lines.joined(separator: "\n")), "\(doctor.text)")
    }

    @Test("a renewed certificate is served to new connections while requests go on, and a half-written one is ignored")
    func renewal() async throws {
        let installation = try await installation()
        let directory = installation.directory
        let server = try await RunningServer.start(installation)
        let both = try TestCertificate.client(believing: ["one"], in: directory)
        #expect(try await both.status(server.url + "/healthz") == 200)

        // The certificate alone, without its key: the server keeps the pair that it has.
        try TestCertificate.make("two", in: directory)
        let new = (
            certificate: try Data(contentsOf: URL(filePath: directory.path("two.pem"))),
            key: try Data(contentsOf: URL(filePath: directory.path("two.key")))
        )
        try directory.write(new.certificate.prefix(200), to: "one.pem")
        try await until("the log reports the half-written file") {
            try installation.logs().joined().contains("the configuration was not reloaded")
        }
        #expect(try await both.status(server.url + "/healthz") == 200)
        try directory.write(new.certificate, to: "one.pem")
        try directory.write(new.key, to: "one.key")
        try await until("a new connection sees the new certificate") {
            let fresh = try TestCertificate.client(believing: ["two"], in: directory)
            let status = try? await fresh.status(server.url + "/healthz")
            try await fresh.shutdown()
            // The connection from before goes on with the certificate it began with.
            #expect(try await both.status(server.url + "/healthz") == 200)
            return status == 200
        }
        try await both.shutdown()
        #expect(await server.stop() == 0)
    }
}

/// Asks again and again until something holds; fails after a minute.
func until(_ what: String, _ holds: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !holds() {
        try #require(ContinuousClock.now < end, "\(what): not within a minute")
        await Task.yield()
    }
}
