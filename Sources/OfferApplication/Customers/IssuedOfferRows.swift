import OfferEligibility
import OfferModel
import OfferStore

/// Issued offers as they are stored, with what tells where they stand; the telling needs no database.
struct IssuedOfferRows: Sendable {
    private let issued: [OfferStore.IssuedOffer]
    private let signatures: [LowercaseUUID: [RecordedSignature]]
    private let decisions: [LowercaseUUID: LowercaseUUID]
    /// What is known of each owner, or of all of them together.
    private let facts: [CustomerNumber: SubjectFacts]

    /// Reads the rest of some rows.
    ///
    /// - Parameter united: what is known of the whole subject, where the owners are one; each owner's own if absent.
    init(
        _ issued: [OfferStore.IssuedOffer], united: SubjectFacts? = nil, in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        self.issued = issued
        var signatures: [LowercaseUUID: [RecordedSignature]] = [:]
        var decisions: [LowercaseUUID: LowercaseUUID] = [:]
        var facts: [CustomerNumber: SubjectFacts] = [:]
        for offer in issued {
            let newest = try SignatureStore(transaction).signatures(of: offer.slot.id, in: number).newestSigning
            signatures[offer.slot.id] = newest
            decisions[offer.slot.id] =
                try newest.first?.decisionId
                ?? DecisionStore(transaction).newestDecision(of: offer.slot.id, in: number)
            if facts[offer.customer] == nil {
                facts[offer.customer] = try united ?? SubjectFacts.read([offer.customer], transaction)
            }
        }
        self.signatures = signatures
        self.decisions = decisions
        self.facts = facts
    }

    /// The issued offers as they stand at an instant.
    func offers(scope: Scope, at now: Instant) -> [IssuedOffer] {
        let redemptions = facts.mapValues { $0.redemptions() }
        return issued.compactMap { offer in
            guard let decisionId = decisions[offer.slot.id] else { return nil }
            var shown = IssuedOffer(
                offer.slot, catalogRevision: Int(offer.catalogRevision), scope: scope,
                signatures: signatures[offer.slot.id] ?? [], decisionId: decisionId,
                state: offer.slot.state(at: now, redemptions: redemptions[offer.customer] ?? []))
            shown.fullPriceTransactionId = offer.fullPriceTransactionId
            return shown
        }
    }
}

extension DecisionStore {
    /// The newest decision that an issued offer was handed out on: one delivered by the App Store has no signature that
    /// would name it.
    func newestDecision(of id: LowercaseUUID, in number: ScopeNumber) throws -> LowercaseUUID {
        guard let decision = try decisions(issuedOffer: id, in: number).last else {
            throw StoreError.corrupt("the decision of issued offer `\(id)` is missing")
        }
        return decision.id
    }
}
