import Foundation
import OfferModel
import Testing

@Suite("Replay over HTTP")
struct ReplayHTTPTests {
    @Test("support sees the recorded and the recomputed decision and that nothing differs; nonsense is refused")
    func replay() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let support = try await service.token(.support)
            let issued = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            let id = try #require(issued.json["issuedOfferId"] as? String)
            let path = "/v1/issued-offers/\(id)/replay"
            let answer = try await service.ask("POST", path, token: support, body: "{}")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["issuedOfferId"] as? String == id)
            #expect(answer.json["decisionId"] as? String == issued.json["decisionId"] as? String)
            #expect((answer.json["differences"] as? [Any])?.isEmpty == true)
            let recorded = try #require(answer.json["recorded"] as? NSDictionary)
            #expect(recorded["outcome"] as? String == "eligible")
            #expect(recorded["catalogRevision"] as? Int == 1)
            #expect(recorded == answer.json["recomputed"] as? NSDictionary)

            let wrong: [(String, String, Int, String)] = [
                (path, #"{"catalogRevision":9}"#, 404, "unknown-revision"),
                (path, #"{"catalogRevision":"1"}"#, 400, "invalid-request"),
                (path, #"{"catalogRevision":1.5}"#, 400, "invalid-request"),
                (path, #"{"revision":1}"#, 400, "invalid-request"),
                (path, "[]", 400, "invalid-request"),
                (path + "?dryRun=true", "{}", 400, "invalid-request"),
                ("/v1/issued-offers/nobody/replay", "{}", 404, "unknown-issued-offer"),
                ("/v1/issued-offers/00000000-0000-4000-8000-000000000000/replay", "{}", 404, "unknown-issued-offer"),
            ]
            for (target, body, status, code) in wrong {
                let answer = try await service.ask("POST", target, token: support, body: body)
                #expect(answer.status == status && answer.code == code, "\(target) \(body): \(answer.text)")
            }
            for number in ["1.5", "9223372036854775808"] {
                let answer = try await service.ask(
                    "POST", path, token: support, body: #"{"catalogRevision":\#(number)}"#)
                #expect(answer.text.contains(#""pointer":"/catalogRevision""#), "\(number): \(answer.text)")
            }
        }
    }
}
