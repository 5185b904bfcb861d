import AsyncHTTPClient
import Foundation
import NIOCore
import OfferModel
import OfferTestSupport
import Testing

/// Each alert about one metric goes out at a real server in the condition that it is for, and ends with it. What goes out
/// is what the rules file says, read by ``AlertRule``; `promtool` judges the file by itself (alerts-test.yaml).
@Suite("Alerts", .timeLimit(.minutes(10)))
struct AlertTests {
    /// A server, its metrics, and the alerts about it.
    private struct Watch {
        let installation: Installation
        let server: RunningServer
        let client: HTTPClient
        let rules: [AlertRule]

        static func during(
            _ installation: Installation, arguments: [String] = [], _ body: (Watch) async throws -> Void
        ) async throws {
            let directory = installation.directory
            let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
            try directory.write(yaml + "metrics: 127.0.0.1:0\n", to: "offerd.yaml")
            let client = HTTPClient(configuration: HTTPClient.Configuration())
            let server = try await RunningServer.start(installation, arguments: arguments)
            do {
                try await body(
                    Watch(installation: installation, server: server, client: client, rules: try AlertRule.all()))
            } catch {
                try? await client.shutdown()
                _ = await server.stop()
                throw error
            }
            try await client.shutdown()
            #expect(await server.stop() == 0)
        }

        func scrape() async throws -> Scrape {
            let url = try #require(server.metricsURL)
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
            return Scrape(String(buffer: try await response.body.collect(upTo: 1_024 * 1_024)))
        }

        /// The series that an alert is about now.
        func series(_ alert: String) async throws -> [String] {
            let rule = try #require(rules.first { $0.name == alert }, "there is no alert \(alert)")
            let now = Date().timeIntervalSince1970
            return try rule.series(in: try await scrape(), at: now)
        }

        func out(_ alert: String) async throws -> Bool { try await !series(alert).isEmpty }

        /// Waits until an alert goes out, or ends.
        func until(_ alert: String, isOut: Bool) async throws {
            try await OfferdCommandsTests.until("\(alert) is \(isOut ? "out" : "over")") {
                try await out(alert) == isOut
            }
        }

        func run(_ arguments: String...) async throws {
            let run = try await Installation.offerd.run(
                arguments + ["--config", "offerd.yaml"], directory: installation.directory.url)
            try #require(run.status == 0, "\(arguments): \(run.errorText)")
        }

        func shell(_ script: String) throws {
            let run = try Command.run("sh", ["-ec", script], directory: installation.directory.url)
            try #require(run.status == 0, "\(run.errorText)")
        }

        func ask(_ method: String, _ path: String, _ role: Role, _ body: String? = nil) async throws -> Int {
            try await server.ask(method, path, token: try installation.token(role), body: body, client: client).status
        }

        func issue(_ offer: String, to customer: Int) async throws -> Int {
            try await ask(
                "POST", "/v1/issued-offers", .client,
                """
                {"offerId":"\(offer)","customer":{"originalTransactionId":"\(Installation.originalTransactionId(customer))"},\
                \(try installation.lapsedCustomer(customer))}
                """)
        }
    }

    @Test("OfferdReloadFailed: keys.yaml gets a mistake, which a start would refuse, and is corrected")
    func reload() async throws {
        try await Watch.during(try await Installation()) { watch in
            #expect(try await !watch.out("OfferdReloadFailed"))
            try watch.shell("cp keys.yaml right; sed 's/signing.p8/missing.p8/' right >keys.yaml")
            watch.server.signal(SIGHUP)
            try await watch.until("OfferdReloadFailed", isOut: true)
            #expect(try await watch.scrape()["offerd_ready"] == 1, "the server keeps the configuration it has")
            try watch.shell("cp right keys.yaml")
            watch.server.signal(SIGHUP)
            try await watch.until("OfferdReloadFailed", isOut: false)
        }
    }

