import AsyncHTTPClient
import Foundation
import NIOCore
import OfferTestSupport
import Testing

@Suite("The role of one of all servers")
struct RoleTests {
    @Test(
        "one of two servers has it, as the metrics of both say, and the other one takes it over",
        .timeLimit(.minutes(2)))
    func takenOver() async throws {
        let installation = try await Installation()
        let path = installation.directory.path("offerd.yaml")
        let yaml = try String(contentsOfFile: path, encoding: .utf8)
        try installation.directory.write(yaml + "metrics: 127.0.0.1:0\n", to: "offerd.yaml")
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        func elected(_ server: RunningServer) async throws -> Double? {
            let url = try #require(server.metricsURL)
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
            return Scrape(String(buffer: try await response.body.collect(upTo: 1_024 * 1_024)))["offerd_elected"]
        }
        // No server gets a request: the role must not depend on that.
        let first = try await RunningServer.start(installation)
        while try await elected(first) != 1 { await Task.yield() }
        let second = try await RunningServer.start(installation)
        #expect(try await elected(second) == 0)
        #expect(try await elected(first) == 1)
        await first.kill()
        while try await elected(second) != 1 { await Task.yield() }
        let third = try await RunningServer.start(installation)
        #expect(try await elected(third) == 0)
        #expect(await second.stop() == 0)
        while try await elected(third) != 1 { await Task.yield() }
        try await client.shutdown()
        #expect(await third.stop() == 0)
    }
}
