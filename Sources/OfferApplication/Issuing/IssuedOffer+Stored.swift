import OfferEligibility
import OfferModel
import OfferSigning
import OfferStore

extension IssuedOfferView {
    /// An issued offer with the artefacts of its newest signing.
    init(
        _ slot: Slot, catalogRevision: Int, scope: Scope, signatures: [RecordedSignature], decisionId: LowercaseUUID,
        state: SlotState
    ) {
        self.init(
            id: slot.id, decisionId: decisionId, scope: scope, offerId: slot.offerId, offerType: slot.offerType,
            delivery: slot.delivery, offerIdentifier: slot.offerIdentifier, productId: slot.productId, state: state,
            issuedAt: slot.issuedAt, expiresAt: slot.expiresAt, catalogRevision: catalogRevision,
            keyId: signatures.first?.keyId)
        voidedAt = slot.voidedAt
        for signature in signatures {
            productId = signature.productId
            guard !signature.isRemoved else { continue }
            switch signature.format {
            case .v1:
                v1 = PromotionalOfferSignatureV1(
                    keyId: signature.keyId, nonce: signature.nonce, timestamp: signature.timestamp,
                    signature: signature.artefact, appAccountToken: signature.appAccountToken)
            case .v2:
                v2 = PromotionalOfferSignatureV2(jws: signature.artefact)
            case .introductoryEligibility:
                introductoryEligibility = signature.introductoryEligibility
            }
        }
    }
}

extension RecordedSignature {
    /// The artefact as StoreKit takes it, if it is a statement on the introductory offer.
    var introductoryEligibility: IntroductoryOfferEligibilitySignature? {
        guard format == .introductoryEligibility, let allowIntroductoryOffer else { return nil }
        return IntroductoryOfferEligibilitySignature(jws: artefact, allowIntroductoryOffer: allowIntroductoryOffer)
    }
}
