import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("offerd verify-ledger")
struct VerifyLedgerTests {
    /// The verdict of the command or the judge on a whole ledger.
    private struct Proof: Decodable {
        struct Checkpoint: Decodable {
            var eventSequence: Int
        }
        var events: Int
        var head: String
        var checkpoints: Int
        var newestCheckpoint: Checkpoint?
        var signaturesChecked: Bool?
    }

    private func offerd(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(
            arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
    }

    private func sqlite3(_ sql: String, in installation: Installation) throws -> Command {
        try Command.run("sqlite3", [installation.directory.path("offers.sqlite"), sql])
    }

    /// A catalog with one offer, and refusals and offers issued under it, each signed twice.
    private func serve(_ installation: Installation, customers: Range<Int>) async throws {
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        if customers.lowerBound == 0 {
            let catalog = """
                bundleId: com.example.pro
                subscriptionGroups:
                  - id: "21500001"
                    products:
                      - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
                offers:
                  - id: comeback
                    type: promotional
                    offerIdentifier: comeback50
                    products: [com.example.pro.monthly]
                    paymentMode: payAsYouGo
                    period: P1M
                    periodCount: 3
                    price: { amount: "4.99", currency: USD }
                    status: active
                    limits: [ { count: 1, per: customer } ]
                """
            let applied = try await server.ask(
                "PUT", "/v1/catalog", token: try installation.token(.marketing), body: catalog,
                headers: ["Content-Type": "application/yaml", "If-Match": "\"0\""], client: client)
            try #require(applied.status == 200, "\(applied.json)")
        }
        for number in customers {
            let signed = try installation.lapsedCustomer(number)
            let issued = try await server.ask(
                "POST", "/v1/issued-offers", token: try installation.token(.client),
                body: """
                    {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(number))",
                    "customerId":"user-\(number)"},\(signed)}
                    """, client: client)
            try #require(issued.status == 201, "\(issued.json)")
            let id = try #require(issued.json["issuedOfferId"] as? String)
            let fresh = try await server.ask(
                "POST", "/v1/issued-offers", token: try installation.token(.client),
                body: """
                    {"offerId":"comeback","fresh":true,\
                    "customer":{"originalTransactionId":"\(Installation.originalTransactionId(number))"}}
                    """, client: client)
            try #require(fresh.status == 201 && fresh.json["issuedOfferId"] as? String == id, "\(fresh.json)")
            let refused = try await server.ask(
                "POST", "/v1/issued-offers", token: try installation.token(.client),
                body: #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#, client: client)
            try #require(refused.status == 422)
            guard number.isMultiple(of: 2) else { continue }
            let voided = try await server.ask(
                "POST", "/v1/issued-offers/\(id)/void", token: try installation.token(.support),
                body: #"{"reason":"asked by phone"}"#, client: client)
            try #require(voided.status == 200)
        }
        let exported = try await server.ask(
            "GET", "/v1/issued-offers/export", token: try installation.token(.support), client: client)
        try checkProofs(exported, count: customers.upperBound, in: installation)
        let beside = try await offerd("verify-ledger", in: installation)
        #expect(beside.status == 0, "beside the running server: \(beside.errorText)")
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    /// The export of each offer equals the audit's record.
    private func checkProofs(
        _ exported: RunningServer.Answer, count: Int, in installation: Installation
    ) throws {
        let items = try #require(exported.json["items"] as? [[String: Any]])
        #expect(items.count == count)
        for item in items {
            let proof = try #require(item["proof"] as? [String: Any])
            let sequence = try #require(proof["eventSequence"] as? Int)
            let stored = try sqlite3(
                """
                SELECT lower(hex(hash)), lower(hex(previous_hash)), ledger_rows FROM audit_event
                WHERE sequence = \(sequence) AND kind = 'issue'
                """, in: installation
            ).text.split(separator: "|")
            #expect(stored.count == 3)
            #expect(stored.first.map(String.init) == proof["eventHash"] as? String)
            #expect(stored.dropFirst().first.map(String.init) == proof["previousHash"] as? String)
            #expect(try stored.last?.contains("\"\(#require(proof["rowDigest"] as? String))\"") == true)
            #expect(item["signatures"] == nil)
        }
    }

    @Test("a server's actions are proven by the command and by a verifier that shares no code with it")
    func proven() async throws {
        let installation = try await Installation.withAudit()
        try await serve(installation, customers: 0..<3)
        try await serve(installation, customers: 3..<5)
        let run = try await offerd("verify-ledger", "--json", in: installation)
        #expect(run.status == 0, "\(run.errorText)")
        let proof = try JSONDecoder().decode(Proof.self, from: Data(run.output))
        #expect(proof.signaturesChecked == true)
        #expect(proof.checkpoints >= 2, "each stop of the server signs the audit")
        #expect(proof.newestCheckpoint?.eventSequence == proof.events - 1, "the last event is the checkpoint's own")
        let told = try await offerd("verify-ledger", in: installation)
        #expect(
            try TerminalPattern(
                """
                proven: \(proof.events) events, newest hash \(proof.head)
                  api_key: 5 rows
                  audit_checkpoint: \(proof.checkpoints) rows
                  catalog_revision: 1 rows
                  customer_merge: 0 rows
                  erasure: 0 rows
                  issued_offer: 5 rows
                  offer_grant: 0 rows
                  pause: 0 rows
                  refusal: 2 rows
                  signing: 5 rows
                checkpoints: \(proof.checkpoints), the newest signs \(proof.events - 1) events at {time}
                not provable: that nothing was cut off after the newest checkpoint; 0 events follow it

                """
            ).matches(told.text), "\(told.text)")
        let script = Fixture.folder.appending(path: "verify_ledger.py").path
        let judge = try Command.run(
            "python3",
            [script] + ["offers.sqlite", "digest.key", "audit.pem"].map { installation.directory.path($0) })
        #expect(judge.status == 0, "\(judge.errorText)")
        let judged = try JSONDecoder().decode(Proof.self, from: Data(judge.output))
        #expect(judged.events == proof.events)
        #expect(judged.head == proof.head)
        #expect(judged.checkpoints == proof.checkpoints)
        try await tamper(installation, judge: script)
    }

    /// Edits with the real tool what was just proven: both verifiers have to name the row.
    private func tamper(_ installation: Installation, judge script: String) async throws {
        let path = installation.directory.path("offers.sqlite")
        let edits = [
            ("issued_offer", "UPDATE issued_offer SET offer_id = 'other' WHERE sequence = KEY"),
            ("issued_offer", "UPDATE issued_offer SET transaction_id = '1' WHERE sequence = KEY"),
            ("issued_offer", "UPDATE issued_offer SET jws = jws || 'x' WHERE sequence = KEY"),
            ("issued_offer", "UPDATE issued_offer SET record = X'00' WHERE sequence = KEY"),
            ("signing", "UPDATE signing SET record = X'00' WHERE sequence = KEY"),
            ("refusal", "UPDATE refusal SET record = X'00' WHERE sequence = KEY"),
            (
                "audit_event",
                "DROP TRIGGER audit_event_update; UPDATE audit_event SET actor = 'nobody' WHERE sequence = KEY"
            ),
        ]
        for (table, edit) in edits {
            let copy = path + ".whole"
            #expect(try sqlite3(".backup '\(copy)'", in: installation).status == 0)
            let key = try sqlite3("SELECT MAX(sequence) FROM \(table)", in: installation).text
                .trimmingCharacters(in: .newlines)
            #expect(try sqlite3(edit.replacing("KEY", with: key), in: installation).status == 0)
            let run = try await offerd("verify-ledger", in: installation)
            #expect(run.status == 1)
            #expect(run.errorText.hasPrefix("error: the ledger is broken: \(table) \(key): "), "\(run.errorText)")
            #expect(try Command.run("python3", [script, path, installation.directory.path("digest.key")]).status == 1)
            #expect(try sqlite3(".restore '\(copy)'", in: installation).status == 0)
            try FileManager.default.removeItem(atPath: copy)
        }
        #expect(try await offerd("verify-ledger", in: installation).status == 0)
    }

    @Test("without `audit:` the chain is proven, and what that is worth is said")
    func unsigned() async throws {
        let installation = try await Installation()
        try await serve(installation, customers: 0..<1)
        let run = try await offerd("verify-ledger", in: installation)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.text.contains("checkpoints: none"))
        #expect(run.text.contains("not provable: that the whole chain was not rewritten"))
    }

    @Test("a ledger under a digest key that keys.yaml does not name is a mistake of configuration")
    func lostKey() async throws {
        let installation = try await Installation.withAudit()
        try await serve(installation, customers: 0..<1)
        let keys = try String(contentsOfFile: installation.directory.path("keys.yaml"), encoding: .utf8)
        try installation.directory.write(keys.replacing("\naudit:", with: "\n# audit:"), to: "keys.yaml")
        let run = try await offerd("verify-ledger", in: installation)
        #expect(run.status == 2)
        #expect(run.errorText.contains("hint: name that key as `digestKey` under `audit:`"))
    }

    @Test("an app's key as the audit's, and a digest key that is none, are refused")
    func wrongKeys() async throws {
        let installation = try await Installation.withAudit()
        let directory = installation.directory
        // Both files keep their mode.
        _ = try Command.run("cp", ["signing.p8", "audit.p8"], directory: directory.url)
        let same = try await Installation.offerd.run(
            ["keys", "check", "--config", "offerd.yaml"], directory: directory.url)
        #expect(same.status == 2)
        #expect(same.errorText.hasPrefix("error: the audit's key is the key `LOCALTEST1` of app `com.example.pro`\n"))
        let replaced =
            "rm audit.p8; (umask 077; echo not hexadecimal > digest.key; openssl ecparam -name prime256v1 -genkey "
        _ = try Command.run(
            "bash", ["-c", replaced + "-noout | openssl pkcs8 -topk8 -nocrypt -out audit.p8)"], directory: directory.url
        )
        let none = try await Installation.offerd.run(
            ["keys", "check", "--config", "offerd.yaml"], directory: directory.url)
        #expect(none.status == 2)
        #expect(none.errorText.contains("is not 64 hexadecimal digits or more"))
        #expect(!none.errorText.contains("not hexadecimal\n"), "a secret is never repeated (invariant 9)")
    }

    @Test("a signing key that comes or is retired is told at the next start, and an unchanged one is not")
    func keyChange() async throws {
        let installation = try await Installation()
        func starts() async throws -> [String] {
            let server = try await RunningServer.start(installation)
            #expect(await server.stop() == 0)
            return try sqlite3(
                "SELECT after_change FROM audit_event WHERE kind = 'keys' ORDER BY sequence", in: installation
            )
            .text.split(separator: "\n").map(String.init)
        }
        #expect(try await starts().count == 1)
        #expect(try await starts().count == 1)
        let made = try await Installation.offerd.run(
            ["keys", "generate", "--out", "next.p8", "--key-id", "LOCALTEST2"], directory: installation.directory.url)
        try #require(made.status == 0)
        let keys = try String(contentsOfFile: installation.directory.path("keys.yaml"), encoding: .utf8)
        try installation.directory.write(
            keys.replacing(
                "use: signing }",
                with: "use: retired }\n      - { keyId: LOCALTEST2, privateKey: next.p8, use: signing }"),
            to: "keys.yaml")
        let told = try await starts()
        #expect(told.count == 2)
        #expect(told.last?.contains(#""com.example.pro LOCALTEST1":"retired "#) == true)
        #expect(told.last?.contains(#""com.example.pro LOCALTEST2":"signing "#) == true)
    }
}
