import OfferEligibility
import OfferModel

/// What is left of the list of a revision's offers from a place on.
struct OfferList {
    private let revision: Int64
    /// Offers of the catalog that passed before.
    private let passed: Int
    private let offers: ArraySlice<Offer>
    private let removed: [Offer]

    /// - Parameters:
    ///   - offers: those of the revision.
    ///   - removed: those that stand behind them, by id.
    /// - Returns: `nil` for a place that the list does not have.
    init?(offers: [Offer], removed: [Offer], from place: OfferPlace) {
        revision = place.revision
        switch place.passed {
        case .count(let count):
            guard count <= offers.count else { return nil }
            passed = count
            self.removed = removed
        case .removed(let last):
            passed = offers.count
            self.removed = removed.filter { $0.id > last }
        }
        self.offers = offers.dropFirst(passed)
    }

    /// The next offers, and where the page behind them starts if there is one.
    func page(limit: Int) -> (offers: [Offer], next: OfferPlace?) {
        let page = Array((offers + removed).prefix(limit))
        guard let last = page.last, page.count < offers.count + removed.count else { return (page, nil) }
        let isOfCatalog = page.count <= offers.count
        return (
            page, OfferPlace(revision: revision, passed: isOfCatalog ? .count(passed + page.count) : .removed(last.id))
        )
    }
}
