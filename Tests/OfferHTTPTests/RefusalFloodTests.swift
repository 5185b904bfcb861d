import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite("A flood of identical refusals")
struct RefusalFloodTests {
    /// `OFFERD_REFUSALS=10000` for the long form.
    private static let count = ProcessInfo.processInfo.environment["OFFERD_REFUSALS"].flatMap { Int($0) } ?? 1_000

    /// Sends a request so many times over one connection, and gives the bodies without their `requestId`.
    private func answers(_ body: String, _ count: Int, token: String, on service: ServiceFixture) async throws -> Set<
        String
    > {
        try await RawConnection.use(port: service.port) { connection in
            let request = """
                POST /v1/issued-offers HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(token)\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
            var answers = Set<String>()
            for _ in 0..<count {
                connection.send(request)
                // `type` is the last member of a problem.
                let answer = try connection.read(until: #""urn:offerd:problem:not-eligible"}"#)
                let body = answer.components(separatedBy: "\r\n\r\n").last ?? ""
                answers.insert(body.replacing(/"requestId":"[^"]*"/, with: ""))
            }
            return answers
        }
    }

    /// Bytes of the database and its log.
    private func size(_ service: ServiceFixture) throws -> Int {
        try ["", "-wal"].map { ending in
            let path = service.directory.path("offers.sqlite\(ending)")
            return (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }.reduce(0, +)
    }

    @Test(
        "it adds less than 64 KiB to the database and its log, and each answer is the same (attack: filling the disk)",
        arguments: ["known", "unknown"])
    func flood(customer: String) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let signed = try service.lapsedCustomer("1")
            _ = try await service.ask(
                "POST", "/v1/transactions", token: token,
                body: """
                    {"historyComplete":true,"signedTransactions":\(String(
                        decoding: try JSONEncoder().encode(signed.signedTransactions), as: UTF8.self))}
                    """)
            let marketing = try await service.token(.marketing)
            _ = try await service.ask("POST", "/v1/offers/comeback/pause", token: marketing)
            let body =
                customer == "known"
                ? #"{"offerId":"trial","customer":{"originalTransactionId":"1"}}"#
                : #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#
            let before = try size(service)
            let answers = try await answers(body, Self.count, token: token, on: service)
            #expect(answers.count == 1)
            let growth = try size(service) - before
            #expect(growth < 64 * 1_024, "\(Self.count) refusals added \(growth) bytes")
            #expect(try service.rows("SELECT COUNT(*) FROM decision") == [["1"]])
        }
    }
}
