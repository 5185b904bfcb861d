import OfferEligibility
import OfferModel
import OfferStore

/// Reads an issued offer with its newest signing and where it stands.
struct IssuedOfferReader {
    let scope: Scope
    let number: ScopeNumber
    let transaction: any StoreTransaction

    func read(_ issued: OfferStore.IssuedOffer, now: Instant) throws -> IssuedOffer {
        let signatures = try SignatureStore(transaction).signatures(of: issued.slot.id, in: number).newestSigning
        let decisionId = try signatures.first?.decisionId ?? decision(of: issued.slot.id)
        let facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: [issued.customer]),
            slots: try SlotStore(transaction).slots(of: [issued.customer]))
        return IssuedOffer(
            issued.slot, catalogRevision: Int(issued.catalogRevision), scope: scope, signatures: signatures,
            decisionId: decisionId, state: issued.slot.state(at: now, redemptions: facts.redemptions()))
    }

    /// An offer delivered by the App Store has no signature that would name its decision.
    private func decision(of id: LowercaseUUID) throws -> LowercaseUUID {
        guard let decision = try DecisionStore(transaction).decisions(issuedOffer: id, in: number).first else {
            throw StoreError.corrupt("the decision of issued offer `\(id)` is missing")
        }
        return decision.id
    }
}
