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
    /// Its status as evidence.
    let status: [Evidence]
    /// Its products as evidence.
    let products: EvidenceValue
    /// Its place in the catalog that it was made ready with; `nil` if it was made ready by itself.
    let place: Int?
    private let environments: [(asked: AppStoreEnvironment, evidence: [Evidence])]

    /// Makes an offer of no catalog ready.
    public convenience init(_ offer: Offer) {
        var nodes = CompiledNodes()
        self.init(offer, place: nil, &nodes)
    }

    init(_ offer: Offer, place: Int?, _ nodes: inout CompiledNodes) {
        self.offer = offer
        self.place = place
        mark = OfferMark(offer)
        customerLimits = CustomerLimit.all(of: offer, withWindow: false)
        windowLimits = CustomerLimit.all(of: offer, withWindow: true)
        let shared = SharedLimit.all(of: offer)
        totals = shared.filter { $0.unit == .places }
        budgets = shared.filter { $0.unit != .places }
        holdoutSalt = "holdout:\(offer.id)"
        status = [
            Evidence(
                field: "offer.status", observed: .text(offer.status.rawValue),
                required: .text(OfferStatus.active.rawValue))
        ]
        let own = AppStoreEnvironment.allCases.filter(offer.environments.contains).map { FactValue.text($0.rawValue) }
        environments = AppStoreEnvironment.allCases.map {
            ($0, [Evidence(field: "offer.environments", observed: .text($0.rawValue), required: .list(own))])
        }
        products = .list(offer.products.map { .text($0.rawValue) })
        condition = offer.eligibility.map { nodes.compiled($0) }
    }
}

extension CompiledOffer {
    /// An environment beside the offer's own, as evidence.
    func evidence(of asked: AppStoreEnvironment) -> [Evidence] {
        environments.first { $0.asked == asked }?.evidence ?? []
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
