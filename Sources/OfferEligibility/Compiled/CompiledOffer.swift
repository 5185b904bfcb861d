public import OfferModel

/// An offer with what deciding about it takes made ready.
public final class CompiledOffer: Sendable {
    /// The offer.
    public let offer: Offer
    /// Its own condition; `nil` if it has none.
    let condition: CompiledNode?
    /// What a use without a slot shows of it.
    let mark: OfferMark
    /// Its limits per customer without a window, and those with one.
    let customerLimits: [CustomerLimit]
    let windowLimits: [CustomerLimit]
    /// The salt by which customers are drawn who never get it.
    let holdoutSalt: String
    /// Its environments and products as evidence.
    let environments: EvidenceValue
    let products: EvidenceValue

    /// Makes an offer of no catalog ready.
    public convenience init(_ offer: Offer) {
        var comparisons = CompiledComparisons()
        self.init(offer, &comparisons)
    }

    init(_ offer: Offer, _ comparisons: inout CompiledComparisons) {
        self.offer = offer
        mark = OfferMark(offer, group: nil)
        customerLimits = CustomerLimit.all(of: offer, withWindow: false)
        windowLimits = CustomerLimit.all(of: offer, withWindow: true)
        holdoutSalt = "holdout:\(offer.id)"
        environments = .list(
            AppStoreEnvironment.allCases.filter(offer.environments.contains).map { .text($0.rawValue) })
        products = .list(offer.products.map { .text($0.rawValue) })
        condition = offer.eligibility.map { CompiledNode($0, path: nil, &comparisons) }
    }
}

extension CompiledOffer: Hashable {
    /// Equality of the offers.
    public static func == (left: CompiledOffer, right: CompiledOffer) -> Bool {
        left === right || left.offer == right.offer
    }

    /// Feeds the offer.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(offer)
    }
}