    @Test("OfferdCertificateEnds: a certificate has ten days left, then an authority of clients, and both are renewed")
    func certificates() async throws {
        let installation = try await Installation()
        let directory = installation.directory
        func certificate(_ name: String, days: Int) throws {
            // Under another name first: a file that is half written would be read.
            let made = try Command.run(
                "sh",
                [
                    "-ec",
                    """
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days \(days) \
                    -subj /CN=\(name) -keyout new.key -out new.pem
                    mv new.key \(name).key; mv new.pem \(name).pem
                    """,
                ], directory: directory.url)
            try #require(made.status == 0, "\(made.errorText)")
        }
        try certificate("tls", days: 10)
        try certificate("ca", days: 400)
        let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
        try directory.write(
            yaml + "tls: { certificate: tls.pem, key: tls.key, clientCertificates: ca.pem }\n", to: "offerd.yaml")
        let name = "offerd_certificate_expires_timestamp_seconds"
        try await Watch.during(installation) { watch in
            #expect(try await watch.series("OfferdCertificateEnds") == ["\(name){use=\"tls\"}"])
            try certificate("tls", days: 400)
            try certificate("ca", days: 10)
            try await until("the authority is in force") {
                try await watch.series("OfferdCertificateEnds") == ["\(name){use=\"clientCertificates\"}"]
            }
            try certificate("ca", days: 400)
            try await watch.until("OfferdCertificateEnds", isOut: false)
        }
    }

    @Test("OfferdAPIKeyEnds: a key has ten days left and is revoked, another is rotated, and one has a year")
    func keys() async throws {
        let installation = try await Installation()
        func create(_ role: String, validFor period: String) async throws -> String {
            let made = try await Installation.offerd.run(
                [
                    "api-keys", "create", "--app", "com.example.pro", "--environment", "LocalTesting", "--role", role,
                    "--valid-for", period, "--config", "offerd.yaml",
                ], directory: installation.directory.url)
            try #require(made.status == 0, "\(made.errorText)")
            return made.text.trimmingCharacters(in: .newlines)
        }
        _ = try await create("admin", validFor: "P1Y")
        let (client, support) = (
            try await create("client", validFor: "P10D"), try await create("support", validFor: "P10D")
        )
        func series(_ role: String) -> String {
            "offerd_api_key_expires_timestamp_seconds{app=\"com.example.pro\",environment=\"LocalTesting\",role=\"\(role)\"}"
        }
        try await Watch.during(installation) { watch in
            #expect(try await watch.scrape()[series("admin")] != nil)
            #expect(try await watch.series("OfferdAPIKeyEnds") == [series("client"), series("support")])
            try await watch.run("api-keys", "revoke", client)
            #expect(try await watch.series("OfferdAPIKeyEnds") == [series("support")])
            try await watch.run("api-keys", "rotate", support, "--valid-for", "P90D")
            #expect(try await !watch.out("OfferdAPIKeyEnds"))
        }
    }

    @Test(
        "OfferdBackupOld: a database was never backed up, then a backup is made; a failed one does not count",
        .onSQLite("the backup of a server is its own"))
    func backup() async throws {
        try await Watch.during(try await Installation()) { watch in
            #expect(try await watch.out("OfferdBackupOld"))
            try watch.shell("echo mine >taken.sqlite")
            let failed = try await Installation.offerd.run(
                ["backup", "--out", "taken.sqlite", "--config", "offerd.yaml"],
                directory: watch.installation.directory.url)
            #expect(failed.status == 1)
            #expect(try await watch.out("OfferdBackupOld"))
            try await watch.run("backup", "--out", "copy.sqlite")
            #expect(try await !watch.out("OfferdBackupOld"))
            let made = try #require(try await watch.scrape()["offerd_backup_last_success_timestamp_seconds"])
            #expect(abs(made - Date().timeIntervalSince1970) < 300)
        }
    }

    @Test("OfferdLedgerUnproven: the ledger was never proven, and is")
    func proof() async throws {
        try await Watch.during(try await Installation()) { watch in
            #expect(try await watch.out("OfferdLedgerUnproven"))
            try await watch.run("verify-ledger")
            #expect(try await !watch.out("OfferdLedgerUnproven"))
        }
    }

    @Test("OfferdWitnessFailing: the witness goes away while the server runs, and comes back")
    func witness() async throws {
        let installation = try await Installation.withAudit()
        let keys = try String(contentsOfFile: installation.directory.path("keys.yaml"), encoding: .utf8)
        try installation.directory.write(
            keys.replacing("digestKey: digest.key }", with: "digestKey: digest.key, witness: witness }"),
            to: "keys.yaml")
        try await Watch.during(installation) { watch in
            try await until("the witness was tried") { try await watch.scrape()["offerd_witness_works"] == 1 }
            #expect(try await !watch.out("OfferdWitnessFailing"))
            try watch.shell("mv witness away; mkdir witness")
            try await watch.until("OfferdWitnessFailing", isOut: true)
            try watch.shell("rmdir witness; mv away witness")
            try await watch.until("OfferdWitnessFailing", isOut: false)
        }
    }

