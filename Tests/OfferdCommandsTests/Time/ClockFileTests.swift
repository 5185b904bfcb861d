import AsyncHTTPClient
import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("serve --clock-file")
struct ClockFileTests {
    private static let start: Int64 = 1_893_456_000_000

    @Test("the file is the time of every request, a bad one lets the last time go on, and a step back is told")
    func clock() async throws {
        let installation = try await Installation()
        func set(_ text: String) throws { try installation.directory.write(text, to: "clock") }
        try set("\(Self.start)\n")
        let server = try await RunningServer.start(installation, arguments: ["--clock-file", "clock"])
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        let support = try installation.token(.support)
        func appliedAt() async throws -> Int64? {
            let answer = try await server.ask(
                "GET", "/v1/catalog/revisions", token: try installation.token(.marketing), client: client)
            return ((answer.json["items"] as? [[String: Any]])?.first?["createdAt"] as? NSNumber)?.int64Value
        }
        #expect(try await appliedAt() == Self.start)

        for text in ["", "soon", "-1", "253402300800000"] {
            try set(text)
            let answer = try await server.ask("GET", "/readyz", token: support, client: client)
            #expect(answer.status == 200, "\(text)")
        }

        try set("\(Self.start - 60_001)")
        let behind = try await server.ask(
            "POST", "/v1/decisions", token: support, body: #"{"customer":{"customerId":"c"}}"#, client: client)
        #expect(behind.status == 503 && behind.json["code"] as? String == "clock-behind")
        #expect(behind.headers["retry-after"] == "1")
        let red = try await server.ask("GET", "/readyz", token: support, client: client)
        #expect(red.status == 503 && red.json["code"] as? String == "clock-behind")

        try set("\(Self.start - 60_000)")
        #expect(try await server.ask("GET", "/readyz", token: support, client: client).status == 200)
        try await client.shutdown()
        #expect(await server.stop() == 0)

        let log = try #require(try installation.logs().first)
        #expect(
            log.split(separator: "\n").count { $0.contains("has no valid time; the last one read stays in use") } == 1,
            "\(log)")
        #expect(log.split(separator: "\n").count { $0.contains("holds a time again") } == 1)
    }
}
