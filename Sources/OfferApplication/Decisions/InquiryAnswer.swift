public import OfferAPI
public import OfferModel

public struct InquiryAnswer: Sendable, Hashable {
    /// One decision an offer, in the catalog's order.
    public var decisions: [OfferDecision]
    /// The best of the eligible offers; absent if none is.
    public var choice: Choice?
    /// Whether anything is stored about the customer now; absent where a supplied history is all there is.
    public var isKnown: Bool?
    /// When Apple signed the newest data that was decided on; for staff, and without suppositions.
    public var dataAsOf: Instant?
    /// The signed data that was not used.
    public var ignored: [IgnoredData]?
    /// The signals that the catalog lets an app state.
    var appSignals: [String] = []
}

public struct OfferDecision: Sendable, Hashable {
    public var offer: Offer
    public var decision: Decision
    public var outlook: Outlook
}

extension Inquiry {
    /// How the customer is named; not at all where a supplied history is all there is.
    var named: CustomerIdentifiers { customer ?? CustomerIdentifiers() }

    /// Whether it supposes something instead of what is the case; nothing of that is kept (invariant 4).
    var supposes: Bool { asOf != nil || history != nil || catalog != nil || catalogRevision != nil }
}

extension Question {
    /// The question about one offer of a catalog: for issuing, dry-run and replay alike the catalog says the same about
    /// the offer's group and about its other offers (invariant 4).
    init(
        _ offer: CompiledOffer, productId: ProductId, of compiled: CompiledCatalog, scope: Scope, at now: Instant,
        pause: Pause, pausedUntil: Instant?, signals: [String: FactValue], request: DeviceRequest, signUp: SignUp,
        needsNewSigning: Bool,
        formats: Set<SignatureFormat>, takesHistoryAsProven: Bool
    ) {
        let group = compiled.group(of: productId)
        self.init(
            now: now, scope: scope, offer: offer, productId: productId,
            subscriptionGroupIdentifier: group?.id, catalog: compiled, pause: pause, signals: signals,
            needsNewSigning: needsNewSigning, takesHistoryAsProven: takesHistoryAsProven,
            groupProducts: group?.productIds ?? [], products: group?.products ?? [], request: request)
        self.pausedUntil = pausedUntil
        self.signUp = signUp
        self.formats = formats
    }
}
