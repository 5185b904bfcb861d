import OfferModel
import OfferSigning
import OfferTestSupport
import OpenSSLCrypto
import Testing

/// Inputs of these tests; set what the test is about.
enum Sample {
    static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    static let keyId: KeyId = "2X9R4HXF34"

    static func nonce(_ text: String = "3d0a8c6e-5b1f-4e9a-8d2c-7f6b5a493827") throws -> LowercaseUUID {
        try #require(LowercaseUUID(text))
    }

    static func key() throws -> OpenSSLSigningKey {
        let directory = try TemporaryDirectory()
        return try OpenSSLSigningKey.generate(toNewFile: directory.path("key.p8"), keyId: keyId)
    }

    static func v1(_ change: (inout PromotionalOfferV1) -> Void = { _ in }) throws
        -> PromotionalOfferV1
    {
        var offer = PromotionalOfferV1(
            bundleId: "com.example.pro", productId: "com.example.pro.monthly",
            offerIdentifier: "comeback50",
            nonce: try nonce(), timestamp: Instant(milliseconds: 1_700_000_000_123))
        change(&offer)
        return offer
    }

    static func v2(
        _ offer: OfferIdentifier = "comeback50", customer: TransactionReference? = .transaction("2000000123456789"),
        _ change: (inout StoreKitRequest) -> Void = { _ in }
    ) throws -> StoreKitRequest {
        try request(.promotional(offer, customer: customer), change)
    }

    static func introductory(
        _ allow: Bool, customer: TransactionReference = .appTransaction("704289572311555555"),
        _ change: (inout StoreKitRequest) -> Void = { _ in }
    ) throws -> StoreKitRequest {
        try request(.introductory(isAllowed: allow, customer: customer), change)
    }

    private static func request(
        _ offer: StoreKitRequest.Offer, _ change: (inout StoreKitRequest) -> Void
    ) throws -> StoreKitRequest {
        var request = StoreKitRequest(
            issuerId: issuerId, bundleId: "com.example.pro", productId: "com.example.pro.monthly", offer: offer,
            nonce: try nonce(), timestamp: Instant(milliseconds: 1_700_000_000_999))
        change(&request)
        return request
    }
}
