public import OfferEligibility
public import OfferModel
public import OfferSigning

/// What the app's backend asks for: a signed offer.
public struct IssueRequest: Sendable, Hashable {
    public var offerId: OfferId
    /// The product; required if the offer has several.
    public var productId: ProductId?
    public var customer: CustomerIdentifiers
    /// The encodings wanted; the first the offer lists if empty.
    public var formats: [SignatureFormat]
    /// Whether the stored signatures are burnt and a new signing is wanted.
    public var fresh: Bool
    public var signals: [String: FactValue]
    public var device: DeviceRequest
    public var delivery: SignedDelivery

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

public enum IssueAnswer: Sendable, Hashable {
    /// Signed and recorded; `isNew` is false if stored signatures are handed out again.
    case issued(IssuedOfferView, isNew: Bool)
    case refused(IssueRefusal)
}

/// A reasoned no: recorded, and for introductory offers perhaps with a signed block.
public struct IssueRefusal: Sendable, Hashable {
    public var decisionId: LowercaseUUID
    public var decision: Decision
    public var outlook: Outlook
    /// The statement that blocks the introductory offer, if the customer has a known transaction and the answer is no.
    public var introductoryEligibility: IntroductoryOfferEligibilitySignature?
}
