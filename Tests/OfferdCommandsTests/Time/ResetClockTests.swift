import AsyncHTTPClient
import Foundation
import OfferTestSupport
import Testing

@Suite("doctor --reset-clock")
struct ResetClockTests {
    private func doctor(_ arguments: String..., in installation: Installation) async throws -> Command {
        try await Installation.offerd.run(
            ["doctor", "--config", "offerd.yaml"] + arguments, directory: installation.directory.url)
    }

    private func sql(_ text: String, _ installation: Installation) throws {
        let run = try Command.run("sqlite3", ["offers.sqlite", text], directory: installation.directory.url)
        try #require(run.status == 0, "\(run.errorText)")
    }

    @Test("after a clock that ran ahead the doctor says so, resets on demand, and the running server goes on at once")
    func reset() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        try await TestCatalog.apply(installation, server, client: client)
        #expect(try await doctor(in: installation).status == 0)
        try sql("UPDATE store_state SET last_instant = last_instant + 86400000", installation)
        let use =
            "INSERT INTO api_key_use (api_key_id, last_used_at) SELECT id, unixepoch() * 1000 + 86400000 FROM api_key LIMIT 1"
        try sql(use, installation)

        func ready() async throws -> Int {
            try await server.ask("GET", "/readyz", token: "", client: client).status
        }
        #expect(try await ready() == 503)
        let told = try await doctor("--json", in: installation)
        #expect(told.status == 1)
        let document = try JSONSerialization.jsonObject(with: Data(told.output))
        let report = try #require(document as? [String: Any])
        let checks = try #require(report["checks"] as? [[String: Any]])
        #expect(report["ok"] as? Bool == false)
        #expect(checks.filter { $0["verdict"] as? String == "failed" }.map { $0["name"] as? String } == ["clock"])
        #expect(checks.first { $0["name"] as? String == "clock" }?["hint"] as? String != nil)

        let reset = try await doctor("--reset-clock", in: installation)
        #expect(
            reset.status == 0 && reset.text.hasPrefix("requests are dated by the clock again"), "\(reset.errorText)")
        let future = "SELECT COUNT(*) FROM api_key_use WHERE last_used_at > unixepoch() * 1000 + 60000"
        let uses = try Command.run("sqlite3", ["offers.sqlite", future], directory: installation.directory.url)
        #expect(uses.text == "0\n", "when an API key was last used is not in the future either")
        #expect(try await ready() == 200)
        let idle = try await doctor("--reset-clock", in: installation)
        #expect(idle.status == 0 && idle.text.hasPrefix("nothing was changed"))
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }

    @Test("where Apple's data is later it is the clock that is wrong, and nothing is changed")
    func refused() async throws {
        let installation = try await Installation()
        try sql("UPDATE store_state SET last_instant = 4102444800000, newest_signed_date = 4102444800000", installation)
        let run = try await doctor("--reset-clock", in: installation)
        #expect(
            run.status == 1 && run.errorText.contains("behind data that the App Store has signed"), "\(run.errorText)")
        #expect(run.errorText.contains("hint: set the clock right"))
        let left = try Command.run(
            "sqlite3", ["offers.sqlite", "SELECT last_instant FROM store_state"], directory: installation.directory.url)
        #expect(left.text == "4102444800000\n")
    }
}
