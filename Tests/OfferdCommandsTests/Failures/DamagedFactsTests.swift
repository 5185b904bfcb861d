import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Facts rows that do not match the history")
struct DamagedFactsTests {
    private func doctor(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"] + arguments, directory: installation.directory.url)
    }

    private func sqlite3(_ sql: String, in installation: Installation) throws {
        let edit = try Command.run("sqlite3", [installation.directory.path("offers.sqlite"), sql])
        try #require(edit.status == 0, "\(edit.errorText)")
    }

    @Test(
        "the doctor finds a changed, a missing and a superfluous row, rebuilds them beside the server, and the customer is served again"
    )
    func rebuild() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        func issue(_ number: Int) async throws -> Int {
            try await ask(
                "/v1/issued-offers", #""offerId":"comeback",\#(try installation.lapsedCustomer(number)),"#, number)
        }
        func decide(_ number: Int) async throws -> Int { try await ask("/v1/decisions", "", number) }
        func ask(_ path: String, _ members: String, _ number: Int) async throws -> Int {
            let body =
                #"{\#(members)"customer":{"originalTransactionId":"\#(Installation.originalTransactionId(number))"}}"#
            return try await server.ask(
                "POST", path, token: try installation.token(.client), body: body, client: client
            ).status
        }
        for number in 1...3 { #expect(try await issue(number) == 201) }
        #expect(try await doctor(in: installation).text.contains("facts rows match their history"))
        let ids = (1...2).map { Installation.originalTransactionId($0) }
        try sqlite3(
            """
            UPDATE history_facts SET facts = x'02' WHERE value = '\(ids[0])';
            INSERT INTO history_facts SELECT scope_id, kind, 'x', facts FROM history_facts WHERE value = '\(ids[1])';
            DELETE FROM history_facts WHERE value = '\(ids[1])';
            """, in: installation)
        #expect(try await decide(1) == 500)
        let told = try await doctor(in: installation)
        #expect(told.status == 1)
        #expect(
            told.text.contains("3 facts rows do not match their history: 1 changed, 1 missing, 1 without a history"),
            "\(told.text)")
        #expect(told.text.contains("hint: run `offerd doctor --rebuild-facts`"))
        let rebuilt = try await doctor("--rebuild-facts", in: installation)
        #expect(rebuilt.status == 0 && rebuilt.text.hasSuffix("1 rewritten, 1 added, 1 removed\n"), "\(rebuilt.text)")
        #expect(try await decide(1) == 200)
        #expect(try await doctor(in: installation).text.contains("facts rows match their history"))
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }
}