    @Test("OfferdPausedLong: an offer is paused for two days and resumed; a pause of an hour is none of its business")
    func paused() async throws {
        let installation = try await Installation()
        func setClock(_ age: Double) throws {
            try installation.directory.write("\(Int64((Date().timeIntervalSince1970 - age) * 1_000))\n", to: "clock")
        }
        try setClock(2 * 86_400)
        try await Watch.during(installation, arguments: ["--clock-file", "clock"]) { watch in
            try await TestCatalog.apply(installation, watch.server, client: watch.client)
            #expect(try await watch.ask("POST", "/v1/offers/comeback/pause", .marketing) == 200)
            let scope = #"app="com.example.pro",environment="LocalTesting""#
            let name = "offerd_paused_since_timestamp_seconds"
            #expect(try await watch.series("OfferdPausedLong") == [#"\#(name){\#(scope),offer="comeback"}"#])
            try setClock(3_600)
            #expect(try await watch.ask("POST", "/v1/offers/pause", .marketing) == 200)
            #expect(try await watch.scrape()[#"\#(name){\#(scope),offer="*"}"#] != nil)
            #expect(try await watch.ask("POST", "/v1/offers/comeback/resume", .marketing) == 200)
            #expect(try await !watch.out("OfferdPausedLong"))
            // Paused two days ago for a week, it is not forgotten; and when the week is over, it is not paused.
            try setClock(2 * 86_400)
            let end = Int64((Date().timeIntervalSince1970 + 5 * 86_400) * 1_000)
            let body = #"{"until":\#(end),"reason":"out of codes"}"#
            #expect(try await watch.ask("POST", "/v1/offers/comeback/pause", .marketing, body) == 200)
            try setClock(3_600)
            let until = #"offerd_paused_until_timestamp_seconds{\#(scope),offer="comeback"}"#
            #expect(try await watch.scrape()[until] == Double(end) / 1_000)
            #expect(try await !watch.out("OfferdPausedLong"))
            try setClock(-6 * 86_400)
            #expect(try await watch.scrape()[until] == nil)
        }
    }

    @Test(
        "OfferdLimitNearlyUsed and OfferdLimitUsed: a total and a budget are used, and raised; an archived offer is silent"
    )
    func limits() async throws {
        func catalog(total: Int, budget: String, status: String = "active") -> String {
            TestCatalog.yaml(["comeback", "saving"])
                .replacing("status: active", with: "status: \(status)")
                .replacing(
                    "limits: [ { count: 1, per: customer } ]", with: "limits: [ { count: \(total) } ]",
                    maxReplacements: 1
                )
                .replacing(
                    "limits: [ { count: 1, per: customer } ]",
                    with: "limits: [ { spend: \"\(budget)\", currency: USD } ]")
        }
        let installation = try await Installation()
        func series(_ offer: String, _ limit: String) -> String {
            #"offerd_limit_used_ratio{app="com.example.pro",environment="LocalTesting",offer="\#(offer)",limit="\#(limit)"}"#
        }
        try await Watch.during(installation) { watch in
            func apply(_ yaml: String, over revision: Int) async throws {
                try await TestCatalog.apply(installation, watch.server, yaml, over: revision, client: watch.client)
            }
            try await apply(catalog(total: 5, budget: "18.00"), over: 0)
            #expect(try await watch.scrape()[series("comeback", "total")] == 0)
            for customer in 1...3 { #expect(try await watch.issue("comeback", to: customer) == 201) }
            #expect(try await !watch.out("OfferdLimitNearlyUsed"))
            #expect(try await watch.issue("comeback", to: 4) == 201)
            #expect(try await watch.series("OfferdLimitNearlyUsed") == [series("comeback", "total")])
            #expect(try await !watch.out("OfferdLimitUsed"))
            #expect(try await watch.issue("comeback", to: 5) == 201)
            #expect(try await watch.series("OfferdLimitUsed") == [series("comeback", "total")])
            #expect(try await watch.issue("comeback", to: 6) == 403)

            // Half price for three months saves 15.00.
            #expect(try await watch.issue("saving", to: 7) == 201)
            #expect(try await watch.scrape()[series("saving", "USD")] == 15.0 / 18.0)
            #expect(
                try await watch.series("OfferdLimitNearlyUsed") == [
                    series("comeback", "total"), series("saving", "USD"),
                ])
            try await apply(catalog(total: 50, budget: "14.00"), over: 1)
            #expect(try await watch.series("OfferdLimitUsed") == [series("saving", "USD")])
            try await apply(catalog(total: 50, budget: "140.00"), over: 2)
            #expect(try await !watch.out("OfferdLimitNearlyUsed"))
            #expect(try await !watch.out("OfferdLimitUsed"))
            try await apply(catalog(total: 5, budget: "140.00", status: "archived"), over: 3)
            #expect(try await !watch.out("OfferdLimitUsed"))
            #expect(try await watch.scrape()[series("comeback", "total")] == nil)
        }
    }

