import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("A server whose database is moved away")
struct MovedDatabaseTests {
    private static func issue(
        _ customer: Int, _ installation: Installation, _ server: RunningServer, _ client: HTTPClient
    ) async throws -> RunningServer.Answer {
        let body = """
            {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(customer))"},\
            \(try installation.lapsedCustomer(customer))}
            """
        return try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client), body: body, client: client)
    }

    private static func shell(_ script: String, _ installation: Installation) throws {
        let run = try Command.run("sh", ["-e", "-c", script], directory: installation.directory.url)
        try #require(run.status == 0, "\(run.errorText)")
    }

    private static func offerd(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(
            arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
    }

    @Test(
        "issues nothing and says why until the file is back, and no command makes another in its place",
        arguments: ["", "cp away/offers.sqlite . && cp away/offers.sqlite-wal ."])
    func moved(replacing: String) async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let first = try await Self.issue(1, installation, server, client)
        #expect(first.status == 201)
        #expect(try await Self.offerd("backup", "--out", "backup.sqlite", in: installation).status == 0)

        let files = "offers.sqlite offers.sqlite-wal offers.sqlite-shm"
        try Self.shell("mkdir away; mv \(files) away/; \(replacing)", installation)
        for customer in [2, 1, 2] {
            let answer = try await Self.issue(customer, installation, server, client)
            #expect(answer.status == 503 && answer.json["code"] as? String == "not-ready", "\(answer.json)")
            #expect(answer.json["signatures"] == nil)
        }
        let red = try await server.ask("GET", "/readyz", token: "", client: client)
        #expect(red.status == 503)
        #expect((red.json["detail"] as? String)?.hasPrefix("the database file was moved, replaced or deleted") == true)
        let word = replacing.isEmpty ? "was moved or deleted: a running process" : "was replaced: a running process"
        for arguments in [["doctor"], ["migrate"], ["serve"], ["restore", "backup.sqlite", "--replace"]] {
            let refused = try await Installation.offerd.run(
                arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
            #expect(refused.status == 1, "\(arguments)")
            let text = refused.text + refused.errorText
            #expect(text.contains(word) && text.contains("hint: put the file back"), "\(arguments): \(text)")
        }
        let exists = FileManager.default.fileExists(atPath: installation.directory.path("offers.sqlite"))
        #expect(exists == !replacing.isEmpty)

        try Self.shell("mv away/* .", installation)
        let again = try await Self.issue(1, installation, server, client)
        #expect(again.status == 200)
        #expect(again.json["issuedOfferId"] as? String == first.json["issuedOfferId"] as? String)
        let second = try await Self.issue(2, installation, server, client)
        #expect(second.status == 201)
        #expect(try await server.ask("GET", "/readyz", token: "", client: client).status == 200)
        #expect(try await Self.offerd("doctor", in: installation).status == 0)
        #expect(await server.stop() == 0)

        let next = try await RunningServer.start(installation)
        let known = try await Self.issue(2, installation, next, client)
        #expect(known.status == 200)
        #expect(known.json["issuedOfferId"] as? String == second.json["issuedOfferId"] as? String)
        try await client.shutdown()
        #expect(await next.stop() == 0)
    }

    @Test("a deleted database is copied from the running process, as docs/operations.md says, and restored")
    func deleted() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let first = try await Self.issue(1, installation, server, client)
        #expect(first.status == 201)
        try Self.shell("rm offers.sqlite*", installation)
        #expect(try await Self.issue(2, installation, server, client).status == 503)

        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let script = try #require(page.firstMatch(of: /\n```\n(for fd in \/proc[^`]*)```\n/)?.1)
        try Self.shell("pid=\(server.processIdentifier)\n\(script)", installation)
        #expect(await server.stop() == 0)
        let restored = try await Self.offerd("restore", "rescued.sqlite", in: installation)
        #expect(restored.status == 0, "\(restored.errorText)")
        let next = try await RunningServer.start(installation)
        let known = try await Self.issue(1, installation, next, client)
        #expect(known.status == 200)
        #expect(known.json["issuedOfferId"] as? String == first.json["issuedOfferId"] as? String)
        try await client.shutdown()
        #expect(await next.stop() == 0)
    }

    private static let page = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/operations.md")
}
