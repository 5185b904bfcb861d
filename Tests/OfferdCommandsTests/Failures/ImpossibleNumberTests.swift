import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("A database with numbers that the service never writes (invariant 10)")
struct ImpossibleNumberTests {
    private func offerd(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(
            arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
    }

    private func sqlite3(_ sql: String, in installation: Installation) throws {
        let edit = try Command.run("sqlite3", [installation.directory.path("offers.sqlite"), sql])
        try #require(edit.status == 0, "\(edit.errorText)")
    }

    @Test("the largest number in a counter, an event or a checkpoint is corrupt to serve, doctor and verify-ledger")
    func atStartup() async throws {
        let installation = try await Installation.withAudit()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let issued = try await server.ask(
            "POST", "/v1/issued-offers", token: try installation.token(.client),
            body: """
                {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(1))"},\
                \(try installation.lapsedCustomer(1))}
                """, client: client)
        #expect(issued.status == 201, "\(issued.json)")
        try await client.shutdown()
        #expect(await server.stop() == 0)
        let copy = installation.directory.path("copy.sqlite")
        try sqlite3(".backup '\(copy)'", in: installation)
        for (place, edit) in [
            ("store_state.sequence", "UPDATE store_state SET sequence = MAX"),
            ("store_state.last_instant", "UPDATE store_state SET last_instant = MAX"),
            ("store_state.newest_signed_date", "UPDATE store_state SET newest_signed_date = -MAX"),
            ("offer_counter.amount", "UPDATE offer_counter SET amount = MAX"),
            ("redemption_counter.amount", "INSERT INTO redemption_counter VALUES (1, 2, 'a', 'b', 'c', MAX)"),
            (
                "audit_event.sequence",
                """
                INSERT INTO audit_event SELECT MAX, kind, actor, at, request_id, scope_id, issued_offer, digest_key, \
                before_change, after_change, ledger_rows, previous_hash, hash FROM audit_event WHERE sequence = 1
                """
            ),
            (
                "audit_checkpoint.number",
                """
                INSERT INTO audit_checkpoint SELECT MAX, MAX, head, signed_at, key_fingerprint, signature \
                FROM audit_checkpoint WHERE number = 1
                """
            ),
        ] {
            try sqlite3(edit.replacing("MAX", with: "9223372036854775807"), in: installation)
            do {
                _ = try await RunningServer.start(installation).stop()
                Issue.record("\(place): the server starts")
            } catch let error as Installation.Failed {
                #expect(error.what.contains("corrupt") && error.what.contains(place), "\(place): \(error.what)")
            }
            for command in ["doctor", "verify-ledger"] {
                let run = try await offerd(command, in: installation)
                let text = run.text + run.errorText
                #expect(run.status == 1, "\(place): \(command) ended with \(run.status): \(text)")
                #expect(text.contains("corrupt") && text.contains(place), "\(place): \(command): \(text)")
            }
            try sqlite3(".restore '\(copy)'", in: installation)
        }
        let run = try await offerd("verify-ledger", in: installation)
        #expect(run.status == 0, "\(run.errorText)")
    }
}
