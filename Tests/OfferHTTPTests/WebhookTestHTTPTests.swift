import OfferModel
import OfferTestSupport
import Testing

@Suite("POST /v1/webhooks/test")
struct WebhookTestHTTPTests {
    @Test("support tries the webhooks of its app and environment, and nothing of it is an event")
    func answered() async throws {
        try await ServiceFixture.run { service in
            let support = try await service.token(.support)
            for body in ["{}", #"{"webhook":null}"#, #"{"webhook":"w"}"#] {
                let answer = try await service.ask("POST", "/v1/webhooks/test", token: support, body: body)
                let results = answer.json["results"] as? [[String: Any]]
                #expect(answer.status == 200 && results?.map { $0["webhook"] as? String } == ["w"], "\(answer.text)")
            }
            let feed = try await service.ask("GET", "/v1/events", token: support)
            #expect((feed.json["items"] as? [Any])?.isEmpty == true, "\(feed.text)")
            #expect(try service.rows("SELECT id FROM webhook").isEmpty)
        }
    }

    @Test(
        "what is no name of a webhook is refused",
        arguments: [
            (#"{"webhook":"x"}"#, 409, "no-webhook"), (#"{"webhook":"W"}"#, 409, "no-webhook"),
            (#"{"webhook":"🙂"}"#, 409, "no-webhook"), (#"{"webhook":"https://example.com/events"}"#, 409, "no-webhook"),
            (#"{"webhook":""}"#, 400, "invalid-request"), (#"{"webhook":7}"#, 400, "invalid-request"),
            (#"{"webhook":"a\u0000"}"#, 400, "invalid-request"), (#"{"webhooks":"w"}"#, 400, "invalid-request"),
            (#"{"webhook":"w","webhook":"w"}"#, 400, "invalid-request"), ("[]", 400, "invalid-request"),
            ("", 400, "invalid-request"), ("w", 400, "invalid-request"),
            (#"{"webhook":"\#(String(repeating: "w", count: 256))"}"#, 400, "invalid-request"),
            (String(repeating: " ", count: 256 * 1_024 + 1), 413, "too-large"),
        ])
    func refused(_ body: String, _ status: Int, _ code: String) async throws {
        try await ServiceFixture.run { service in
            let support = try await service.token(.support)
            let answer = try await service.ask("POST", "/v1/webhooks/test", token: support, body: body)
            #expect(answer.status == status && answer.code == code, "\(answer.text)")
        }
    }

    @Test("the refusal of an unknown name names those that there are")
    func known() async throws {
        try await ServiceFixture.run { service in
            let support = try await service.token(.support)
            let answer = try await service.ask(
                "POST", "/v1/webhooks/test", token: support, body: #"{"webhook":"nothing.example.com"}"#)
            #expect(
                answer.json["detail"] as? String
                    == "no webhook of this app and environment is named `nothing.example.com`")
            #expect(answer.json["hint"] as? String == "known: `w`")
        }
    }
}
