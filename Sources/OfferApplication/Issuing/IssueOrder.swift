public import OfferEligibility
public import OfferModel
public import OfferSigning

/// What the app's backend asks for: a signed offer.
public struct IssueRequest: Sendable, Hashable {
    /// The offer in the catalog.
    public var offerId: OfferId
    /// The product; required if the offer has several.
    public var productId: ProductId?
    /// The customer.
    public var customer: CustomerIdentifiers
    /// The encodings wanted; the first the offer lists if empty.
    public var formats: [SignatureFormat]
    /// Whether the stored signatures are burnt and a new signing is wanted.
    public var fresh: Bool
    /// What the backend says about the customer.
    public var signals: [String: FactValue]
    /// What is said of the device that asks.
    public var device: DeviceRequest
    /// The signed data that comes with it.
    public var delivery: SignedDelivery

    /// An order by its parts.
    public init(
        offerId: OfferId, productId: ProductId? = nil, customer: CustomerIdentifiers,
        formats: [SignatureFormat] = [], fresh: Bool = false, signals: [String: FactValue] = [:],
        device: DeviceRequest = DeviceRequest(), delivery: SignedDelivery = SignedDelivery()
    ) {
        self.offerId = offerId
        self.productId = productId
        self.customer = customer
        self.formats = formats
        self.fresh = fresh
        self.signals = signals
        self.device = device
        self.delivery = delivery
    }
}

/// The answer to an order.
public enum IssueAnswer: Sendable, Hashable {
    /// Signed and recorded; `isNew` is false if stored signatures are handed out again.
    case issued(IssuedOfferView, isNew: Bool)
    /// A reasoned no.
    case refused(IssueRefusal)
}

/// A reasoned no: recorded, and for introductory offers perhaps with a signed block.
public struct IssueRefusal: Sendable, Hashable {
    /// The recorded decision.
    public var decisionId: LowercaseUUID
    /// What the rules found.
    public var decision: Decision
    /// When it changes by itself.
    public var outlook: Outlook
    /// The statement that blocks the introductory offer, if the customer has a known transaction and the answer is no.
    public var introductoryEligibility: IntroductoryOfferEligibilitySignature?

    /// A refusal by its parts.
    public init(
        decisionId: LowercaseUUID, decision: Decision, outlook: Outlook,
        introductoryEligibility: IntroductoryOfferEligibilitySignature? = nil
    ) {
        self.decisionId = decisionId
        self.decision = decision
        self.outlook = outlook
        self.introductoryEligibility = introductoryEligibility
    }
}

/// One issued offer with the artefacts of its newest signing.
public struct IssuedOfferView: Sendable, Hashable {
    /// The slot's id.
    public var id: LowercaseUUID
    /// The decision that allowed it.
    public var decisionId: LowercaseUUID
    /// The app and environment.
    public var scope: Scope
    /// The offer in the catalog.
    public var offerId: OfferId
    /// What kind of offer it is.
    public var offerType: OfferType
    /// How it reaches the customer.
    public var delivery: Delivery
    /// Apple's name of the offer; absent for introductory ones.
    public var offerIdentifier: OfferIdentifier?
    /// The product.
    public var productId: ProductId
    /// Where the slot stands.
    public var state: SlotState
    /// When it was issued.
    public var issuedAt: Instant
    /// When its newest signature ends.
    public var expiresAt: Instant
    /// When it was voided.
    public var voidedAt: Instant?
    /// The purchase at full price that the customer made right after a signature, if nothing has used the offer.
    public var fullPriceTransactionId: TransactionId?
    /// The catalog it was decided on.
    public var catalogRevision: Int
    /// The newest signing's V1 artefact.
    public var v1: PromotionalOfferSignatureV1?
    /// The newest signing's V2 artefact.
    public var v2: PromotionalOfferSignatureV2?
    /// The newest signing's statement on the introductory offer.
    public var introductoryEligibility: IntroductoryOfferEligibilitySignature?
    /// The key that signed; absent where nothing is signed.
    public var keyId: KeyId?

    /// An issued offer by its parts.
    public init(
        id: LowercaseUUID, decisionId: LowercaseUUID, scope: Scope, offerId: OfferId, offerType: OfferType,
        delivery: Delivery, offerIdentifier: OfferIdentifier?, productId: ProductId, state: SlotState,
        issuedAt: Instant, expiresAt: Instant, catalogRevision: Int, keyId: KeyId?
    ) {
        self.id = id
        self.decisionId = decisionId
        self.scope = scope
        self.offerId = offerId
        self.offerType = offerType
        self.delivery = delivery
        self.offerIdentifier = offerIdentifier
        self.productId = productId
        self.state = state
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.catalogRevision = catalogRevision
        self.keyId = keyId
    }
}
