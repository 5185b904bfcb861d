public import OfferModel

/// `POST /v1/decisions`: the dry-run. It writes nothing.
public struct DecisionRequestBody: Sendable, Hashable, Codable {
    /// The customer.
    public var customer: CustomerReference
    /// The offers to decide; every offer of the catalog if absent.
    public var offerIds: [OfferId]?
    /// The product; every offer's own or first if absent.
    public var productId: ProductId?
    /// What the backend says about the customer.
    public var signals: [String: FactValue]?
    /// The device that asks.
    public var request: RequestFactsBody?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case offerIds
        case productId
        case signals
        case request
    }

    /// A request with what every one has; callers set the rest.
    public init(customer: CustomerReference) {
        self.customer = customer
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decode(CustomerReference.self, forKey: .customer)
        offerIds = try container.decodeIfPresent([OfferId].self, forKey: .offerIds)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        signals = try container.decodeSignals(forKey: .signals)
        request = try container.decodeIfPresent(RequestFactsBody.self, forKey: .request)
    }
}

/// The answer of a dry-run.
public struct DecisionsBody: Sendable, Hashable, Codable {
    /// One decision an offer.
    public var decisions: [DecisionBody]
    /// The eligible offer with the highest priority, the first in the catalog among equals.
    public var best: OfferId?

    /// An answer by its parts.
    public init(decisions: [DecisionBody], best: OfferId?) {
        self.decisions = decisions
        self.best = best
    }
}

/// The decision on one offer.
public struct DecisionBody: Sendable, Hashable, Codable {
    /// The offer.
    public var offerId: OfferId
    /// `eligible`, `ineligible` or `undetermined`.
    public var outcome: String
    /// How the offer would reach the customer.
    public var delivery: Delivery
    /// The offer's rank.
    public var priority: Int
    /// What every rule found.
    public var findings: [FindingBody]

    /// A decision by its parts.
    public init(offerId: OfferId, outcome: String, delivery: Delivery, priority: Int, findings: [FindingBody]) {
        self.offerId = offerId
        self.outcome = outcome
        self.delivery = delivery
        self.priority = priority
        self.findings = findings
    }
}
