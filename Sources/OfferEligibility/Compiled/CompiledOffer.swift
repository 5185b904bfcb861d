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
    /// Its limits of everyone together, and its budgets.
    let totals: [SharedLimit]
    let budgets: [SharedLimit]
    /// The salt by which customers are drawn who never get it.
    let holdoutSalt: String
    /// Its environments and products as evidence.
    let environments: EvidenceValue
    let products: EvidenceValue

    /// Makes an offer of no catalog ready.
    public convenience init(_ offer: Offer) {
        var nodes = CompiledNodes()
        self.init(offer, &nodes)
    }

    init(_ offer: Offer, _ nodes: inout CompiledNodes) {
        self.offer = offer
        mark = OfferMark(offer)
        customerLimits = CustomerLimit.all(of: offer, withWindow: false)
        windowLimits = CustomerLimit.all(of: offer, withWindow: true)
        let shared = SharedLimit.all(of: offer)
        totals = shared.filter { $0.unit == .places }
        budgets = shared.filter { $0.unit != .places }
        holdoutSalt = "holdout:\(offer.id)"
        environments = .list(
            AppStoreEnvironment.allCases.filter(offer.environments.contains).map { .text($0.rawValue) })
        products = .list(offer.products.map { .text($0.rawValue) })
        condition = offer.eligibility.map { nodes.compiled($0) }
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
