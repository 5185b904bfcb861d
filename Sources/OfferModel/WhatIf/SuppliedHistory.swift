/// A history that somebody states for a "what if": Apple's payloads decoded, each as JSON text, with no signature behind
/// them (docs/design.md#http).
public struct SuppliedHistory: Sendable, Hashable {
    /// Apple's `JWSTransactionDecodedPayload`s.
    public var transactions: [[UInt8]]
    /// Apple's `JWSRenewalInfoDecodedPayload`s.
    public var renewalInfos: [[UInt8]]
    /// Apple's decoded app transaction.
    public var appTransaction: [UInt8]?
    /// The offers issued before; those on record for the customer if absent.
    public var issuedOffers: [SuppliedOffer]?
    /// Whether nothing is missing, as of the instant that is decided at.
    public var isComplete: Bool

    /// A history by its parts.
    public init(
        transactions: [[UInt8]] = [], renewalInfos: [[UInt8]] = [], appTransaction: [UInt8]? = nil,
        issuedOffers: [SuppliedOffer]? = nil, isComplete: Bool
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
        self.issuedOffers = issuedOffers
        self.isComplete = isComplete
    }
}

/// An offer issued before, as somebody states it for a "what if"; the catalog says what kind of offer it is.
///
/// Where it stands is not stated but follows: redeemed by a transaction of the history, voided by `voidedAt`, expired by
/// time, else open.
public struct SuppliedOffer: Sendable, Hashable {
    /// The offer in the catalog.
    public var offerId: OfferId
    /// The product; needed if the offer has several.
    public var productId: ProductId?
    /// When it was issued.
    public var issuedAt: Instant
    /// When its newest signature ends; a signature's life after `issuedAt` if absent.
    public var expiresAt: Instant?
    /// How many signings it holds.
    public var signings: Int
    /// When it was voided.
    public var voidedAt: Instant?
    /// Whether the void freed its place at once.
    public var isReleased: Bool

    /// An offer by its parts.
    public init(
        offerId: OfferId, productId: ProductId? = nil, issuedAt: Instant, expiresAt: Instant? = nil, signings: Int = 1,
        voidedAt: Instant? = nil, isReleased: Bool = false
    ) {
        self.offerId = offerId
        self.productId = productId
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.signings = signings
        self.voidedAt = voidedAt
        self.isReleased = isReleased
    }
}

/// A payload read from JSON that nobody has signed, with its text.
public struct DecodedPayload<Payload: Sendable & Hashable>: Sendable, Hashable {
    /// What it says.
    public var payload: Payload
    /// The JSON text; it settles ties between equal dates (docs/design.md#history-and-state).
    public var bytes: [UInt8]

    /// A payload with its text.
    public init(_ payload: Payload, bytes: [UInt8]) {
        self.payload = payload
        self.bytes = bytes
    }
}

/// The payloads of a ``SuppliedHistory``, read and found to be of one app and environment.
public struct DecodedHistory: Sendable, Hashable {
    /// Transactions.
    public var transactions: [DecodedPayload<Transaction>]
    /// Renewal info.
    public var renewalInfos: [DecodedPayload<RenewalInfo>]
    /// The app transaction.
    public var appTransaction: DecodedPayload<AppTransaction>?

    /// A history by its payloads.
    public init(
        transactions: [DecodedPayload<Transaction>] = [], renewalInfos: [DecodedPayload<RenewalInfo>] = [],
        appTransaction: DecodedPayload<AppTransaction>? = nil
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
    }
}
