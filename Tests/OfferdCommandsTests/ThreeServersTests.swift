import AsyncHTTPClient
import Foundation
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

/// `OFFERD_SHARED=full` runs the full numbers: twenty times 300 requests, and 5,000 customers for 1,000 places.
@Suite("Three servers on one PostgreSQL database", .onPostgres("servers on several machines share no file"))
struct ThreeServersTests {
    private static let isFull = ProcessInfo.processInfo.environment["OFFERD_SHARED"] == "full"

    private let installation: Installation
    private let servers: [RunningServer]
    private let client: HTTPClient

    init() async throws {
        installation = try await Installation()
        var servers: [RunningServer] = []
        for _ in 0..<3 { servers.append(try await RunningServer.start(installation)) }
        self.servers = servers
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100
        client = HTTPClient(configuration: configuration)
    }

    /// Sends bodies at once, to each server in turn.
    private func issue(_ bodies: [String]) async throws -> [RunningServer.Answer] {
        let token = try installation.token(.client)
        return try await withThrowingTaskGroup(of: RunningServer.Answer.self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask {
                    try await servers[index % servers.count].ask(
                        "POST", "/v1/issued-offers", token: token, body: body, client: client)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func body(of customer: Int) throws -> String {
        """
        {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(customer))"},\
        \(try installation.lapsedCustomer(customer))}
        """
    }

    private func stop() async throws {
        try await client.shutdown()
        for server in servers { #expect(await server.stop() == 0) }
        let proof = try await Installation.offerd.run(
            ["verify-ledger", "--config", "offerd.yaml"], directory: installation.directory.url)
        #expect(proof.status == 0, "\(proof.errorText)")
    }

    @Test("300 requests at once for a once-only offer give one issued offer, whichever server they meet (invariant 2)")
    func oneIssuedOffer() async throws {
        try await TestCatalog.apply(installation, servers[0], client: client)
        for customer in 1...(Self.isFull ? 20 : 3) {
            let answers = try await issue(Array(repeating: try body(of: customer), count: 300))
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.status == 200 } == 299)
            #expect(Set(answers.compactMap { $0.json["issuedOfferId"] as? String }).count == 1)
        }
        try await stop()
    }

    @Test("customers at once get as many places as there are, whichever server they meet (invariant 2)")
    func total() async throws {
        let (places, askers) = Self.isFull ? (1_000, 5_000) : (40, 200)
        let applied = try await servers[0].ask(
            "PUT", "/v1/catalog", token: try installation.token(.marketing),
            body: TestCatalog.yaml.replacing("[ { count: 1, per: customer } ]", with: "[ { count: \(places) } ]"),
            headers: ["Content-Type": "application/yaml", "If-Match": "\"0\""], client: client)
        try #require(applied.status == 200)
        var statuses: [Int: Int] = [:]
        for first in stride(from: 1, through: askers, by: 500) {
            let bodies = try (first..<min(first + 500, askers + 1)).map(body)
            for answer in try await issue(bodies) { statuses[answer.status, default: 0] += 1 }
        }
        #expect(statuses == [201: places, 403: askers - places])
        let issued = try await installation.reading { transaction in
            try transaction.rows(Statement("SELECT id FROM issued_offer")).count
        }
        #expect(issued == places)
        try await stop()
    }
}
