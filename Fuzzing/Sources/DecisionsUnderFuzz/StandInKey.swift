import OfferModel
import OfferSigning

/// A key whose signatures are digests, so that an input leads to the same answer in every run and on every machine.
struct StandInKey: SigningKey {
    var keyId: KeyId = "2X9R4HXF34"
    let works = true

    func rawSignature(of message: [UInt8]) -> [UInt8] {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array(keyId.rawValue.utf8) + message { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Neither number begins with a bit that DER would pad.
        return (0..<64).map { UInt8(truncatingIfNeeded: digest >> (UInt64($0) % 8 * 8)) & 0x7F | 1 }
    }

    func derSignature(of message: [UInt8]) -> [UInt8] {
        let raw = rawSignature(of: message)
        return [0x30, 68, 0x02, 32] + raw.prefix(32) + [0x02, 32] + raw.suffix(32)
    }

    func isValid(derSignature: [UInt8], of message: [UInt8]) -> Bool { derSignature == self.derSignature(of: message) }

    func isValid(rawSignature: [UInt8], of message: [UInt8]) -> Bool { rawSignature == self.rawSignature(of: message) }

    /// Signs the values of V1 that have no signature, and a JWS that ends where its signature would begin.
    func signWhatIsUnsigned(in passed: inout PassedSignature, as bundleId: BundleId) {
        if let jws = passed.jws, jws.hasSuffix(".") {
            passed.jws = jws + Base64URL.encode(rawSignature(of: Array(jws.utf8.dropLast())))
        }
        guard passed.format == .v1, passed.signature == nil, let product = passed.productId,
            let offer = passed.offerIdentifier, let nonce = passed.nonce.flatMap({ LowercaseUUID($0) }),
            let timestamp = passed.timestamp
        else { return }
        let signed = PromotionalOfferV1(
            bundleId: bundleId, productId: product, offerIdentifier: offer,
            appAccountToken: passed.appAccountToken.flatMap { AppAccountToken($0) }, nonce: nonce,
            timestamp: Instant(milliseconds: timestamp))
        passed.signature = try? signed.signed(by: self)
    }
}
