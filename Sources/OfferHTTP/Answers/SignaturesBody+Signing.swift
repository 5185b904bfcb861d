import OfferAPI
import OfferModel
import OfferSigning

extension SignatureV1Body {
    init(_ signature: PromotionalOfferSignatureV1) {
        self.init(
            keyId: signature.keyId, nonce: signature.nonce, timestamp: signature.timestamp,
            signature: signature.signature, appAccountToken: signature.appAccountToken?.description ?? "")
    }
}

extension SignatureV2Body {
    init(_ signature: PromotionalOfferSignatureV2) {
        self.init(jws: signature.jws)
    }
}

extension IntroductoryEligibilityBody {
    init(_ signature: IntroductoryOfferEligibilitySignature) {
        self.init(jws: signature.jws, allowIntroductoryOffer: signature.allowIntroductoryOffer)
    }
}
