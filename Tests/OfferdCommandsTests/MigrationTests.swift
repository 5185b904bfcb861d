import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("A database of an earlier version")
struct MigrationTests {
    /// What was known of the database when it was made, by the version that made it.
    private struct Known {
        let token: String
        let issuedOfferId: String
        let answer: NSDictionary

        init() throws {
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: MigrationTests.fixture("json")))
            let members = try #require(json as? [String: Any])
            token = try #require(members["token"] as? String)
            issuedOfferId = try #require(members["issuedOfferId"] as? String)
            answer = try #require(members["answer"] as? NSDictionary)
        }
    }

    private static func fixture(_ ending: String) throws -> URL {
        try #require(Bundle.module.url(forResource: "Fixtures/database-0001", withExtension: ending))
    }

    /// Puts the dump of a database of schema 0001 in place of the installation's.
    private func restore(_ installation: Installation) throws {
        let program = """
            import os, sqlite3, sys
            for ending in ("", "-wal", "-shm"):
                if os.path.exists(sys.argv[1] + ending): os.remove(sys.argv[1] + ending)
            sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())
            """
        let dump = try Self.fixture("sql").path
        let made = try Command.run("python3", ["-c", program, installation.directory.path("offers.sqlite"), dump])
        try #require(made.status == 0, "\(made.errorText)")
    }

    private func offerd(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(arguments, directory: installation.directory.url)
    }

    @Test("`serve` refuses it, `migrate` brings it to this version with all it holds, and then it serves")
    func firstVersion() async throws {
        let installation = try await Installation()
        try restore(installation)
        // The dump is older than the time for which signatures are kept.
        try installation.directory.write(
            """
            listen: 127.0.0.1:0
            database: offers.sqlite
            keys: keys.yaml
            retention: { signatures: forever }
            """, to: "offerd.yaml")
        let refused = try await offerd("serve", "--config", "offerd.yaml", in: installation)
        #expect(refused.status == 1)
        #expect(refused.errorText.contains("is not migrated to this version"))
        #expect(refused.errorText.contains("hint: run `offerd migrate`"))

        let migrated = try await offerd("migrate", "--config", "offerd.yaml", in: installation)
        #expect(migrated.status == 0, "\(migrated.errorText)")
        #expect(migrated.text.hasPrefix("migrated: 0002-kept-answers\n"))
        #expect(!migrated.text.contains("0001"))

        let known = try Known()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let shown = try await server.ask(
            "GET", "/v1/issued-offers/\(known.issuedOfferId)", token: known.token, client: client)
        #expect(shown.status == 200)
        #expect(shown.json as NSDictionary == known.answer)
        for _ in 0..<2 {
            let refusal = try await server.ask(
                "POST", "/v1/issued-offers", token: known.token,
                body: #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#,
                headers: ["Idempotency-Key": "k"], client: client)
            #expect(refusal.status == 422)
        }
        let kept = try await installation.reading { transaction in
            try transaction.rows(Statement("SELECT status FROM kept_answer")).map { try $0.value(0, as: Int.self) }
        }
        #expect(kept == [422])
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test("its schema becomes the one a new database has")
    func sameSchema() async throws {
        let installation = try await Installation()
        let schema = { @Sendable (transaction: any StoreTransaction) in
            try transaction.rows(Statement("SELECT name, sql FROM sqlite_schema ORDER BY name"))
        }
        let new = try await installation.reading(schema)
        try restore(installation)
        #expect(try await offerd("migrate", "--config", "offerd.yaml", in: installation).status == 0)
        let brought = try await installation.reading(schema)
        #expect(brought == new)
    }
}
