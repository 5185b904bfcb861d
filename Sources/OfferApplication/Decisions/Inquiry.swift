public import OfferEligibility
public import OfferModel

/// A dry-run: what would be decided, without a trace (invariant 4).
public struct Inquiry: Sendable, Hashable {
    /// The customer; nobody known where a supplied history is all there is.
    public var customer: CustomerIdentifiers
    /// The offers to decide; every offer of the catalog that is not archived if absent.
    public var offerIds: [OfferId]?
    /// The product; every offer's first if absent.
    public var productId: ProductId?
    /// What the backend says about the customer.
    public var signals: [String: FactValue]
    /// What is said of the device that asks.
    public var request: DeviceRequest
    /// What is supposed instead of what is the case.
    public var supposition: Supposition

    /// An inquiry by its parts.
    public init(
        customer: CustomerIdentifiers, offerIds: [OfferId]? = nil, productId: ProductId? = nil,
        signals: [String: FactValue] = [:], request: DeviceRequest = DeviceRequest(),
        supposition: Supposition = Supposition()
    ) {
        self.customer = customer
        self.offerIds = offerIds
        self.productId = productId
        self.signals = signals
        self.request = request
        self.supposition = supposition
    }
}

/// The answer to an inquiry.
public struct InquiryAnswer: Sendable, Hashable {
    /// One decision an offer, in the catalog's order.
    public var decisions: [OfferDecision]
    /// The eligible offer with the highest priority, the first in the catalog among equals.
    public var best: OfferId?

    /// An answer by its parts.
    public init(decisions: [OfferDecision], best: OfferId?) {
        self.decisions = decisions
        self.best = best
    }
}

/// The decision on one offer.
public struct OfferDecision: Sendable, Hashable {
    /// The offer as the catalog has it.
    public var offer: Offer
    /// The decision.
    public var decision: Decision

    /// A decision by its parts.
    public init(offer: Offer, decision: Decision) {
        self.offer = offer
        self.decision = decision
    }
}