    @Test("OfferdClockAhead: the clock is two minutes ahead, and is set right")
    func clock() async throws {
        let installation = try await Installation()
        func setClock(ahead seconds: Double) throws {
            let now = Int64((Date().timeIntervalSince1970 + seconds) * 1_000)
            try installation.directory.write("\(now)\n", to: "clock")
        }
        try setClock(ahead: 0)
        try await Watch.during(installation, arguments: ["--clock-file", "clock"]) { watch in
            #expect(try await !watch.out("OfferdClockAhead"))
            try setClock(ahead: 120)
            #expect(try await watch.out("OfferdClockAhead"))
            try setClock(ahead: 0)
            #expect(try await !watch.out("OfferdClockAhead"))
        }
    }

    @Test(
        "OfferdDatabaseMoved: the files of the database are moved away, and back",
        .onSQLite("a database on a server has no path"))
    func moved() async throws {
        try await Watch.during(try await Installation()) { watch in
            #expect(try await !watch.out("OfferdDatabaseMoved"))
            try watch.shell("mkdir away; mv offers.sqlite offers.sqlite-wal offers.sqlite-shm away/")
            #expect(try await watch.out("OfferdDatabaseMoved"))
            #expect(try await watch.out("OfferdNotReady"))
            try watch.shell("mv away/* .")
            #expect(try await !watch.out("OfferdDatabaseMoved"))
            #expect(try await !watch.out("OfferdNotReady"))
        }
    }

    @Test("the runbook of each alert is a section of a document that the package installs")
    func runbooks() throws {
        let rules = try AlertRule.all()
        #expect(rules.count > 30)
        for rule in rules {
            let parts = rule.runbook.split(separator: "#", maxSplits: 1).map(String.init)
            let path = try #require(
                parts.first?.wholeMatch(of: /file:\/\/\/usr\/share\/doc\/offerd\/(docs\/[a-z-]+\.md)/))
            let page = try String(
                contentsOf: AlertRule.root.appending(path: String(path.output.1)), encoding: .utf8)
            let anchors = page.matches(of: /(?:^|\n)#+ ([^\n]+)/).map { heading in
                heading.output.1.lowercased().replacing(" ", with: "-")
                    .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            }
            #expect(parts.count == 2 && anchors.contains(parts[1]), "\(rule.name): \(rule.runbook)")
        }
    }

    @Test("an expression of another form is not taken for one that does not hold")
    func unreadable() throws {
        let scrape = Scrape("# HELP a x\n# TYPE a gauge\na{b=\"1\"} 5\na{b=\"2\"} 3\n")
        func series(_ expression: String) throws -> [String] {
            try AlertRule(name: "A", expression: expression, runbook: "").series(in: scrape, at: 10)
        }
        #expect(try series("a > 4") == [#"a{b="1"}"#])
        #expect(try series("time() - a > 5") == [#"a{b="2"}"#])
        #expect(try series("a - time() < -5.5") == [#"a{b="2"}"#])
        #expect(try series("a - timestamp(a) >= 0") == [])
        #expect(try series(#"a{b!="1"} == 3"#) == [#"a{b="2"}"#])
        for other in ["rate(a[5m]) > 1", "a / b > 1", "a - timestamp(b) > 1", #"a{b=~"1"} > 1"#, "a", "a > 1 < 3"] {
            #expect(throws: AlertRule.Unreadable.self) { try series(other) }
        }
    }
}
