/// A question for the evaluator: may this subject have this offer, for this product, now?
public struct Question: Sendable, Hashable {
    public var now: Instant
    public var scope: Scope
    public var compiledOffer: CompiledOffer
    /// The catalog in force: conditions and limits may ask about other offers than this one.
    public var catalog: CompiledCatalog
    /// The product it is asked for; one of the offer's, or the refusal says so.
    public var productId: ProductId
    /// The group of that product; absent if the catalog does not know the product.
    public var subscriptionGroupIdentifier: SubscriptionGroupId?
    public var pause: Pause
    /// When the pause ends by itself; absent if it does not.
    public var pausedUntil: Instant?
    /// The backend's signals about the customer, by the name after `signals.`.
    public var signals: [String: FactValue]
    /// Whether the answer would need a signing beyond those the open issued offer holds.
    public var needsNewSigning: Bool
    /// Whether the history was supplied for a "what if" and counts as signed by Apple. Never set where something is
    /// signed: a customer without a verified payload gets no signature (docs/design.md#identity).
    public var takesHistoryAsProven: Bool
    /// Every product that the catalog has in that group; a purchase of one of them that Apple's data puts elsewhere
    /// leaves open what the group lacks. Empty if the catalog does not know the group.
    public var groupProducts: Set<ProductId>
    /// The products of that group with their prices: budgets are counted in them.
    public var products: [Product]
    public var request: DeviceRequest
    /// The app's account that the request names; only limits per account judge by it.
    public var signUp = SignUp()
    /// The encodings that promotional offers are signed in where it is asked.
    public var formats = SignatureFormat.all

    public init(
        now: Instant, scope: Scope, offer: CompiledOffer, productId: ProductId,
        subscriptionGroupIdentifier: SubscriptionGroupId?, catalog: CompiledCatalog, pause: Pause = .none,
        signals: [String: FactValue] = [:], needsNewSigning: Bool = true, takesHistoryAsProven: Bool = false,
        groupProducts: Set<ProductId> = [], products: [Product] = [], request: DeviceRequest = DeviceRequest()
    ) {
        self.now = now
        self.scope = scope
        compiledOffer = offer
        self.catalog = catalog
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.pause = pause
        self.signals = signals
        self.needsNewSigning = needsNewSigning
        self.takesHistoryAsProven = takesHistoryAsProven
        self.groupProducts = groupProducts
        self.products = products
        self.request = request
    }

    // Inlinable, so that callers can read a member without copying the offer.
    @inlinable public var offer: Offer { compiledOffer.offer }
    public var offers: [Offer] { catalog.catalog.offers }
    public var offerGroups: [OfferId: SubscriptionGroupId] { catalog.offerGroups }
}

/// The kill switch as it applies to one offer.
public enum Pause: String, Sendable, Hashable, CaseIterable, Codable {
    case none, offer, everyOffer
    /// New uses of every offer with a limit, because uses may be missing since the database was restored.
    case limitedOffers
}

/// The app's account under which an offer is requested: the aliases that a request names (docs/design.md#identity).
///
/// One Apple Account may have several. They show who took what, and limits per account count by them.
public struct SignUp: Sendable, Hashable {
    /// The UUID that the app gave StoreKit for the account.
    public var appAccountToken: AppAccountToken?
    public var customerId: CustomerId?

    public init(appAccountToken: AppAccountToken? = nil, customerId: CustomerId? = nil) {
        self.appAccountToken = appAccountToken
        self.customerId = customerId
    }

    public var isUnknown: Bool { appAccountToken == nil && customerId == nil }

    /// Whether two are the same account: one alias in common says so; `nil` where none can be compared.
    func isSame(as other: SignUp) -> Bool? {
        let tokens = appAccountToken.flatMap { own in other.appAccountToken.map { own == $0 } }
        let names = customerId.flatMap { own in other.customerId.map { own == $0 } }
        let compared = [tokens, names].compactMap(\.self)
        return compared.isEmpty ? nil : compared.contains(true)
    }

    /// The aliases by their names, the app's own first, as people know it.
    private var aliases: [(name: String, value: String)] {
        (customerId.map { [("customerId", $0.rawValue)] } ?? [])
            + (appAccountToken.map { [("appAccountToken", $0.description)] } ?? [])
    }

    /// For messages: "`customerId` `anna`".
    public var words: String { aliases.map { "`\($0.name)` `\($0.value)`" }.joined(separator: ", ") }

    /// The aliases as evidence below a field, such as `issuedOffer.customerId`.
    func evidence(below field: String, provenance: Provenance, transactionId: TransactionId? = nil) -> [Evidence] {
        aliases.map { name, value in
            Evidence(
                field: "\(field).\(name)", observed: .text(value), provenance: provenance, transactionId: transactionId)
        }
    }
}
