import OfferAPI
import OfferApplication
import OfferModel

extension ExportedOfferBody {
    /// An exported offer as the wire carries it.
    init(_ offer: ExportedOffer, scope: Scope) {
        self.init(
            issuedOfferId: offer.id, offerId: offer.offerId, offerType: offer.offerType, delivery: offer.delivery,
            offerIdentifier: offer.offerIdentifier, productId: offer.productId, bundleId: scope.bundleId,
            environment: scope.environment, state: offer.state, issuedAt: offer.issuedAt, expiresAt: offer.expiresAt,
            signings: offer.signings, voidedAt: offer.voidedAt, catalogRevision: offer.catalogRevision,
            proof: offer.proof.map { proof in
                LedgerProofBody(
                    eventSequence: proof.eventSequence, eventHash: proof.eventHash, previousHash: proof.previousHash,
                    rowDigest: proof.rowDigest,
                    checkpoint: proof.checkpoint.map { checkpoint in
                        CheckpointBody(
                            number: checkpoint.number, eventSequence: checkpoint.eventSequence, head: checkpoint.head,
                            signedAt: checkpoint.signedAt, keyFingerprint: checkpoint.keyFingerprint,
                            signature: checkpoint.signature)
                    })
            })
    }
}
