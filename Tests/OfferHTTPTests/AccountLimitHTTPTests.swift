import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("A limit per account over HTTP")
struct AccountLimitHTTPTests {
    private static let offer = """
          - id: family
            type: promotional
            offerIdentifier: family50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            limits: [ { count: 1, per: account }, { count: 1, per: customer } ]

        """

    @Test("one account with two Apple Accounts gets one signature that verifies, and replays; then its own sentence")
    func twoAppleAccounts() async throws {
        try await ServiceFixture.run { service in
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing), body: TestCatalog.yaml + Self.offer,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            #expect(applied.status == 200, "\(applied.text)")
            func issue(_ id: String, _ account: String) async throws -> RawAnswer {
                try await service.ask(
                    "POST", "/v1/issued-offers", token: client,
                    body: service.issueBody(
                        "family", try service.lapsedCustomer(id), more: #","request":{"locale":"de"}"#
                    ).replacing("somebody", with: account))
            }
            let first = try await issue("100", "anna")
            #expect(first.status == 201, "\(first.text)")
            let id = try #require(first.json["issuedOfferId"] as? String)
            let v2 = (first.json["signatures"] as? [String: Any])?["v2"] as? [String: Any]
            #expect(try service.claims(try #require(v2?["jws"] as? String))["transactionId"] as? String == "100")

            let second = try await issue("200", "anna")
            #expect(second.status == 403 && second.code == "not-eligible", "\(second.text)")
            #expect((second.json["findings"] as? [[String: Any]])?.map { $0["rule"] as? String } == ["limit.account"])
            #expect(
                (second.json["customerAnswer"] as? String)?
                    .hasPrefix("Ihr Konto in dieser App hat dieses Angebot bereits erhalten.") == true, "\(second.text)"
            )

            let unnamed = try await service.ask(
                "POST", "/v1/issued-offers", token: client,
                body: #"{"offerId":"family","customer":{"originalTransactionId":"200"}}"#)
            #expect(unnamed.status == 422 && unnamed.code == "undetermined", "\(unnamed.text)")
            #expect(unnamed.text.contains(#""reason":"accountUnknown""#), "\(unnamed.text)")

            let other = try await issue("200", "bert")
            #expect(other.status == 201, "\(other.text)")

            let decision = try #require(second.json["decisionId"] as? String)
            let explained = try await service.ask("GET", "/v1/decisions/\(decision)", token: support)
            #expect(explained.status == 200 && explained.text.contains("one of the uses with another Apple Account"))
            let replay = try await service.ask("POST", "/v1/issued-offers/\(id)/replay", token: support, body: "{}")
            #expect(replay.status == 200 && (replay.json["differences"] as? [Any])?.isEmpty == true, "\(replay.text)")
            let offers = try await service.ask("GET", "/v1/offers", token: support)
            #expect(offers.text.contains(#"{"count":1,"per":"account"}"#), "\(offers.text)")
        }
    }
}

extension ServiceFixture {
    /// The claims of a JWS that the app's key signed: the signature is verified with the key from its file.
    func claims(_ jws: String) throws -> [String: Any] {
        let key = try OpenSSLSigningKey(file: directory.path("com.example.pro.p8"), keyId: "LOCALTEST1")
        let parsed = try CompactJWS(parsing: jws)
        #expect(key.publicKey.isValid(rawSignature: parsed.signature, of: parsed.signingInput))
        return try #require(try JSONSerialization.jsonObject(with: Data(parsed.payload)) as? [String: Any])
    }
}
