import OfferAPI
import OfferApplication
import OfferModel

extension IssuedOfferBody {
    init(_ offer: IssuedOfferView) {
        self.init(
            issuedOfferId: offer.id, decisionId: offer.decisionId, offerId: offer.offerId, offerType: offer.offerType,
            delivery: offer.delivery, offerIdentifier: offer.offerIdentifier, productId: offer.productId,
            bundleId: offer.scope.bundleId, environment: offer.scope.environment, keyId: offer.keyId,
            state: offer.state, issuedAt: offer.issuedAt, expiresAt: offer.expiresAt,
            catalogRevision: offer.catalogRevision,
            signatures: SignaturesBody(
                v1: offer.v1.map(SignatureV1Body.init), v2: offer.v2.map(SignatureV2Body.init),
                introductoryEligibility: offer.introductoryEligibility.map(IntroductoryEligibilityBody.init)))
    }
}
