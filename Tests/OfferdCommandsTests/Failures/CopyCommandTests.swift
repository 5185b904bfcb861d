import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("backup and restore")
struct CopyCommandTests {
    private func offerd(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: installation.directory.url)
    }

    private func issue(_ id: Int, _ installation: Installation, _ server: RunningServer, _ client: HTTPClient)
        async throws
    {
        try #require(try await ask(id, installation, server, client).status == 201)
    }

    private func ask(
        _ id: Int, _ installation: Installation, _ server: RunningServer, _ client: HTTPClient
    ) async throws -> RunningServer.Answer {
        let body = """
            {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(id))"},\
            \(try installation.lapsedCustomer(id))}
            """
        return try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client), body: body, client: client)
    }

    @Test("a backup made beside a server is checked and restored, and the server keeps others from replacing its file")
    func roundTrip() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        try await issue(1, installation, server, client)
        let made = try await offerd("backup", "--config", "offerd.yaml", "--out", "copy.sqlite", in: installation)
        #expect(made.status == 0, "\(made.errorText)")
        #expect(made.text.contains("1 issued offers, 1 signatures"))
        try await issue(2, installation, server, client)

        let again = try await offerd("backup", "--config", "offerd.yaml", "--out", "copy.sqlite", in: installation)
        #expect(again.status == 1 && again.errorText.hasPrefix("error: `copy.sqlite` exists already"))
        let checked = try await offerd("restore", "--check", "copy.sqlite", in: installation)
        #expect(checked.status == 0 && checked.text.hasPrefix("copy.sqlite can be restored\n"), "\(checked.errorText)")

        let refused = try await offerd("restore", "copy.sqlite", "--config", "offerd.yaml", in: installation)
        #expect(refused.status == 1 && refused.errorText.contains("`--replace` puts the copy in its place"))
        let held = try await offerd("restore", "copy.sqlite", "--config", "offerd.yaml", "--replace", in: installation)
        #expect(held.status == 1 && held.errorText.contains("is in use"), "\(held.text)\(held.errorText)")
        #expect(held.errorText.contains("hint: stop the server that uses it"))
        try await issue(3, installation, server, client)
        #expect(await server.stop() == 0)

        let restored = try await offerd(
            "restore", "copy.sqlite", "--config", "offerd.yaml", "--replace", in: installation)
        #expect(restored.status == 0, "\(restored.errorText)")
        #expect(restored.text.contains("offers with a limit are not issued for new uses until 20"), "\(restored.text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path)
        let kept = try #require(names.first { $0.hasPrefix("offers.sqlite.before-") && $0.hasSuffix("Z") })
        let counts = try Command.run(
            "sh",
            ["-c", "for f in offers.sqlite '\(kept)'; do sqlite3 \"$f\" 'SELECT count(*) FROM issued_offer'; done"],
            directory: installation.directory.url)
        #expect(counts.text == "1\n3\n")
        // The copy does not know that customer 2 was issued the offer, whose signature can still be redeemed.
        let second = try await RunningServer.start(installation)
        let waiting = try await ask(2, installation, second, client)
        #expect(
            waiting.status == 403 && String(decoding: waiting.body, as: UTF8.self).contains("restoredRecently"),
            "\(waiting)")
        let resumed = try await offerd("limits", "resume", "--config", "offerd.yaml", in: installation)
        #expect(resumed.text == "offers with a limit are issued again in com.example.pro in LocalTesting\n")
        try await issue(2, installation, second, client)
        let paused = try await offerd("limits", "pause", "--config", "offerd.yaml", in: installation)
        #expect(paused.text.hasPrefix("offers with a limit are not issued for new uses until 20"))
        #expect(try await ask(3, installation, second, client).status == 403)
        try await client.shutdown()
        #expect(await second.stop() == 0)
    }

    @Test("a restore that cannot record the pause of limited offers replaces nothing")
    func pauseFirst() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        #expect(
            try await offerd("backup", "--config", "offerd.yaml", "--out", "copy.sqlite", in: installation).status == 0)
        try await issue(1, installation, server, client)
        #expect(await server.stop() == 0)
        let full = "CREATE TRIGGER full BEFORE INSERT ON pause BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        #expect(
            try Command.run("sqlite3", ["copy.sqlite", full], directory: installation.directory.url).status == 0)
        let refused = try await offerd(
            "restore", "copy.sqlite", "--config", "offerd.yaml", "--replace", in: installation)
        #expect(refused.status == 1, "\(refused.text)\(refused.errorText)")
        let names = try FileManager.default.contentsOfDirectory(atPath: installation.directory.url.path)
        #expect(!names.contains { $0.contains(".before-") || $0.contains(".restoring") }, "\(names)")
        let still = try await RunningServer.start(installation)
        #expect(try await ask(1, installation, still, client).status == 200, "what was issued is known")
        try await client.shutdown()
        #expect(await still.stop() == 0)
    }

    @Test("a damaged copy is refused and nothing is replaced; a missing database needs no --replace")
    func damaged() async throws {
        let installation = try await Installation()
        #expect(
            try await offerd("backup", "--config", "offerd.yaml", "--out", "copy.sqlite", in: installation).status == 0)
        let spoil = """
            import sqlite3
            page = sqlite3.connect("copy.sqlite").execute(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'api_key'").fetchone()[0]
            with open("copy.sqlite", "rb") as f: whole = f.read()
            broken = bytearray(whole); broken[(page - 1) * 4096:page * 4096] = b"\\xff" * 4096
            with open("broken.sqlite", "wb") as f: f.write(broken)
            """
        #expect(try Command.run("python3", ["-c", spoil], directory: installation.directory.url).status == 0)
        let refused = try await offerd(
            "restore", "broken.sqlite", "--config", "offerd.yaml", "--replace", in: installation)
        #expect(
            refused.status == 1 && refused.errorText.contains("the database file is damaged"), "\(refused.errorText)")
        let checked = try await offerd("restore", "--check", "broken.sqlite", in: installation)
        let named = "error: `broken.sqlite` cannot be restored: the database file is damaged: "
        #expect(checked.status == 1 && checked.errorText.hasPrefix(named), "\(checked.errorText)")
        #expect(checked.errorText.hasSuffix("\nhint: name another copy\n"), "\(checked.errorText)")
        #expect(try await offerd("api-keys", "list", "--config", "offerd.yaml", in: installation).status == 0)

        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: installation.directory.path("offers.sqlite\(ending)"))
        }
        #expect(try await offerd("restore", "copy.sqlite", "--config", "offerd.yaml", in: installation).status == 0)
        let keys = try await offerd("api-keys", "list", "--config", "offerd.yaml", in: installation)
        #expect(keys.text.split(separator: "\n").count == 1 + Role.allCases.count)
    }

    @Test("a backup holds no private key and no token (invariant 9)")
    func secrets() async throws {
        let installation = try await Installation()
        #expect(
            try await offerd("backup", "--config", "offerd.yaml", "--out", "copy.sqlite", in: installation).status == 0)
        let bytes = try Data(contentsOf: URL(filePath: installation.directory.path("copy.sqlite")))
        for token in installation.tokens.values {
            let parts = token.split(separator: "_")
            #expect(
                parts.count == 5 && bytes.range(of: Data(parts[3].utf8)) != nil, "the id is there, as a public half")
            #expect(bytes.range(of: Data(parts[4].utf8)) == nil)
        }
        let pem = try String(contentsOfFile: installation.directory.path("signing.p8"), encoding: .utf8)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        #expect(!lines.isEmpty)
        for line in lines { #expect(bytes.range(of: Data(line.utf8)) == nil) }
        let der = try #require(Data(base64Encoded: lines.joined()))
        // The private number itself: 32 bytes after the octet string's head in every PKCS#8 key of P-256.
        let head = try #require(der.range(of: Data([0x02, 0x01, 0x01, 0x04, 0x20])))
        #expect(bytes.range(of: der[head.upperBound..<head.upperBound + 32]) == nil)
    }
}
