import Foundation
import OfferModel
import OfferTestSupport
import Testing

@Suite("Answers for support and for the app")
struct SupportAnswerTests {
    @Test("support sees which refused requests found no customer, and what they named, the newest first")
    func unmatched() async throws {
        try await ServiceFixture.run { service in
            let (client, support, _) = try await service.withIssuedOffer()
            let account = "5a0c3c3e-0f7b-4d6a-9a55-0a1b2c3d4e5f"
            var ids: [String] = []
            for customer in [
                #"{"appAccountToken":"\#(account)"}"#, #"{"customerId":"user-17"}"#,
                #"{"originalTransactionId":"100"}"#,
            ] {
                let offer = customer.contains("100") ? "trial" : "comeback"
                let refused = try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: #"{"offerId":"\#(offer)","customer":\#(customer)}"#)
                ids.append(try #require(refused.json["decisionId"] as? String, "\(refused.text)"))
                service.clock.advance(milliseconds: 1_000)
            }
            let answer = try await service.ask("GET", "/v1/decisions?customer=unknown", token: support)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            #expect(items.map { $0["decisionId"] as? String } == [ids[1], ids[0]])
            #expect(items.map { $0["customerId"] as? String } == ["user-17", nil])
            #expect(items.map { $0["appAccountToken"] as? String } == [nil, account])
            #expect(
                items.allSatisfy { $0["offerId"] as? String == "comeback" && $0["productId"] as? String == "monthly" })
            let one = try await service.ask("GET", "/v1/decisions?customer=unknown&limit=1", token: support)
            #expect((one.json["items"] as? [[String: Any]])?.count == 1)
            for query in ["", "?customer=known", "?customer=unknown&limit=0", "?customer=unknown&offer=comeback"] {
                #expect(try await service.ask("GET", "/v1/decisions\(query)", token: support).status == 400, "\(query)")
            }
            for role in [Role.client, .app, .marketing] {
                let token = try await service.token(role)
                #expect(try await service.ask("GET", "/v1/decisions?customer=unknown", token: token).status == 403)
            }
            let other = try await service.token(
                .support, scope: Scope(bundleId: "com.example.other", environment: .sandbox))
            let foreign = try await service.ask("GET", "/v1/decisions?customer=unknown", token: other)
            #expect((foreign.json["items"] as? [[String: Any]])?.isEmpty == true, "\(foreign.text)")
        }
    }

