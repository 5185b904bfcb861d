import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Two servers on one database")
struct TwoServersTests {
    @Test("200 requests at once for a once-only offer give one slot, whichever server they meet (invariant 2)")
    func oneSlot() async throws {
        let installation = try await Installation()
        let servers = [try await RunningServer.start(installation), try await RunningServer.start(installation)]
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100
        let client = HTTPClient(configuration: configuration)
        try await TestCatalog.apply(installation, servers[0], client: client)
        let token = try installation.token(.client)
        let body = """
            {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(1))"},\
            \(try installation.lapsedCustomer(1))}
            """
        let answers = try await withThrowingTaskGroup(of: RunningServer.Answer.self) { group in
            for index in 0..<200 {
                group.addTask {
                    try await servers[index % 2].ask(
                        "POST", "/v1/issued-offers", token: token, body: body, client: client)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 200)
        #expect(answers.count { $0.status == 201 } == 1)
        #expect(answers.count { $0.status == 200 } == 199)
        #expect(Set(answers.compactMap { $0.json["issuedOfferId"] as? String }).count == 1)
        let rows = try await installation.reading { transaction in
            try transaction.rows(Statement("SELECT id FROM issued_offer")).count
        }
        #expect(rows == 1)
        try await client.shutdown()
        for server in servers { #expect(await server.stop() == 0) }
    }

    @Test("a key revoked beside the servers is refused by both at the next request")
    func revokedKey() async throws {
        let installation = try await Installation()
        let servers = [try await RunningServer.start(installation), try await RunningServer.start(installation)]
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let token = try installation.token(.marketing)
        for server in servers {
            #expect(try await server.ask("GET", "/v1/catalog", token: token, client: client).status == 200)
        }
        let id = token.split(separator: "_")[1]
        let revoked = try await Installation.offerd.run(
            ["api-keys", "revoke", String(id), "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(revoked.status == 0)
        #expect(revoked.text == "revoked \(id)\n")
        for server in servers {
            #expect(try await server.ask("GET", "/v1/catalog", token: token, client: client).status == 401)
        }
        try await client.shutdown()
        for server in servers { #expect(await server.stop() == 0) }
    }
}
