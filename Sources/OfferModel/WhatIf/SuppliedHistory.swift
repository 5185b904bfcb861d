/// A history stated for a "what if": Apple's payloads decoded, each as JSON text, without signatures
/// (docs/design.md#history-and-state).
public struct SuppliedHistory: Sendable, Hashable {
    public var transactions: [[UInt8]] = []
    public var renewalInfos: [[UInt8]] = []
    public var appTransaction: [UInt8]?
    /// The offers issued before; those on record for the customer if absent.
    public var issuedOffers: [SuppliedOffer]?
    /// Whether nothing is missing, as of the instant that is decided at.
    public var isComplete = false

    public init() {}
}

/// An offer issued before, as stated for a "what if" or by a case; its type is in the catalog.
///
/// Its state follows: redeemed by a transaction of the history, voided by `voidedAt`, expired by time, else open.
public struct SuppliedOffer: Sendable, Hashable {
    /// Its id; made from its place in the list if absent.
    public var id: LowercaseUUID?
    public var offerId: OfferId
    /// The product; needed in a "what if" if the offer has several, in a case the offer's first if absent.
    public var productId: ProductId?
    public var issuedAt: Instant
    /// When its newest signature ends; a signature's life after `issuedAt` if absent.
    public var expiresAt: Instant?
    /// Until when it counts unless it is redeemed; an hour after `expiresAt` if absent.
    public var countsUntil: Instant?
    public var signings = 1
    public var voidedAt: Instant?
    /// Whether the void freed its place at once.
    public var isReleased = false

    public init(offerId: OfferId, issuedAt: Instant) {
        self.offerId = offerId
        self.issuedAt = issuedAt
    }
}

/// An unsigned payload read from JSON, with its text.
public struct DecodedPayload<Payload: Sendable & Hashable>: Sendable, Hashable {
    public var payload: Payload
    /// The JSON text; it settles ties between equal dates (docs/design.md#history-and-state).
    public var bytes: [UInt8]

    public init(_ payload: Payload, bytes: [UInt8]) {
        self.payload = payload
        self.bytes = bytes
    }
}

/// The payloads of a ``SuppliedHistory``, read and found to be of one app and environment.
public struct DecodedHistory: Sendable, Hashable {
    public var transactions: [DecodedPayload<Transaction>] = []
    public var renewalInfos: [DecodedPayload<RenewalInfo>] = []
    public var appTransaction: DecodedPayload<AppTransaction>?

    public init() {}
}
