import OfferModel
import OfferSigning
import Testing

@Suite("Promotional offer V2 and introductory eligibility: the claims")
struct RequestClaimsTests {
    @Test(
        "a promotional offer's claims are exactly Apple's, sorted, with iat in whole seconds and no exp"
    )
    func promotionalClaims() throws {
        #expect(
            text(try Sample.v2().claims())
                == #"{"aud":"promotional-offer","bid":"com.example.pro","iat":1700000000,"#
                + #""iss":"57246542-96fe-1a63-e053-0824d011072a","nonce":"3d0a8c6e-5b1f-4e9a-8d2c-7f6b5a493827","#
                + #""offerIdentifier":"comeback50","productId":"com.example.pro.monthly","#
                + #""transactionId":"2000000123456789"}"#)
    }

    @Test("without a transaction the claim is absent, not null")
    func promotionalClaimsWithoutTransaction() throws {
        #expect(
            text(try Sample.v2(customer: nil).claims())
                == #"{"aud":"promotional-offer","bid":"com.example.pro","iat":1700000000,"#
                + #""iss":"57246542-96fe-1a63-e053-0824d011072a","nonce":"3d0a8c6e-5b1f-4e9a-8d2c-7f6b5a493827","#
                + #""offerIdentifier":"comeback50","productId":"com.example.pro.monthly"}"#)
    }

    @Test(
        "an introductory eligibility says a JSON boolean, and an appTransactionId may stand for the customer",
        arguments: [true, false])
    func introductoryClaims(_ allow: Bool) throws {
        #expect(
            text(try Sample.introductory(allow).claims())
                == "{\"allowIntroductoryOffer\":\(allow),"
                + #""aud":"introductory-offer-eligibility","bid":"com.example.pro","iat":1700000000,"#
                + #""iss":"57246542-96fe-1a63-e053-0824d011072a","nonce":"3d0a8c6e-5b1f-4e9a-8d2c-7f6b5a493827","#
                + #""productId":"com.example.pro.monthly","transactionId":"704289572311555555"}"#)
    }

    @Test(
        "a value that is empty or holds what no identifier holds is refused by its name",
        arguments: [
            ("issuerId", "", UnsignableText.Code.empty), ("bundleId", "", .empty),
            ("productId", "a\u{2063}b", .separator),
            ("offerIdentifier", "a\tb", .controlCharacter), ("transactionId", "", .empty),
        ])
    func refusals(_ field: String, _ text: String, _ code: UnsignableText.Code) throws {
        let offer = try Sample.v2 {
            switch field {
            case "issuerId": $0.issuerId = text
            case "bundleId": $0.bundleId = BundleId(text)
            case "productId": $0.productId = ProductId(text)
            case "offerIdentifier": $0.offer = .promotional(OfferIdentifier(text), customer: nil)
            default: $0.offer = .promotional("comeback50", customer: .transaction(TransactionId(text)))
            }
        }
        let refusal = #expect(throws: UnsignableText.self) { try offer.claims() }
        #expect(refusal?.field == field)
        #expect(refusal?.code == code)
    }

    @Test("an introductory eligibility without a customer is refused")
    func refusesNobody() throws {
        let eligibility = try Sample.introductory(true, customer: .appTransaction(""))
        let refusal = #expect(throws: UnsignableText.self) { try eligibility.claims() }
        #expect(refusal?.field == "transactionId")
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
