import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Signed fields")
struct SignedFieldsTests {
    private func transactionId(_ issued: IssuedOfferView) throws -> String? {
        let payload = try CompactJWS(parsing: try #require(issued.v2).jws).payload
        let claims = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        return claims["transactionId"] as? String
    }

    @Test(
        "V1 signs the request's token in lower case, else the empty string",
        arguments: [
            "0E1F2A3B-4C5D-4E6F-8A9B-0C1D2E3F4A5B", nil,
        ])
    func token(text: String?) async throws {
        let bench = try await Workbench()
        let known = AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        let issued = try await bench.granted(
            IssueRequest(
                offerId: "twice", customer: CustomerIdentifiers(appAccountToken: text.flatMap { AppAccountToken($0) }),
                delivery: try bench.shop.delivery(.lapsed, "100", token: known))
        ).offer
        let v1 = try #require(issued.v1)
        let fields = [
            "com.example.pro", "2X9R4HXF34", "monthly", "twice10", text?.lowercased() ?? "", v1.nonce.description,
            String(Workbench.start.milliseconds),
        ]
        // The openssl tool judges, over bytes built here from Apple's rule.
        let scratch = try TemporaryDirectory()
        let message = try scratch.write(fields.joined(separator: "\u{2063}"), to: "message")
        let signature = try #require(Data(base64Encoded: v1.signature))
        let result = try Command.run(
            "openssl",
            [
                "dgst", "-sha256", "-verify", try scratch.write(bench.key.publicKey.pem, to: "public.pem"),
                "-signature", try scratch.write(signature, to: "signature"), message,
            ])
        #expect(result.status == 0, "\(result.text)\(result.errorText)")
    }

    @Test("V2 names the stated transaction, else the stated account, else the newest purchase, else the account")
    func reference() async throws {
        let bench = try await Workbench()
        let older = try bench.shop.delivery(.lapsed, "100")
        // A second subscription of the same Apple Account, bought later.
        let newer = try bench.shop.delivery(.subscriber, "050").signedTransactions.map { jws in
            try bench.shop.edited(jws) { $0["appTransactionId"] = "app-100" }
        }
        try await bench.deliver(older)
        try await bench.deliver(SignedDelivery(signedTransactions: newer))
        #expect(try await bench.count("customer") == 1)
        func signed(_ customer: CustomerIdentifiers) async throws -> String? {
            let order = IssueRequest(offerId: "comeback", customer: customer, fresh: true)
            let id = try transactionId(try await bench.granted(order).offer)
            bench.clock.advance(hours: 50)
            return id
        }
        #expect(try await signed(named("100")) == "100")
        #expect(
            try await signed(CustomerIdentifiers(originalTransactionId: "100", appTransactionId: "app-100")) == "100")
        #expect(try await signed(CustomerIdentifiers(appTransactionId: "app-100")) == "app-100")
        try await bench.deliver(
            SignedDelivery(), aliases: CustomerIdentifiers(originalTransactionId: "100", customerId: "somebody"))
        #expect(try await signed(CustomerIdentifiers(customerId: "somebody")) == "050")
    }

    @Test("a signing has one timestamp, a nonce for each artefact, and `iat` in whole seconds")
    func oneTimestamp() async throws {
        let bench = try await Workbench()
        let issued = try await bench.granted(
            IssueRequest(
                offerId: "comeback", customer: CustomerIdentifiers(), formats: [.v2, .v1],
                delivery: try bench.shop.delivery(.lapsed, "100"))
        ).offer
        let parsed = try CompactJWS(parsing: try #require(issued.v2).jws)
        #expect(bench.key.publicKey.isValid(rawSignature: parsed.signature, of: parsed.signingInput))
        let claims = try #require(try JSONSerialization.jsonObject(with: Data(parsed.payload)) as? [String: Any])
        #expect(claims["iat"] as? Int64 == 1_793_491_200)
        #expect(issued.v1?.timestamp == Workbench.start)
        #expect(claims["nonce"] as? String != issued.v1?.nonce.description)
        #expect(try await bench.count("signature") == 2)
        // What is signed is what the row says was signed.
        let row = try await bench.database.read {
            try $0.row(Statement("SELECT v1_nonce, jws_nonce FROM issued_offer"))
        }
        #expect(try row?.value(0) == issued.v1?.nonce)
        #expect(try row?.value(1) == claims["nonce"] as? String)
    }
}
