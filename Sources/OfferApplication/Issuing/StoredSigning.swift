import OfferEligibility
import OfferModel
import OfferStore

/// Signatures of an open slot that can be handed out again (DESIGN §5.3).
enum StoredSigning {
    /// The newest signing of the offer's open slot, if it is what the plan would make and has enough life left; empty
    /// if a new signing is needed.
    static func find(
        _ offer: Offer, plan: SigningPlan, fresh: Bool, _ snapshot: Snapshot, _ policy: Policy,
        _ transaction: any StoreTransaction
    ) throws -> [RecordedSignature] {
        guard !fresh, let number = snapshot.scope,
            let openSlot = snapshot.facts.openSlot(of: offer, at: snapshot.now)
        else { return [] }
        let newest = try SignatureStore(transaction).signatures(of: openSlot.id, in: number).newestSigning
        guard let timestamp = newest.first?.timestamp, plan.matches(newest) else { return [] }
        let life = timestamp.adding(milliseconds: policy.signatureLife).milliseconds(since: snapshot.now)
        return life >= policy.storedSignatureMinimumLife ? newest : []
    }
}
