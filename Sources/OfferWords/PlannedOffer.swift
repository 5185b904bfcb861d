import OfferAPI
import OfferDocuments
package import OfferModel

/// What a plan says of one offer, or of the products.
package struct PlannedOffer {
    /// `nil` for the products.
    package let offerId: OfferId?
    /// Which customers it is for.
    package private(set) var audience: String?
    package let changes: [PlannedChange]
    /// What customers get from an offer that is issued from now on, how often, and what that costs.
    package private(set) var terms: [(name: String, value: String)] = []
    /// Of an offer that nothing limits.
    package private(set) var warning: String?

    /// In the order of their first change.
    ///
    /// - Parameter catalog: the catalog that is to follow, where this version can read it.
    package static func all(_ changes: [PlannedChange], in catalog: Catalog?) -> [PlannedOffer] {
        let subjects = changes.map(\.change.offerId).reduce(into: [OfferId?]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return subjects.map { id in Self(id, changes.filter { $0.change.offerId == id }, in: catalog) }
    }

    private init(_ id: OfferId?, _ changes: [PlannedChange], in catalog: Catalog?) {
        (offerId, self.changes) = (id, changes)
        guard let id, let catalog, let offer = catalog.offer(id) else { return }
        audience = AudienceText.line(offer)
        guard offer.status == .active else { return }
        let begins = changes.contains(where: \.beginsIssuing)
        if begins { terms = Self.terms(offer, in: catalog) }
        guard offer.limits.isEmpty, begins || changes.contains(where: { $0.change.path == "limits" }) else { return }
        let title = offer.type == .introductory && offer.again == nil ? "NO TOTAL LIMIT" : "UNLIMITED"
        warning = "\(title): \(offer.unlimitedUse), and nothing limits the total cost"
    }

    private static func terms(_ offer: Offer, in catalog: Catalog) -> [(name: String, value: String)] {
        let cost = OfferCost(offer, in: catalog)
        let terms: [(String, String?)] = [
            ("billing plan", offer.billingPlan?.words), ("customers get", OfferWording.terms(offer)),
            ("products", offer.products.map(\.rawValue).joined(separator: ", ")),
            ("limits", OfferWording.limits(offer.limits)), ("cost per use", cost.perUse),
            ("maximum cost", cost.maximum),
        ]
        return terms.compactMap { name, value in value.map { (name, $0) } }
    }

    package static let harmless = "nothing is taken away or widened"

    /// Why a plan should be read before it is applied; none where it takes nothing away and widens nothing.
    package static func reasons(_ changes: [PlannedChange]) -> [String] {
        let certain = changes.map(\.effect).filter(\.isCertain)
        return [
            certain.contains(where: \.takesAway) ? "something is taken away (-)" : nil,
            certain.contains(where: \.widens) ? "something is widened (+)" : nil,
            certain.count < changes.count ? "something may be either (?)" : nil,
        ].compactMap(\.self)
    }

    /// `one`, `one and another`, `one, two and three`.
    package static func list(_ reasons: [String]) -> String {
        guard reasons.count > 1, let last = reasons.last else { return reasons.first ?? harmless }
        return reasons.dropLast().joined(separator: ", ") + " and " + last
    }
}
