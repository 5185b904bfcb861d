import AsyncHTTPClient
import CommandLineSupport
import Foundation
import LocalAppStore
import NIOCore
import NIOHTTP1
import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("A service that is observed")
struct ObservedServiceTests {
    private static let ofServers: Set = [
        "offerd_database_lock_wait_seconds_total", "offerd_database_round_trips_total",
    ]
    /// Those of what this traffic does not have: ``AlertTests`` asks for each.
    private static let ofOthers: Set = [
        "offerd_api_key_expires_timestamp_seconds", "offerd_certificate_expires_timestamp_seconds",
        "offerd_limit_used_ratio", "offerd_paused_since_timestamp_seconds",
        "offerd_paused_until_timestamp_seconds", "offerd_witness_works",
    ]

    @Test("real traffic is in `/metrics` and in the log as it was, and nothing secret is in either")
    func traffic() async throws {
        let traffic = try await ObservedTraffic.run()
        let (scrape, later) = (traffic.scrapes[0], traffic.scrapes[1])
        #expect(scrape.faults == [])
        #expect(later.faults == [])
        traffic.expectRequests(scrape)
        traffic.expectDecisions(scrape)
        traffic.expectHealth(scrape)

        // What counts never falls, and a scrape is no request.
        for (series, value) in scrape.values where scrape.types[String(series.prefix { $0 != "{" })] != "gauge" {
            #expect((later[series] ?? -1) >= value, "\(series)")
        }
        for series in scrape.values.keys where series.hasPrefix("offerd_http_requests_total") {
            #expect(later[series] == scrape[series], "\(series)")
        }

        // Every metric that is described has a sample, and every sample is described; but for those of a database server
        // and of what is not configured.
        #expect(Set(scrape.types.keys) == Set(MetricDescription.all.keys))
        let families = Set(
            scrape.names.map { name in
                ["_bucket", "_sum", "_count"].lazy.filter(name.hasSuffix).map { String(name.dropLast($0.count)) }
                    .first { scrape.types[$0] == "histogram" } ?? name
            })
        #expect(families == Set(MetricDescription.all.keys).subtracting(Self.ofServers.union(Self.ofOthers)))

        try traffic.expectLog()
        for text in [scrape.text, traffic.log] {
            // A short number may be part of another one.
            let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init))
            for secret in traffic.secrets {
                let isShown = secret.count < 16 ? words.contains(secret) : text.contains(secret)
                #expect(!isShown, "\(secret) is in the open")
            }
        }
        #expect(traffic.secrets.count > 20)
        try Self.expectExamples(scrape)
        try Self.expectPromtool(scrape)
    }

    @Test("without `metrics` nothing listens for it, and the log is text")
    func off() async throws {
        let installation = try await Installation()
        let server = try await RunningServer.start(installation)
        #expect(server.metricsURL == nil)
        #expect(await server.stop() == 0)
        #expect(try installation.logs().joined().contains("offerd: "))
    }

    @Test("the address of the metrics comes from the environment too, and must not be that of the service")
    func address() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(
            "listen: 127.0.0.1:8080\ndatabase: a\nkeys: keys.yaml\nmetrics: 127.0.0.1:1\n", to: "offerd.yaml")
        try directory.write(
            """
            apps:
              - bundleId: com.example.pro
                issuerId: 57246542-96fe-1a63-e053-0824d011072a
                environments: [LocalTesting]
                keys:
                  - { keyId: LOCALTEST1, privateKey: signing.p8, use: signing }
            """, to: "keys.yaml")
        func metrics(_ variables: [String: String], listen: String? = nil) throws -> String? {
            try ServerSetup.read(config: path, listen: listen, environment: variables)
                .configuration.metrics?.description
        }
        #expect(try metrics([:]) == "127.0.0.1:1")
        #expect(try metrics(["OFFERD_METRICS": "[::1]:9464"]) == "[::1]:9464")
        #expect(try metrics(["OFFERD_METRICS": ""]) == "127.0.0.1:1")
        for (variables, listen) in [
            (["OFFERD_METRICS": "127.0.0.1:8080"], nil), ([:], "127.0.0.1:1"), (["OFFERD_METRICS": "9464"], nil),
        ] {
            #expect(throws: (any Error).self) { try metrics(variables, listen: listen) }
        }
    }

    /// The names that the dashboard and the alerts ask for are there, and each alert has its entry in
    /// docs/monitoring.md.
    private static func expectExamples(_ scrape: Scrape) throws {
        let known = scrape.names.union(scrape.types.keys)
        for file in ["dashboard.json", "alerts.yaml"] {
            let text = try Self.text("Examples/monitoring/\(file)")
            let names = Set(text.matches(of: /\b(?:offerd|process)_[a-z_]+/).map { String($0.output) })
            #expect(names.count > 10)
            #expect(names.subtracting(known) == [], "\(file)")
        }
        let page = try Self.text("docs/monitoring.md")
        let alerts = try Self.text("Examples/monitoring/alerts.yaml")
        let names = alerts.matches(of: /- alert: (\w+)/).map { String($0.output.1) }
        #expect(names.count > 10)
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(page.contains("\n### \(name)\n"), "\(name) has no entry")
            #expect(alerts.contains("/docs/monitoring.md#\(name.lowercased())\n"), "\(name)")
        }
        let listed = page.matches(of: /\n\| `((?:offerd|process)_[a-z_]+)` \|/).map { String($0.output.1) }
        #expect(listed.sorted() == MetricDescription.all.keys.sorted())
        _ = try JSONSerialization.jsonObject(with: Data(try Self.text("Examples/monitoring/dashboard.json").utf8))
    }

    /// Prometheus' own judge, where it is installed.
    private static func expectPromtool(_ scrape: Scrape) throws {
        guard (try? Command.run("promtool", ["--version"]))?.status == 0 else {
            print("promtool is not installed: its rules were not checked")
            return
        }
        let metrics = try Command.run("promtool", ["check", "metrics"], input: Array(scrape.text.utf8))
        #expect(metrics.status == 0, "\(metrics.errorText)")
        let folder = root.appending(path: "Examples/monitoring")
        let cases = root.appending(path: "Tests/OfferdCommandsTests/Fixtures/alerts-test.yaml").path
        for arguments in [
            ["check", "rules", "alerts.yaml"], ["check", "config", "prometheus.yaml"], ["test", "rules", cases],
        ] {
            let judged = try Command.run("promtool", arguments, directory: folder)
            #expect(judged.status == 0, "\(judged.text)\(judged.errorText)")
        }
    }

    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}

