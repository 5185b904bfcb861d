import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Signatures judged by an independent implementation")
struct IndependentJudgeTests {
    /// The input of `Fixtures/judge.py`.
    private struct Case {
        var v1: [[String: Any]] = []
        var jws: [[String: Any]] = []

        func verdict(publicKey: String) throws -> String {
            let document: [String: Any] = ["publicKey": publicKey, "v1": v1, "jws": jws]
            let input = Array(try JSONSerialization.data(withJSONObject: document))
            let judge = try Command.run("python3", [Fixture.url("judge.py").path], input: input)
            return judge.status == 0 ? judge.text : judge.errorText
        }
    }

    private static let productIds: [ProductId] = [
        "com.example.pro.monthly", "com.example.ångström.日本.🎉", "quote\"back\\slash/",
    ]

    @Test("V1 signatures verify over bytes built from the rule, with the public key alone")
    func promotionalOfferV1() throws {
        let key = try Sample.key()
        var judged = Case()
        let token = try Sample.nonce("7E3FB204-2C5D-4F0A-9B6E-0D8C1A2B3C4D")
        for index in 0..<30 {
            let offer = try Sample.v1 {
                $0.productId = Self.productIds[index % Self.productIds.count]
                $0.appAccountToken = index.isMultiple(of: 2) ? token : nil
                $0.timestamp = $0.timestamp.adding(milliseconds: Int64(index))
            }
            judged.v1.append(try v1(offer, key))
        }
        #expect(try judged.verdict(publicKey: key.publicKey.pem) == "judged 30 v1 and 0 jws\n")
    }

    @Test(
        "V2 and introductory JWS verify, with the header and the claims that Apple lists and no other")
    func requestJWS() throws {
        let key = try Sample.key()
        var judged = Case()
        for index in 0..<10 {
            let productId = Self.productIds[index % Self.productIds.count]
            let plain = try Sample.v2 { $0.productId = productId }
            judged.jws.append(
                promotional(plain, try plain.signed(by: key), transactionId: "2000000123456789"))
            let unbound = try Sample.v2(customer: nil) { $0.productId = productId }
            judged.jws.append(promotional(unbound, try unbound.signed(by: key), transactionId: nil))
            for allow in [true, false] {
                let eligibility = try Sample.introductory(allow) { $0.productId = productId }
                judged.jws.append(introductory(eligibility, allow, try eligibility.signed(by: key)))
            }
        }
        #expect(try judged.verdict(publicKey: key.publicKey.pem) == "judged 0 v1 and 40 jws\n")
    }

    @Test("the judge refuses another key, other bytes and other claims")
    func judgeRefuses() throws {
        let key = try Sample.key()
        let offer = try Sample.v1()
        let jws = try Sample.v2().signed(by: key)
        let right = Case(
            v1: [try v1(offer, key)],
            jws: [promotional(try Sample.v2(), jws, transactionId: "2000000123456789")])
        #expect(
            try right.verdict(publicKey: Sample.key().publicKey.pem)
                == "0: V1 signature does not verify\n0: JWS signature does not verify\njudged 1 v1 and 1 jws\n"
        )
        var wrong = right
        wrong.v1[0]["timestamp"] = offer.timestamp.milliseconds / 1_000
        wrong.jws[0] = promotional(try Sample.v2(), jws, transactionId: "2000000123456780")
        let verdict = try wrong.verdict(publicKey: key.publicKey.pem)
        #expect(verdict.hasPrefix("0: V1 signature does not verify\n0: claims b'{"))
    }

    private func v1(_ offer: PromotionalOfferV1, _ key: OpenSSLSigningKey) throws -> [String: Any] {
        [
            "bundleId": offer.bundleId.rawValue, "keyId": "2X9R4HXF34",
            "productId": offer.productId.rawValue,
            "offerIdentifier": offer.offerIdentifier.rawValue,
            "appAccountToken": offer.appAccountToken == nil ? "" : "7E3FB204-2C5D-4F0A-9B6E-0D8C1A2B3C4D",
            "nonce": "3D0A8C6E-5B1F-4E9A-8D2C-7F6B5A493827", "timestamp": offer.timestamp.milliseconds,
            "signature": try offer.signed(by: key),
        ]
    }

    private func promotional(_ offer: StoreKitRequest, _ jws: String, transactionId: String?)
        -> [String: Any]
    {
        var claims: [String: Any] = base(aud: "promotional-offer", offer.productId)
        claims["offerIdentifier"] = "comeback50"
        claims["transactionId"] = transactionId
        return ["header": header, "claims": claims, "jws": jws]
    }

    private func introductory(_ value: StoreKitRequest, _ allow: Bool, _ jws: String)
        -> [String: Any]
    {
        var claims = base(aud: "introductory-offer-eligibility", value.productId)
        claims["allowIntroductoryOffer"] = allow
        claims["transactionId"] = "704289572311555555"
        return ["header": header, "claims": claims, "jws": jws]
    }

    private func base(aud: String, _ productId: ProductId) -> [String: Any] {
        [
            "aud": aud, "bid": "com.example.pro", "iat": 1_700_000_000, "iss": Sample.issuerId,
            "nonce": "3d0a8c6e-5b1f-4e9a-8d2c-7f6b5a493827", "productId": productId.rawValue,
        ]
    }

    private var header: [String: Any] { ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"] }
}
