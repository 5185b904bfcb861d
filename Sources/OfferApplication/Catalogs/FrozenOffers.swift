import OfferCatalog
import OfferEligibility
import OfferModel
import OfferStore

/// What may no longer change once an offer was issued: its kind and Apple's name of it, because its slots, limits and
/// redemptions are found by them (docs/catalog.md).
enum FrozenOffers {
    /// Holds a new catalog to the offers issued so far.
    ///
    /// - Throws: ``RequestError/invalidCatalog(_:)`` naming every offer that differs.
    static func check(_ catalog: Catalog, text: String, in scope: ScopeNumber, _ transaction: any StoreTransaction)
        throws
    {
        var issues: [DocumentIssue] = []
        for (index, offer) in catalog.offers.enumerated() {
            guard let issued = try SlotStore(transaction).firstIssued(of: offer.id, in: scope)?.slot else { continue }
            if issued.offerType != offer.type {
                issues.append(
                    issue(text, index, "type", offer, was: issued.offerType.rawValue, is: offer.type.rawValue))
            }
            if issued.offerIdentifier != offer.offerIdentifier {
                issues.append(
                    issue(
                        text, index, "offerIdentifier", offer, was: issued.offerIdentifier?.rawValue ?? "",
                        is: offer.offerIdentifier?.rawValue ?? ""))
            }
        }
        guard issues.isEmpty else { throw RequestError.invalidCatalog(issues) }
    }

    private static func issue(
        _ text: String, _ index: Int, _ field: String, _ offer: Offer, was: String, is now: String
    ) -> DocumentIssue {
        DocumentIssue(
            code: .frozenOnceIssued, path: "offers[\(index)].\(field)", in: text,
            detail: "`\(field)` of offer `\(offer.id)` was `\(was)` when it was first issued and is now `\(now)`",
            hint: "archive this offer and add a new one under another id")
    }
}