/// The requests to a service, its log and metrics about them, and texts that must not be in these.
private struct ObservedTraffic {
    var scrapes: [Scrape] = []
    var log = ""
    var secrets: Set<String> = []
    /// The decisions that the answers named.
    var decisions: [String] = []
    let keyId: String

    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let account = "5ad8f2c1-9b7e-4c3d-8a6f-0e1d2c3b4a59"
    private static let yaml = TestCatalog.yaml.replacing(
        "    eligibility: { fact: subscription.state, in: [expired] }\n", with: "")

    static func run() async throws -> ObservedTraffic {
        let installation = try await Installation()
        let directory = installation.directory
        let yaml = try String(contentsOfFile: directory.path("offerd.yaml"), encoding: .utf8)
        // Nothing listens there.
        let webhook =
            "{ url: 'http://127.0.0.1:9/', secrets: [whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw], events: [offer.issued] }"
        try directory.write(
            yaml + "metrics: 127.0.0.1:0\nlog: json\nwebhooks: [\(webhook)]\n", to: "offerd.yaml")
        let server = try await RunningServer.start(installation)
        let client = HTTPClient(configuration: HTTPClient.Configuration())
        let keyId = try #require(try installation.token(.client).split(separator: "_").dropFirst(3).first)
        var traffic = ObservedTraffic(keyId: String(keyId))
        do {
            try await traffic.ask(installation, server, client)
            try await traffic.scrape(server, client)
            try await traffic.scrape(server, client)
        } catch {
            try? await client.shutdown()
            _ = await server.stop()
            throw error
        }
        try await client.shutdown()
        #expect(await server.stop() == 0)
        traffic.log = try installation.logs().joined()
        traffic.secrets.insert("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        for token in installation.tokens.values {
            traffic.secrets.insert(token)
            if let secret = token.split(separator: "_").last { traffic.secrets.insert(String(secret)) }
        }
        let key = try String(contentsOfFile: directory.path("signing.p8"), encoding: .utf8)
        traffic.secrets.formUnion(key.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init))
        return traffic
    }

    /// Issued, reused, signed again, redeemed, refused by a limit, dry runs, notifications, and mistakes.
    private mutating func ask(
        _ installation: Installation, _ server: RunningServer, _ client: HTTPClient
    ) async throws {
        try await TestCatalog.apply(installation, server, Self.yaml, client: client)
        func body(_ id: Int, _ more: String = "") throws -> String {
            """
            {"offerId":"comeback","customer":{"originalTransactionId":"\(Installation.originalTransactionId(id))",\
            "appAccountToken":"\(Self.account.dropLast())\(id)"},\(try installation.lapsedCustomer(id))\(more)}
            """
        }
        func send(
            _ method: String, _ path: String, _ role: Role = .client, _ text: String? = nil,
            _ headers: [String: String] = [:], expecting status: Int
        ) async throws -> RunningServer.Answer {
            let answer = try await server.ask(
                method, path, token: try installation.token(role), body: text, headers: headers, client: client)
            #expect(answer.status == status, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
            note(text ?? "", answer)
            return answer
        }
        let (issue, first) = ("/v1/issued-offers", try body(1))
        _ = try await send(
            "POST", issue, .client, first, ["traceparent": "00-\(Self.trace)-00f067aa0ba902b7-01"], expecting: 201)
        _ = try await send("POST", issue, .client, first, expecting: 200)
        _ = try await send("POST", issue, .client, try body(1, #","fresh":true"#), expecting: 201)
        let redemption = try Self.redemption(installation)
        _ = try await send(
            "POST", "/v1/transactions", .client, #"{"signedTransactions":["\#(redemption)"]}"#, expecting: 200)
        let second = try await send("POST", issue, .client, try body(2), expecting: 201)
        let id = try #require(second.json["issuedOfferId"] as? String)
        _ = try await send("POST", "\(issue)/\(id)/void", .support, #"{"reason":"test"}"#, expecting: 200)
        for _ in 0..<2 { _ = try await send("POST", issue, .client, try body(2), expecting: 403) }
        let dryRun = #"{"customer":{"originalTransactionId":"\#(Installation.originalTransactionId(2))"}}"#
        _ = try await send("POST", "/v1/decisions", .support, dryRun, expecting: 200)
        let path = "/v1/app-store/com.example.pro/LocalTesting/notifications"
        for _ in 0..<2 {
            for jws in try installation.notifications(of: 1).prefix(1) {
                _ = try await send("POST", path, .client, #"{"signedPayload":"\#(jws)"}"#, expecting: 200)
            }
        }
        _ = try await send("POST", path, .client, #"{"signedPayload":"a.b.c"}"#, expecting: 422)
        _ = try await send("GET", "/c0nfidential?customerId=c0nfidential", expecting: 404)
        _ = try await send("GET", "\(issue)/c0nfidential", .support, expecting: 404)
        secrets.formUnion(["c0nfidential", "7900001"])
        let stranger = try await server.ask(
            "GET", "/v1/offers", token: "offerd_support_test_0123456789abcdef_wr0ng", client: client)
        #expect(stranger.status == 401)
        secrets.insert("wr0ng")
    }

    /// Notes what must not be seen: signed texts, transactions, nonces, account tokens.
    private mutating func note(_ body: String, _ answer: RunningServer.Answer) {
        let texts = body + String(decoding: answer.body, as: UTF8.self)
        secrets.formUnion(texts.matches(of: /[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/).map { String($0.output) })
        secrets.formUnion(
            texts.matches(of: /"(?:signature|nonce|appAccountToken|originalTransactionId|transactionId)":"([^"]{7,})"/)
                .map { String($0.output.1) })
        if let decision = answer.json["decisionId"] as? String { decisions.append(decision) }
    }

    private mutating func scrape(_ server: RunningServer, _ client: HTTPClient) async throws {
        let url = try #require(server.metricsURL)
        // Retention runs at the start, beside the requests.
        for _ in 0..<1_000 {
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
            #expect(response.status == .ok)
            #expect(response.headers["content-type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            let text = String(buffer: try await response.body.collect(upTo: 1_024 * 1_024))
            guard text.contains("\nofferd_retention_last_success_timestamp_seconds ") else { continue }
            scrapes.append(Scrape(text))
            break
        }
        let other = try await client.execute(
            HTTPClientRequest(url: url.replacing("/metrics", with: "/v1/offers")), timeout: .seconds(60))
        #expect(other.status == .notFound)
    }

    /// A purchase of customer 1 with the offer that was issued, now.
    private static func redemption(_ installation: Installation) throws -> String {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let root = try LocalRoot(directory: installation.directory.path("root"))
        return try root.sign(
            payload: Array(
                """
                {"transactionId":"7900001","originalTransactionId":"\(Installation.originalTransactionId(1))",\
                "bundleId":"com.example.pro","productId":"com.example.pro.monthly","environment":"LocalTesting",\
                "offerType":2,"offerIdentifier":"comeback50","offerDiscountType":"PAY_AS_YOU_GO",\
                "subscriptionGroupIdentifier":"21500001","purchaseDate":\(now),"originalPurchaseDate":\(now),\
                "expiresDate":\(now + 2_592_000_000),"signedDate":\(now),"quantity":1,"price":4990,"currency":"USD",\
                "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","transactionReason":"PURCHASE"}
                """.utf8))
    }

    func expectRequests(_ scrape: Scrape) {
        func count(_ method: String, _ route: String, _ status: Int) -> Double? {
            scrape[#"offerd_http_requests_total{method="\#(method)",route="\#(route)",status="\#(status)"}"#]
        }
        #expect(count("PUT", "/v1/catalog", 200) == 1)
        #expect(count("POST", "/v1/issued-offers", 201) == 3)
        #expect(count("POST", "/v1/issued-offers", 200) == 1)
        #expect(count("POST", "/v1/issued-offers", 403) == 2)
        #expect(count("POST", "/v1/issued-offers/{id}/void", 200) == 1)
        #expect(count("GET", "/v1/issued-offers/{id}", 404) == 1)
        #expect(count("GET", "/v1/offers", 401) == 1)
        #expect(count("GET", "none", 404) == 1)
        let durations = "offerd_http_request_duration_seconds"
        #expect(scrape[durations + #"_count{method="POST",route="/v1/issued-offers"}"#] == 6)
        #expect((scrape[durations + #"_sum{method="POST",route="/v1/issued-offers"}"#] ?? 0) > 0)
        #expect(scrape[#"offerd_problems_total{code="not-eligible"}"#] == 2)
        #expect(scrape[#"offerd_problems_total{code="unauthenticated"}"#] == 1)
    }

    func expectDecisions(_ scrape: Scrape) {
        let scope = #"app="com.example.pro",environment="LocalTesting""#
        func issued(_ result: String) -> Double? {
            scrape[#"offerd_issued_offers_total{\#(scope),offer="comeback",result="\#(result)"}"#]
        }
        func decided(_ outcome: String, _ rule: String, _ purpose: String = "issue") -> Double? {
            let labels = #"offer="comeback",outcome="\#(outcome)",rule="\#(rule)",purpose="\#(purpose)""#
            return scrape["offerd_decisions_total{\(scope),\(labels)}"]
        }
        #expect(issued("issued") == 2)
        #expect(issued("reused") == 1)
        #expect(issued("signedAgain") == 1)
        #expect(decided("eligible", "none") == 4)
        #expect(decided("ineligible", "limit.customer") == 2)
        #expect(decided("ineligible", "limit.customer", "dryRun") == 1)
        #expect(scrape[#"offerd_redemptions_total{\#(scope),kind="redeemed"}"#] == 1)
        func notifications(repeated: Bool) -> Double? {
            scrape.values.filter { $0.key.hasPrefix("offerd_notifications_total{\(scope),") }
                .filter { $0.key.hasSuffix("repeated=\"\(repeated)\"}") }.map(\.value).reduce(0, +)
        }
        #expect(notifications(repeated: false) == 1)
        #expect(notifications(repeated: true) == 1)
        #expect(scrape["offerd_notification_age_seconds_count{\(scope)}"] == 2)
        #expect(scrape[#"offerd_notifications_refused_total{\#(scope),code="malformedJws"}"#] == 1)
    }

    func expectHealth(_ scrape: Scrape) {
        #expect(scrape["offerd_ready"] == 1)
        #expect(scrape["offerd_elected"] == 1)
        #expect(scrape[#"offerd_build_info{version="\#(ProgramVersion.number)"}"#] == 1)
        let key = #"app="com.example.pro",environment="LocalTesting",key="LOCALTEST1""#
        #expect(scrape["offerd_signing_key_works{\(key)}"] == 1)
        #expect((scrape["offerd_clock_behind_seconds"] ?? 100) < 60)
        #expect((scrape["offerd_database_size_bytes"] ?? 0) > 4_096)
        #expect((scrape["offerd_database_wal_size_bytes"] ?? 0) > 4_096)
        #expect((scrape["offerd_disk_free_bytes"] ?? 0) > 0)
        #expect((scrape["offerd_commit_duration_seconds_count"] ?? 0) >= 8)
        #expect(scrape["offerd_commit_writes_count"] == scrape["offerd_commit_duration_seconds_count"])
        #expect((scrape["offerd_commit_writes_sum"] ?? 0) >= (scrape["offerd_commit_writes_count"] ?? 1))
        func chains(_ result: String) -> Double {
            scrape[#"offerd_chain_cache_lookups_total{app="com.example.pro",result="\#(result)"}"#] ?? -1
        }
        #expect(chains("miss") == 1)
        #expect(chains("hit") > 3)
    }

    /// Each line is one object, and the lines of the requests say what was asked and how it ended.
    func expectLog() throws {
        let lines = try log.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
        for line in lines {
            #expect(Set(line.keys) == ["ts", "level", "label", "message", "metadata", "source"], "\(line)")
        }
        let answers = lines.filter { $0["message"] as? String == "answered" }
            .compactMap { $0["metadata"] as? [String: Any] }
        func text(_ answer: [String: Any], _ name: String) -> String? { answer[name] as? String }
        let first = try #require(answers.first { text($0, "trace.id") == Self.trace })
        #expect(text(first, "http.route") == "/v1/issued-offers")
        #expect(first["http.status"] as? Int == 201)
        #expect(text(first, "role") == "client")
        #expect(text(first, "key.id") == keyId)
        #expect(text(first, "app") == "com.example.pro")
        #expect(text(first, "environment") == "LocalTesting")
        #expect(text(first, "decision.id") == decisions.first)
        #expect(first["duration.us"] is Int)
        #expect(first["problem"] == nil)
        let refused = answers.filter { text($0, "problem") == "not-eligible" }
        #expect(refused.compactMap { text($0, "decision.id") } == decisions.suffix(2))
        #expect(answers.count { text($0, "problem") == "unauthenticated" && $0["role"] == nil } == 1)
    }
}
