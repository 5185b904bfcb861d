package import OfferModel

/// Reads the request of `POST /v1/signature-checks`.
extension PassedSignature: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self, requiring: [.format])
        self.init(format: try container.decode(ArtefactFormat.self, forKey: .format))
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        offerIdentifier = try container.decodeIfPresent(OfferIdentifier.self, forKey: .offerIdentifier)
        keyId = try container.decodeIfPresent(KeyId.self, forKey: .keyId)
        nonce = try container.decodeIfPresent(String.self, forKey: .nonce)
        timestamp = try container.decodeNumber(Int64.self, forKey: .timestamp)
        appAccountToken = try container.decodeIfPresent(String.self, forKey: .appAccountToken)
        signature = try container.decodeIfPresent(String.self, forKey: .signature)
        jws = try container.decodeIfPresent(String.self, forKey: .jws)
    }
}
