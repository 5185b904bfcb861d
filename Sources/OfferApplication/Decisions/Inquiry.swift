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
    public var whatIf: WhatIf

    /// An inquiry by its parts.
    public init(
        customer: CustomerIdentifiers, offerIds: [OfferId]? = nil, productId: ProductId? = nil,
        signals: [String: FactValue] = [:], request: DeviceRequest = DeviceRequest(),
        whatIf: WhatIf = WhatIf()
    ) {
        self.customer = customer
        self.offerIds = offerIds
        self.productId = productId
        self.signals = signals
        self.request = request
        self.whatIf = whatIf
    }
}

/// The answer to an inquiry.
public struct InquiryAnswer: Sendable, Hashable {
    /// One decision an offer, in the catalog's order.
    public var decisions: [OfferDecision]
    /// The best of the eligible offers; absent if none is.
    public var choice: Choice?
    /// The offer chosen.
    public var best: OfferId? { choice?.offerId }

    /// An answer by its parts.
    public init(decisions: [OfferDecision], choice: Choice?) {
        self.decisions = decisions
        self.choice = choice
    }
}

/// The decision on one offer.
public struct OfferDecision: Sendable, Hashable {
    /// The offer as the catalog has it.
    public var offer: Offer
    /// The decision.
    public var decision: Decision
    /// When it changes by itself.
    public var outlook: Outlook

    /// A decision by its parts.
    public init(offer: Offer, decision: Decision, outlook: Outlook) {
        self.offer = offer
        self.decision = decision
        self.outlook = outlook
    }
}
