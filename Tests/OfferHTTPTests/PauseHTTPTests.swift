import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Pauses with an end over HTTP")
struct PauseHTTPTests {
    @Test("a pause has an end and a reason, the list and the refusal say so, and it is over by itself")
    func ends() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            let end = service.clock.now.adding(milliseconds: Instant.Duration.day)
            let answer = try await service.ask(
                "POST", "/v1/offers/comeback/pause", token: marketing,
                body: #"{"until":\#(end.milliseconds),"reason":"keine Codes mehr – 在庫切れ 🎟"}"#)
            #expect(
                answer.text
                    == #"{"changed":true,"everyOfferPaused":false,"offerId":"comeback","paused":true,"#
                    + #""reason":"keine Codes mehr – 在庫切れ 🎟","until":\#(end.milliseconds)}"#)
            let order = service.issueBody("comeback", try service.lapsedCustomer("100"))
            func issue() async throws -> RawAnswer {
                try await service.ask("POST", "/v1/issued-offers", token: client, body: order)
            }
            let refused = try await issue()
            #expect(refused.status == 403)
            func shown() async throws -> [String: Any] {
                let list = try await service.ask("GET", "/v1/offers", token: try await service.token(.support))
                return try #require((list.json["items"] as? [[String: Any]])?.first)
            }
            #expect(try await shown()["standing"] as? String == "paused")
            let pause = try #require(try await shown()["pause"] as? [String: Any])
            #expect(pause["until"] as? Int64 == end.milliseconds && pause["covers"] as? String == "offer")
            service.clock.advance(hours: 24)
            #expect(try await shown()["standing"] as? String == "running")
            #expect(try await shown()["pause"] == nil)
            #expect(try await issue().status == 201)
        }
    }

    @Test("a body that says no pause is refused with its place, and nothing is paused")
    func refused() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            let now = service.clock.now.milliseconds
            let long = String(repeating: "ü", count: 501)
            for (body, pointer, code) in [
                (#"{"until":\#(now)}"#, "/until", "invalidValue"),
                (#"{"until":\#(now - 1)}"#, "/until", "invalidValue"),
                (#"{"until":\#(now + 367 * 86_400_000)}"#, "/until", "invalidValue"),
                (#"{"until":-1}"#, "/until", "invalidValue"), (#"{"until":9007199254740993}"#, "/until", nil),
                (#"{"until":"2026-12-01"}"#, "/until", nil), (#"{"until":1.5}"#, "/until", nil),
                (#"{"until":true}"#, "/until", nil), (#"{"reason":""}"#, "/reason", "invalidLength"),
                (#"{"reason":"\#(long)"}"#, "/reason", "invalidLength"),
                (#"{"reason":"a\u0000b"}"#, "/reason", nil), (#"{"reason":"a\nb"}"#, "/reason", "invalidValue"),
                (#"{"reason":7}"#, "/reason", nil), (#"{"because":"x"}"#, "/because", nil),
                (#"{"reason":"a","reason":"b"}"#, "/reason", nil), ("[]", "", nil), ("{", nil, nil),
            ] as [(String, String?, String?)] {
                for path in ["/v1/offers/comeback/pause", "/v1/offers/pause"] {
                    let answer = try await service.ask("POST", path, token: marketing, body: body)
                    #expect(answer.status == 400, "\(body): \(answer.text)")
                    let error = (answer.json["errors"] as? [[String: Any]])?.first
                    if let pointer { #expect(error?["pointer"] as? String == pointer, "\(body): \(answer.text)") }
                    if let code { #expect(error?["code"] as? String == code, "\(body): \(answer.text)") }
                }
            }
            let list = try await service.ask("GET", "/v1/offers", token: marketing)
            let items = try #require(list.json["items"] as? [[String: Any]])
            #expect(items.allSatisfy { $0["paused"] as? Bool == false && $0["standing"] as? String == "running" })
            let longest = String(repeating: "ü", count: 500)
            for body in ["{}", #"{"until":null,"reason":null}"#, #"{"reason":"\#(longest)"}"#] {
                let answer = try await service.ask("POST", "/v1/offers/comeback/pause", token: marketing, body: body)
                #expect(answer.status == 200 && answer.json["until"] == nil, "\(body): \(answer.text)")
            }
        }
    }

    @Test("only marketing pauses, with or without an end", arguments: [Role.client, .app, .support])
    func roles(_ role: Role) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(role)
            for body in [nil, "{}", #"{"until":1}"#, "nonsense"] {
                let answer = try await service.ask("POST", "/v1/offers/comeback/pause", token: token, body: body)
                #expect(answer.status == 403, "\(body ?? "–"): \(answer.text)")
            }
        }
    }
}
