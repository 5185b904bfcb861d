import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OfferModel
import OfferTestSupport
import Testing

@Suite("The operators' page of a server")
struct OperatorPageTests {
    @Test("it says what `/metrics` says, to a person that the configured proxy names", .timeLimit(.minutes(2)))
    func agrees() async throws {
        let installation = try await Installation()
        let yaml = try String(contentsOfFile: installation.directory.path("offerd.yaml"), encoding: .utf8)
        let key = try #require(try installation.token(.admin).split(separator: "_").dropFirst(3).first)
        let more = """
            metrics: 127.0.0.1:0
            trustedProxies: [127.0.0.1/32]
            console: { proxyUsers: { header: X-Forwarded-User, keys: { anna: \(key) } } }

            """
        try installation.directory.write(yaml + more, to: "offerd.yaml")
        for arguments in [["backup", "--out", "copy.sqlite"], ["verify-ledger"]] where !TestStore.isPostgres {
            let command = try await Installation.offerd.run(
                arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
            #expect(command.status == 0, "\(command.errorText)")
        }
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        func text(_ url: String, _ user: String? = nil) async throws -> String {
            var request = HTTPClientRequest(url: url)
            if let user { request.headers.add(name: "X-Forwarded-User", value: user) }
            let response = try await client.execute(request, timeout: .seconds(60))
            return String(buffer: try await response.body.collect(upTo: 1_024 * 1_024))
        }
        func scrape() async throws -> Scrape { Scrape(try await text(try #require(server.metricsURL))) }
        func page() async throws -> String { try await text("\(server.url)/console/operations", "anna") }

        let (before, shown) = (try await scrape(), try await page())
        #expect(shown.contains("<span>anna, admin key \(key)</span>"))
        #expect(before["offerd_ready"] == 1)
        #expect(shown.contains(#"<span class="badge valid">ready</span>"#))
        let works = "offerd_signing_key_works{app=\"com.example.pro\",environment=\"LocalTesting\",key=\"LOCALTEST1\"}"
        #expect(before[works] == 1)
        #expect(shown.contains(#"<code>LOCALTEST1</code> <span class="badge valid">works</span>"#))
        for (term, metric) in [
            ("Last backup", "offerd_backup_last_success_timestamp_seconds"),
            ("Last proof of the ledger", "offerd_ledger_proof_last_success_timestamp_seconds"),
        ] where !TestStore.isPostgres {
            let at = Instant(milliseconds: Int64((try #require(before[metric]) * 1_000).rounded()))
            #expect(shown.contains(#"<dt>\#(term)</dt><dd><time datetime="\#(at)">"#), "\(term)")
        }
        #expect((before["offerd_disk_free_bytes"] == nil) == !shown.contains("<dt>Disk</dt>"))
        #expect(shown.contains("<dt>Last reload</dt><dd>none since the start</dd>"))
        #expect(before["offerd_reload_succeeded"] == 1)

        try installation.directory.write(yaml + more + "retention: never\n", to: "offerd.yaml")
        while try await scrape()["offerd_reload_succeeded"] != 0 { await Task.yield() }
        let refused = try await page()
        #expect(refused.contains(#"<span class="badge invalid">refused</span>"#))
        #expect(refused.contains(#"<div class="notice" role="alert">"#))
        #expect(try await text("\(server.url)/console/operations", "eve").contains("<h1>Sign in</h1>"))
        try await client.shutdown()
        #expect(await server.stop() == 0)
    }
}