    @Test("a refusal is explained by its decisionId as it was decided, also after everything has changed (invariant 5)")
    func recorded() async throws {
        try await ServiceFixture.run { service in
            let (client, support, _) = try await service.withIssuedOffer()
            let refused = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body:
                    #"{"offerId":"trial","customer":{"originalTransactionId":"100"},"request":{"locale":"de-AT"}}"#)
            let sentence = "Mit diesem Apple Account wurde bereits ein Einführungsangebot genutzt."
            #expect(refused.json["customerAnswer"] as? String == sentence)
            let id = try #require(refused.json["decisionId"] as? String, "\(refused.text)")
            _ = try await service.ask("POST", "/v1/offers/pause", token: try await service.token(.marketing))
            service.clock.advance(milliseconds: 86_400_000)

            let answer = try await service.ask("GET", "/v1/decisions/\(id)", token: support)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["decisionId"] as? String == id)
            #expect(answer.json["decidedAt"] as? Int64 == ServiceFixture.start.milliseconds)
            #expect(answer.json["catalogRevision"] as? Int == 1)
            #expect(answer.json["productId"] as? String == "monthly")
            let decision = try #require(answer.json["decision"] as? [String: Any])
            #expect(decision["offerId"] as? String == "trial")
            #expect(decision["outcome"] as? String == "ineligible")
            let explanation = try #require(decision["explanation"] as? [String: String])
            #expect(explanation["customerAnswer"] == sentence)
            #expect(explanation["change"] == "this will not change")
            #expect(
                explanation["sentence"]
                    == "an introductory offer of group `21500001` was used on 2026-01-28 (transaction `100`)")
            let findings = try #require(decision["findings"] as? [[String: Any]])
            #expect(findings.first { $0["rule"] as? String == "catalog.paused" }?["verdict"] as? String == "satisfied")
        }
    }

    @Test("a 422 is explained by its decisionId too, with what would settle it")
    func undetermined() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let refused = try await service.refusal()
            #expect(refused.answer.status == 422)
            let answer = try await service.ask(
                "GET", "/v1/decisions/\(refused.decisionId)", token: try await service.token(.support))
            let decision = try #require(answer.json["decision"] as? [String: Any], "\(answer.text)")
            #expect(decision["outcome"] as? String == "undetermined")
            #expect(
                decision["explanation"] as? [String: String] == [
                    "sentence":
                        "no introductory offer of group `21500001` is known, but the history is not known to be "
                        + "complete (and 2 other reasons)",
                    "change":
                        "not eligible until the customer's complete purchase history is sent and a transaction "
                        + "signed by Apple arrives",
                    "customerAnswer":
                        "We need up-to-date details of your purchases. Please open the app, restore your purchases "
                        + "there, and try again.",
                ])
        }
    }

    @Test("an unknown decisionId, one of an issued offer and one whose record is gone are 404, each with the reason")
    func notRecorded() async throws {
        try await ServiceFixture.run { service in
            let (_, support, issued) = try await service.withIssuedOffer()
            let issuedId = try #require(issued.json["decisionId"] as? String)
            for id in ["not-a-uuid", "00000000-0000-4000-8000-000000000000", issuedId] {
                let answer = try await service.ask("GET", "/v1/decisions/\(id)", token: support)
                #expect(answer.status == 404 && answer.code == "unknown-decision", "\(answer.text)")
                #expect(
                    answer.json["detail"] as? String
                        == "no refusal has the id `\(id)` in this app and environment")
            }
            let refused = try await service.refusal().decisionId
            let remains = "hmac-sha256:\(String(repeating: "0", count: 64))"
            try service.sql("UPDATE refusal SET record = CAST('\(remains)' AS BLOB)")
            let gone = try await service.ask("GET", "/v1/decisions/\(refused)", token: support)
            #expect(gone.status == 404 && gone.code == "not-found", "\(gone.text)")
            #expect(
                gone.json["detail"] as? String
                    == "what decision `\(refused)` depended on was erased, by retention or with its customer's data")
        }
    }

    @Test(
        "a client is told what to tell the customer in their language, and nothing else of the explanation",
        arguments: [
            ("en-GB", "This offer is available to you."), ("fr", "Vous pouvez bénéficier de cette offre."),
            ("es-MX", "Esta oferta está disponible para ti."), ("ja-JP", "このオファーをご利用いただけます。"),
            ("pt-BR", "Esta oferta está disponível para você."), ("ko", "This offer is available to you."),
        ])
    func client(_ locale: String, _ sentence: String) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let answer = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client),
                body: """
                    {"customer":{"originalTransactionId":"100"},"offerIds":["comeback"],"request":{"locale":"\(locale)"}}
                    """)
            #expect(answer.status == 200 && answer.json["known"] as? Bool == false, "\(answer.text)")
            _ = try await service.ask(
                "POST", "/v1/issued-offers", token: try await service.token(.client),
                body: service.issueBody("comeback", try service.lapsedCustomer("100")))
            let known = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.client),
                body: """
                    {"customer":{"originalTransactionId":"100"},"offerIds":["comeback"],"request":{"locale":"\(locale)"}}
                    """)
            #expect(known.json["known"] as? Bool == true)
            let decision = try #require((known.json["decisions"] as? [[String: Any]])?.first)
            #expect(decision["explanation"] as? [String: String] == ["customerAnswer": sentence])
        }
    }

    @Test("with `fresh` a dry-run sees the refusal that the app sees once every signature was issued")
    func fresh() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            let lapsed = try service.lapsedCustomer("100")
            for _ in 0..<3 {
                let issued = try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody("comeback", lapsed, more: #","fresh":true"#))
                #expect(issued.status == 201, "\(issued.text)")
            }
            let refused = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: service.issueBody("comeback", lapsed, more: #","fresh":true"#))
            #expect(refused.status == 403)
            func reasons(_ fresh: String) async throws -> [String] {
                let answer = try await service.ask(
                    "POST", "/v1/decisions", token: client,
                    body: #"{"customer":{"originalTransactionId":"100"},"offerIds":["comeback"]\#(fresh)}"#)
                let decision = try #require((answer.json["decisions"] as? [[String: Any]])?.first, "\(answer.text)")
                return try #require(decision["findings"] as? [[String: Any]]).compactMap { $0["reason"] as? String }
            }
            #expect(try await reasons("") == [])
            #expect(try await reasons(#","fresh":false"#) == [])
            #expect(try await reasons(#","fresh":true"#) == ["signingsUsedUp"])
            #expect(
                (refused.json["findings"] as? [[String: Any]])?.map { $0["reason"] as? String } == ["signingsUsedUp"])
            let seen = try await service.ask(
                "POST", "/v1/decisions", token: try await service.token(.support),
                body: #"{"customer":{"originalTransactionId":"100"},"offerIds":["comeback"],"fresh":true}"#)
            let decision = try #require((seen.json["decisions"] as? [[String: Any]])?.first, "\(seen.text)")
            let explanation = try #require(decision["explanation"] as? [String: String])
            let id = try #require(try service.rows("SELECT id FROM issued_offer").first?.first)
            #expect(
                explanation["sentence"]
                    == "all 3 signatures of the issued offer `\(id)` have been issued; a new one is possible after "
                    + "2026-05-29T21:26:40Z")
            #expect(explanation["customerAnswer"] == refused.json["customerAnswer"] as? String)
        }
    }

    @Test("a voided offer shows when, why and whether it was released; the reason only to support")
    func voided() async throws {
        try await ServiceFixture.run { service in
            let (client, support, issued) = try await service.withIssuedOffer()
            let path = "/v1/issued-offers/\(try #require(issued.json["issuedOfferId"] as? String))"
            func members(_ answer: RawAnswer) -> [String] {
                [
                    (answer.json["voidedAt"] as? Int64).map { "\($0)" }, answer.json["voidReason"] as? String,
                    (answer.json["released"] as? Bool).map { "\($0)" },
                ].map { $0 ?? "–" }
            }
            #expect(members(issued) == ["–", "–", "–"])
            let first = try await service.ask(
                "POST", path + "/void", token: support, body: #"{"reason":"wrong account","release":true}"#)
            service.clock.advance(milliseconds: 1_000)
            let again = try await service.ask("POST", path + "/void", token: support, body: #"{"reason":"again"}"#)
            let expected = ["\(ServiceFixture.start.milliseconds)", "wrong account", "true"]
            #expect(members(first) == expected)
            #expect(members(again) == expected)
            #expect(members(try await service.ask("GET", path, token: support)) == expected)
            #expect(
                members(try await service.ask("GET", path, token: client)) == [expected[0], "–", expected[2]])
        }
    }
}

extension ServiceFixture {
    /// Applies the catalog and issues an offer of it to the customer `100`.
    ///
    /// - Returns: tokens of the app's backend and of support, and the answer to the issue request.
    fileprivate func withIssuedOffer() async throws -> (client: String, support: String, issued: RawAnswer) {
        try await applyCatalog()
        let (client, support) = (try await token(.client), try await token(.support))
        let issued = try await ask(
            "POST", "/v1/issued-offers", token: client, body: issueBody("comeback", try lapsedCustomer("100")))
        #expect(issued.status == 201, "\(issued.text)")
        return (client, support, issued)
    }
}
