import OfferApplication
import Testing

@testable import OfferHTTP
@testable import OfferModel

@Suite("Traces and the access log")
struct TraceParentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test("a valid `traceparent` is read, of a later version too", arguments: ["-01", "-00", "-ff"])
    func valid(flags: String) throws {
        for version in ["00", "01", "fe"] {
            let read = try #require(TraceParent(["\(version)-\(Self.trace)-\(Self.parent)\(flags)"]))
            #expect(read.traceId == Self.trace)
            #expect(read.parentId == Self.parent)
        }
        #expect(TraceParent(["01-\(Self.trace)-\(Self.parent)-01-more"])?.traceId == Self.trace)
    }

    @Test(
        "anything else is as if it were not there",
        arguments: [
            "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-01-more",
            "ff-\(trace)-\(parent)-01", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)-0g",
            "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace)a-\(parent)-01", " 00-\(trace)-\(parent)-01", "00_\(trace)_\(parent)_01",
            "01-\(trace)-\(parent)-01more", "0x-\(trace)-\(parent)-01",
            "01-\(trace)-\(parent)-01-" + String(repeating: "a", count: 500),
        ])
    func invalid(_ text: String) {
        #expect(TraceParent([text]) == nil)
    }

    @Test("two values are none")
    func twice() {
        let value = "00-\(Self.trace)-\(Self.parent)-01"
        #expect(TraceParent([value, value]) == nil)
        #expect(TraceParent([]) == nil)
    }

    @Test("the line of a request names its trace, key, role, scope, decision and problem")
    func line() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = service.issueBody("comeback", try service.lapsedCustomer("100"))
            let traced = [("traceparent", "00-\(Self.trace)-\(Self.parent)-01")]
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: token, body: body, headers: traced)
            let unheardOf = try await service.ask(
                "POST", "/v1/issued-offers", token: token, body: body.replacing("comeback", with: "unheard-of"))
            _ = try await service.ask("GET", "/v1/offers")
            let lines = service.log.lines.filter { $0.hasPrefix("info answered") }.suffix(3)
            let decision = try #require(issued.json["decisionId"] as? String)
            let keyId = try #require(token.split(separator: "_").dropFirst(3).first)
            #expect(unheardOf.code == "unknown-offer")
            #expect(
                lines.map(Self.withoutTimes) == [
                    """
                    info answered app=com.example.pro client=127.0.0.1 decision.id=\(decision) duration.us=… environment=LocalTesting \
                    http.method=POST http.route=/v1/issued-offers http.status=201 key.id=\(keyId) request.id=… \
                    role=client trace.id=\(Self.trace) trace.parent=\(Self.parent)
                    """,
                    """
                    info answered app=com.example.pro client=127.0.0.1 duration.us=… environment=LocalTesting http.method=POST \
                    http.route=/v1/issued-offers http.status=404 key.id=\(keyId) problem=unknown-offer \
                    request.id=… role=client
                    """,
                    """
                    info answered client=127.0.0.1 duration.us=… http.method=GET http.route=/v1/offers http.status=401 \
                    problem=unauthenticated request.id=…
                    """,
                ])
        }
    }

    @Test("a refused token's key is in the log without a role, and never its secret")
    func refusedKey() async throws {
        let rates = RequestRates(RateLimits(key: RateLimit(perSecond: 1, burst: 1)), clock: { 0 })
        try await ServiceFixture.run(rates: rates) { service in
            let token = try await service.token(.client)
            let keyId = try #require(token.split(separator: "_").dropFirst(3).first)
            let unknown = "offerd_client_test_0123456789abcdef_\(String(repeating: "a", count: 64))"
            #expect(try await service.ask("GET", "/v1/catalog", token: token).status == 403)
            #expect(try await service.ask("GET", "/v1/catalog", token: token).status == 429)
            #expect(try await service.ask("GET", "/v1/catalog", token: unknown).status == 401)
            #expect(try await service.ask("GET", "/v1/catalog", token: "nonsense").status == 401)
            let lines = service.log.lines.filter { $0.hasPrefix("info answered") }
            #expect(lines.count == 4)
            for (line, parts) in zip(
                lines,
                [
                    ["key.id=\(keyId) ", "problem=forbidden ", "role=client"],
                    ["key.id=\(keyId) ", "problem=rate-limited "],
                    ["key.id=0123456789abcdef ", "problem=unauthenticated "], ["problem=unauthenticated "],
                ])
            {
                for part in parts { #expect((line + " ").contains(part), "\(part) in \(line)") }
                #expect(!line.contains("aaaa"))
            }
            #expect(lines.dropFirst().allSatisfy { !$0.contains("role=") && !$0.contains("app=") })
            #expect(lines.last?.contains("key.id=") == false)
        }
    }

    @Test("a notification's line names its app and environment, and an unreadable request's its problem")
    func withoutKey() async throws {
        try await ServiceFixture.run { service in
            let path = "/v1/app-store/com.example.pro/LocalTesting/notifications"
            _ = try await service.ask("POST", path, body: #"{"signedPayload":"a.b.c"}"#)
            _ = try await RawHTTP.exchange(port: service.port, Array("no request\r\n\r\n".utf8))
            let lines = service.log.lines.filter { $0.hasPrefix("info answered") }
            let first = try #require(lines.first)
            for part in ["app=com.example.pro ", "environment=LocalTesting ", "problem=signed-data-refused "] {
                #expect(first.contains(part), "\(part) in \(first)")
            }
            #expect(
                lines.last?.contains("http.route=none http.status=400 problem=invalid-request ") == true, "\(lines)")
        }
    }

    @Test("a refusal names its decision in the log; an answer given again under its key names none")
    func decisions() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.client)
            let body = #"{"offerId":"comeback","customer":{"originalTransactionId":"999"}}"#
            let key = [("Idempotency-Key", "k1")]
            let refused = try await service.ask("POST", "/v1/issued-offers", token: token, body: body, headers: key)
            let again = try await service.ask("POST", "/v1/issued-offers", token: token, body: body, headers: key)
            #expect(again.body == refused.body)
            let lines = service.log.lines.filter { $0.hasPrefix("info answered") }.suffix(2)
            let decision = try #require(refused.json["decisionId"] as? String, "\(refused.text)")
            let keyId = try #require(token.split(separator: "_").dropFirst(3).first)
            #expect(
                lines.map(Self.withoutTimes) == [
                    """
                    info answered app=com.example.pro client=127.0.0.1 decision.id=\(decision) duration.us=… environment=LocalTesting \
                    http.method=POST http.route=/v1/issued-offers http.status=422 key.id=\(keyId) problem=undetermined \
                    request.id=… role=client
                    """,
                    """
                    info answered app=com.example.pro client=127.0.0.1 duration.us=… environment=LocalTesting http.method=POST \
                    http.route=/v1/issued-offers http.status=422 key.id=\(keyId) request.id=… role=client
                    """,
                ])
        }
    }

    private static func withoutTimes(_ line: String) -> String {
        line.replacing(#/(duration.us|request.id)=\S+/#) { "\($0.output.1)=…" }
    }
}
