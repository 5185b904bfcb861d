import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Two servers on one database")
struct TwoServersTests {
    @Test("200 requests at once for a once-only offer give one issued offer, whichever server they meet (invariant 2)")
    func oneIssuedOffer() async throws {
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

    @Test(
        "24 customers at once for four places and the money for four get four, whichever server they meet (invariant 2)"
    )
    func total() async throws {
        let installation = try await Installation()
        let servers = [try await RunningServer.start(installation), try await RunningServer.start(installation)]
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let applied = try await servers[0].ask(
            "PUT", "/v1/catalog", token: try installation.token(.marketing),
            body: TestCatalog.yaml.replacing(
                "[ { count: 1, per: customer } ]", with: #"[ { count: 4 }, { spend: "60.00", currency: USD } ]"#),
            headers: ["Content-Type": "application/yaml", "If-Match": "\"0\""], client: client)
        try #require(applied.status == 200)
        let token = try installation.token(.client)
        let bodies = try (1...24).map { number in
            """
            {"offerId":"comeback","customer":{"originalTransactionId":\
            "\(Installation.originalTransactionId(number))"},\(try installation.lapsedCustomer(number))}
            """
        }
        let answers = try await withThrowingTaskGroup(of: RunningServer.Answer.self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask {
                    try await servers[index % 2].ask(
                        "POST", "/v1/issued-offers", token: token, body: body, client: client)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 201 } == 4)
        #expect(answers.count { $0.status == 403 } == 20)
        for refused in answers where refused.status == 403 {
            let rules = (refused.json["findings"] as? [[String: Any]])?.map { $0["rule"] as? String }
            #expect(rules == ["limit.total", "limit.budget"])
        }
        let counted = try await installation.reading { transaction in
            try transaction.rows(Statement("SELECT unit || ' ' || amount FROM offer_counter ORDER BY unit"))
                .map { try $0.value(0, as: String.self) }
        }
        #expect(counted == ["USD 60000", "places 4"])
        try await client.shutdown()
        for server in servers { #expect(await server.stop() == 0) }
    }

    @Test("50 equal requests under one key get one answer from two servers, and again after a restart (invariant 2)")
    func oneAnswer() async throws {
        let installation = try await Installation()
        let servers = [try await RunningServer.start(installation), try await RunningServer.start(installation)]
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 50
        let client = HTTPClient(configuration: configuration)
        try await TestCatalog.apply(installation, servers[0], client: client)
        let token = try installation.token(.client)
        let body = """
            {"offerId":"comeback","fresh":true,"customer":{"originalTransactionId":\
            "\(Installation.originalTransactionId(1))"},\(try installation.lapsedCustomer(1))}
            """
        @Sendable func ask(_ server: RunningServer) async throws -> RunningServer.Answer {
            try await server.ask(
                "POST", "/v1/issued-offers", token: token, body: body, headers: ["Idempotency-Key": "once"],
                client: client)
        }
        let answers = try await withThrowingTaskGroup(of: RunningServer.Answer.self) { group in
            for index in 0..<50 { group.addTask { try await ask(servers[index % 2]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let first = try #require(answers.first)
        #expect(answers.count == 50)
        #expect(Set(answers.map(\.body)) == [first.body])
        #expect(answers.allSatisfy { $0.status == 201 }, "\(answers.map(\.status))")
        #expect(answers.count { $0.headers["idempotent-replayed"] == "true" } == 49)
        for server in servers { #expect(await server.stop() == 0) }
        let restarted = try await RunningServer.start(installation)
        let again = try await ask(restarted)
        #expect(again.status == 201)
        #expect(again.body == first.body)
        #expect(again.headers["idempotent-replayed"] == "true")
        #expect(again.headers["location"] == first.headers["location"])
        let signings = try await installation.reading { transaction in
            try transaction.rows(Statement("SELECT signing FROM signature")).map { try $0.value(0, as: Int.self) }
        }
        #expect(signings == [1])
        try await client.shutdown()
        #expect(await restarted.stop() == 0)
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
        let id = token.split(separator: "_")[3]
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

    @Test(
        "a pause on one server is in force for the next request to the other, and applying the same catalog lifts it nowhere"
    )
    func pause() async throws {
        let installation = try await Installation()
        let servers = [try await RunningServer.start(installation), try await RunningServer.start(installation)]
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, servers[0], client: client)
        let (backend, marketing) = (try installation.token(.client), try installation.token(.marketing))
        func order(_ server: RunningServer, _ number: Int) async throws -> RunningServer.Answer {
            try await server.ask(
                "POST", "/v1/issued-offers", token: backend,
                body: """
                    {"offerId":"comeback","customer":{"originalTransactionId":\
                    "\(Installation.originalTransactionId(number))"},\(try installation.lapsedCustomer(number))}
                    """, client: client)
        }
        func post(_ server: RunningServer, _ path: String) async throws -> Int {
            try await server.ask("POST", path, token: marketing, client: client).status
        }
        #expect(try await order(servers[1], 1).status == 201)
        #expect(try await post(servers[0], "/v1/offers/comeback/pause") == 200)
        for server in servers {
            let refused = try await order(server, 1)
            #expect(refused.status == 403)
            let rules = (refused.json["findings"] as? [[String: Any]])?.map { $0["rule"] as? String }
            #expect(rules == ["catalog.paused"])
        }
        let applied = try await servers[1].ask(
            "PUT", "/v1/catalog", token: marketing, body: "# anew\n" + TestCatalog.yaml,
            headers: ["Content-Type": "application/yaml", "If-Match": "\"1\""], client: client)
        #expect(applied.status == 200)
        for server in servers { #expect(try await order(server, 2).status == 403) }
        #expect(try await post(servers[1], "/v1/offers/comeback/resume") == 200)
        #expect(try await order(servers[0], 2).status == 201)
        try await client.shutdown()
        for server in servers { #expect(await server.stop() == 0) }
    }
}
