public import OfferModel

/// A history supplied for a "what if", in place of the stored one.
public struct HistoryBody: Sendable, Hashable, Codable {
    /// Apple's transactions, decoded.
    public var transactions: [JSONValue]
    /// Apple's renewal info, decoded.
    public var renewalInfos: [JSONValue]
    /// Apple's app transaction, decoded.
    public var appTransaction: JSONValue?
    /// Offers issued before; those on record for the customer if absent.
    public var issuedOffers: [PastOfferBody]?
    /// Whether nothing is missing.
    public var complete: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case transactions
        case renewalInfos
        case appTransaction
        case issuedOffers
        case complete
    }

    /// A history by its parts.
    public init(
        transactions: [JSONValue], renewalInfos: [JSONValue], appTransaction: JSONValue? = nil,
        issuedOffers: [PastOfferBody]? = nil, complete: Bool
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
        self.issuedOffers = issuedOffers
        self.complete = complete
    }

    /// Reads a history and refuses unknown members of ours; Apple's payloads may have any.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        transactions = try container.decode([JSONValue].self, forKey: .transactions)
        renewalInfos = try container.decode([JSONValue].self, forKey: .renewalInfos)
        appTransaction = try container.decodeIfPresent(JSONValue.self, forKey: .appTransaction)
        issuedOffers = try container.decodeIfPresent([PastOfferBody].self, forKey: .issuedOffers)
        complete = try container.decode(Bool.self, forKey: .complete)
    }
}

/// An offer issued before, as a "what if" has it; what kind of offer it is, the catalog says.
public struct PastOfferBody: Sendable, Hashable, Codable {
    /// The offer in the catalog.
    public var offerId: OfferId
    /// The product; required if the offer has several.
    public var productId: ProductId?
    /// When it was issued.
    public var issuedAt: Instant
    /// When its newest signature ends; 24 hours after `issuedAt` if absent.
    public var expiresAt: Instant?
    /// How many signings it holds; 1 if absent.
    public var signings: Int?
    /// When it was voided.
    public var voidedAt: Instant?
    /// Whether the void freed its place.
    public var released: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offerId
        case productId
        case issuedAt
        case expiresAt
        case signings
        case voidedAt
        case released
    }

    /// An offer with what every one has; callers set the rest.
    public init(offerId: OfferId, issuedAt: Instant) {
        self.offerId = offerId
        self.issuedAt = issuedAt
    }

    /// Reads an offer and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        offerId = try container.decode(OfferId.self, forKey: .offerId)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        issuedAt = try container.decode(Instant.self, forKey: .issuedAt)
        expiresAt = try container.decodeNumber(Instant.self, forKey: .expiresAt)
        signings = try container.decodeNumber(Int.self, forKey: .signings)
        voidedAt = try container.decodeNumber(Instant.self, forKey: .voidedAt)
        released = try container.decodeIfPresent(Bool.self, forKey: .released)
    }
}
