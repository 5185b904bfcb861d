import OfferEligibility
import OfferModel
import OfferStore

/// Issued offers as they are stored, with what tells where they stand; the telling needs no database.
struct IssuedOfferRows: Sendable {
    private let issued: [IssuedOffer]
    private let signings: [LowercaseUUID: Signing]
    /// What is known of each owner, or of all of them together.
    private let facts: [CustomerNumber: SubjectFacts]

    /// Reads the rest of some rows.
    ///
    /// - Parameter united: what is known of the whole subject, where the owners are one; each owner's own if absent.
    init(
        _ issued: [IssuedOffer], united: SubjectFacts? = nil, in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        self.issued = issued
        var signings: [LowercaseUUID: Signing] = [:]
        var facts: [CustomerNumber: SubjectFacts] = [:]
        for offer in issued {
            signings[offer.slot.id] = try SlotStore(transaction).newestSigning(of: offer)
            if facts[offer.customer] == nil {
                facts[offer.customer] = try united ?? SubjectFacts.read([offer.customer], transaction)
            }
        }
        self.signings = signings
        self.facts = facts
    }

    /// The issued offers as they stand at an instant.
    func offers(scope: Scope, at now: Instant) -> [IssuedOfferView] {
        let redemptions = facts.mapValues { $0.redemptions() }
        return issued.compactMap { offer in
            guard let newest = signings[offer.slot.id] else { return nil }
            var shown = IssuedOfferView(
                offer.slot, catalogRevision: Int(offer.catalogRevision), scope: scope,
                signatures: newest.signatures, decisionId: newest.decisionId,
                state: offer.slot.state(at: now, redemptions: redemptions[offer.customer] ?? []))
            shown.fullPriceTransactionId = offer.fullPriceTransactionId
            return shown
        }
    }
}
