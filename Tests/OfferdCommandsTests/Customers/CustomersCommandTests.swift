import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("offerd customers")
struct CustomersCommandTests {
    private static let person = [
        "--app", "com.example.pro", "--environment", "LocalTesting", "--original-transaction-id",
        Installation.originalTransactionId(1), "--config", "offerd.yaml",
    ]

    /// An offer that the customer may have once, and one that they may not have.
    private static let catalog =
        TestCatalog.yaml
        + TestCatalog.yaml(["never"]).replacing("[expired]", with: "[revoked]").split(separator: "offers:\n").suffix(1)
        .joined()

    /// An issue request of the customer, with signed data or without.
    private func body(_ installation: Installation, signed: Bool = true) throws -> String {
        """
        {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(1))",
        "appAccountToken":"11111111-AAAA-4AAA-8AAA-111111111111","customerId":"Zoë Überall"},
        "signals":{"interactions":4711}\(signed ? ",\(try installation.lapsedCustomer(1))" : "")}
        """
    }

    private func issue(
        _ body: String, key: String? = nil, _ installation: Installation, _ server: RunningServer, _ client: HTTPClient
    ) async throws -> RunningServer.Answer {
        try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client), body: body,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:], client: client)
    }

    @Test(
        "a customer is given out and erased beside the server; the ledger is proven, and the same Apple account is still under its limit (invariant 2)"
    )
    func beside() async throws {
        let installation = try await Installation.withAudit()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, Self.catalog, client: client)
        let first = try await issue(try body(installation), key: "zoe-1", installation, server, client)
        try #require(first.status == 201, "\(first.json)")
        let id = try #require(first.json["issuedOfferId"] as? String)
        let again = try await issue(try body(installation, signed: false), key: "zoe-2", installation, server, client)
        #expect(again.status == 200 && again.json["issuedOfferId"] as? String == id, "\(again.json)")
        let never = try body(installation).replacing("comeback", with: "never")
        let no = try await issue(never, key: "zoe-3", installation, server, client)
        #expect(no.status == 403, "\(no.json)")
        let artefact = try #require(
            ((first.json["signatures"] as? [String: Any])?["v1"] as? [String: Any])?["signature"] as? String)

        let exported = try await offerd(["customers", "export", "--out", "zoe.json"] + Self.person, installation)
        #expect(exported.status == 0, "\(exported.errorText)")
        try await checkExport(installation, artefact: artefact)

        let asked = try await offerd(
            ["customers", "erase", "--reason", "request 4711"] + Self.person, installation)
        #expect(
            asked.status == 0 && asked.text.hasSuffix("nothing was erased: add `--confirm` to erase\n"),
            "\(asked.errorText)"
        )
        let erased = try await offerd(
            ["customers", "erase", "--reason", "request 4711", "--confirm", "--compact"] + Self.person, installation)
        #expect(erased.status == 0, "\(erased.errorText)")
        #expect(erased.text.contains("erased: "))

        let replay = try await server.ask(
            "POST", "/v1/issued-offers/\(id)/replay", token: try installation.token(.support), body: "{}",
            client: client)
        #expect(replay.status == 404 && replay.json["code"] as? String == "not-found", "\(replay.json)")
        let shown = try await server.ask(
            "GET", "/v1/issued-offers/\(id)", token: try installation.token(.support), client: client)
        #expect(shown.status == 200, "\(shown.json)")
        #expect((shown.json["signatures"] as? [String: Any])?.isEmpty == true)
        let unknown = try await offerd(["customers", "export"] + Self.person, installation)
        #expect(unknown.status == 1 && unknown.output.isEmpty)
        try nothingIsLeft(installation, artefact: artefact)

        // The same Apple account: the open issued offer is the old one, with one more signing; void, and the limit
        // refuses.
        let back = try await issue(try body(installation), installation, server, client)
        #expect(back.status == 201 && back.json["issuedOfferId"] as? String == id, "\(back.json)")
        let voided = try await server.ask(
            "POST", "/v1/issued-offers/\(id)/void", token: try installation.token(.support),
            body: #"{"reason":"asked by phone"}"#, client: client)
        #expect(voided.status == 200)
        let refused = try await issue(try body(installation), installation, server, client)
        #expect(refused.status == 403, "\(refused.json)")
        let rules = (refused.json["findings"] as? [[String: Any]])?.compactMap { $0["rule"] as? String }
        #expect(rules == ["limit.customer"], "\(refused.json)")

        let verified = try await offerd(["verify-ledger", "--config", "offerd.yaml"], installation)
        #expect(verified.status == 0, "\(verified.errorText)")
        let judge = try Command.run(
            "python3",
            [Fixture.folder.appending(path: "verify_ledger.py").path]
                + ["offers.sqlite", "digest.key", "audit.pem"].map { installation.directory.path($0) })
        #expect(judge.status == 0, "\(judge.errorText)")
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    private func offerd(_ arguments: [String], _ installation: Installation) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: installation.directory.url)
    }

    /// The document has every column of every row about the customer.
    private func checkExport(_ installation: Installation, artefact: String) async throws {
        let path = installation.directory.path("zoe.json")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        for held in [
            "Zoë Überall", "11111111-aaaa-4aaa-8aaa-111111111111", artefact, "4711", "offerd-customer-export-1",
        ] {
            #expect(text.contains(held), "\(held)")
        }
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let tables = try #require(document["tables"] as? [String: [[String: Any]]])
        let expected: Set = [
            "customer", "customer_identifier", "customer_alias", "history_transaction", "history_renewal_info",
            "issued_offer", "refusal", "kept_answer", "audit_event",
        ]
        #expect(expected.isSubset(of: tables.keys), "\(tables.keys.sorted())")
        for (table, rows) in tables {
            let columns = try Command.run(
                "sqlite3",
                [installation.directory.path("offers.sqlite"), "SELECT name FROM pragma_table_info('\(table)')"]
            ).text.split(separator: "\n").map(String.init)
            for row in rows { #expect(Set(row.keys) == Set(columns), "\(table)") }
        }
    }

    private func nothingIsLeft(_ installation: Installation, artefact: String) throws {
        let names = [
            Installation.originalTransactionId(1), "Zoë Überall", "11111111-aaaa-4aaa-8aaa-111111111111", artefact,
            "interactions",
        ]
        let answers = try Command.run(
            "sqlite3", [installation.directory.path("offers.sqlite"), "SELECT COUNT(*) FROM kept_answer"])
        #expect(answers.text == "0\n")
        for ending in ["", "-wal"] {
            let data = try Data(contentsOf: URL(filePath: installation.directory.path("offers.sqlite" + ending)))
            for name in names { #expect(data.range(of: Data(name.utf8)) == nil, "\(name) in the file\(ending)") }
        }
    }
}
