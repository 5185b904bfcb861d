public import OfferEligibility
public import OfferModel

/// A dry-run: what would be decided, without a trace (invariant 4).
public struct Inquiry: Sendable, Hashable {
    /// The customer; empty where a supplied history is all there is.
    public var customer: CustomerIdentifiers
    /// The offers to decide; every offer of the catalog that is not archived if absent.
    public var offerIds: [OfferId]?
    /// The product; every offer's first if absent.
    public var productId: ProductId?
    public var signals: [String: FactValue]
    public var request: DeviceRequest
    public var whatIf: WhatIf

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

public struct InquiryAnswer: Sendable, Hashable {
    /// One decision an offer, in the catalog's order.
    public var decisions: [OfferDecision]
    /// The best of the eligible offers; absent if none is.
    public var choice: Choice?
    public var best: OfferId? { choice?.offerId }

    public init(decisions: [OfferDecision], choice: Choice?) {
        self.decisions = decisions
        self.choice = choice
    }
}

public struct OfferDecision: Sendable, Hashable {
    public var offer: Offer
    public var decision: Decision
    public var outlook: Outlook

    public init(offer: Offer, decision: Decision, outlook: Outlook) {
        self.offer = offer
        self.decision = decision
        self.outlook = outlook
    }
}

/// What a dry-run supposes instead of what is the case; nothing of it is kept (invariant 4).
public struct WhatIf: Sendable, Hashable {
    public enum Catalog: Sendable, Hashable {
        /// A document, YAML or JSON, that need never have been applied.
        case document(String)
        case revision(Int)
    }

    /// The instant to decide at, past or to come: what was signed, bought or issued after it is not known (docs/design.md#history-and-state).
    public var asOf: Instant?
    /// Replaces the stored history.
    public var history: SuppliedHistory?
    /// Replaces the catalog in force at that instant.
    public var catalog: Catalog?

    var isEmpty: Bool { asOf == nil && history == nil && catalog == nil }

    public init(asOf: Instant? = nil, history: SuppliedHistory? = nil, catalog: Catalog? = nil) {
        self.asOf = asOf
        self.history = history
        self.catalog = catalog
    }
}

extension Question {
    /// The question about one offer of a catalog: for issuing, dry-run and replay alike the catalog says the same about the
    /// offer's group and about its other offers (invariant 4).
    init(
        _ offer: Offer, productId: ProductId, of compiled: CompiledCatalog, scope: Scope, at now: Instant, pause: Pause,
        signals: [String: FactValue], request: DeviceRequest, signUp: SignUp, needsNewSigning: Bool,
        formats: Set<SignatureFormat>, takesHistoryAsProven: Bool
    ) {
        let group = compiled.group(of: productId)
        self.init(
            now: now, scope: scope, offer: compiled.compiledOffer(offer.id) ?? CompiledOffer(offer),
            productId: productId,
            subscriptionGroupIdentifier: group?.id, catalog: compiled, pause: pause, signals: signals,
            needsNewSigning: needsNewSigning, takesHistoryAsProven: takesHistoryAsProven,
            groupProducts: group?.productIds ?? [], products: group?.products ?? [], request: request)
        self.signUp = signUp
        self.formats = formats
    }
}
