public import OfferModel

/// `POST /v1/decisions`: the dry-run. It writes nothing.
public struct DecisionRequestBody: Sendable, Hashable, Codable {
    /// The customer; required without `history`.
    public var customer: CustomerReference?
    /// The offers to decide; every offer of the catalog if absent.
    public var offerIds: [OfferId]?
    /// The product; every offer's own or first if absent.
    public var productId: ProductId?
    /// What the backend says about the customer.
    public var signals: [String: FactValue]?
    /// The device that asks.
    public var request: RequestFactsBody?
    /// The instant to decide at; like all that follows not for `client` keys.
    public var asOf: Instant?
    /// The history in place of the stored one.
    public var history: HistoryBody?
    /// The text of a catalog document, YAML or JSON, in place of the one in force.
    public var catalog: String?
    /// A revision of the catalog in place of the one in force.
    public var catalogRevision: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case offerIds
        case productId
        case signals
        case request
        case asOf
        case history
        case catalog
        case catalogRevision
    }

    /// A request about a customer; callers set the rest.
    public init(customer: CustomerReference? = nil) {
        self.customer = customer
    }

    /// Reads a request and refuses unknown members.
    ///
    /// - Throws: ``RequestFault`` for an unknown member, else `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try ClosedObject.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decodeIfPresent(CustomerReference.self, forKey: .customer)
        offerIds = try container.decodeIfPresent([OfferId].self, forKey: .offerIds)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        signals = try container.decodeSignals(forKey: .signals)
        request = try container.decodeIfPresent(RequestFactsBody.self, forKey: .request)
        asOf = try container.decodeNumber(Instant.self, forKey: .asOf)
        history = try container.decodeIfPresent(HistoryBody.self, forKey: .history)
        catalog = try container.decodeIfPresent(String.self, forKey: .catalog)
        catalogRevision = try container.decodeNumber(Int.self, forKey: .catalogRevision)
    }

    /// The names of the members by which this request supposes something: not for `client` keys (docs/design.md#http).
    public var supposingMembers: [String] {
        let members: [(key: CodingKeys, isGiven: Bool)] = [
            (.asOf, asOf != nil), (.history, history != nil), (.catalog, catalog != nil),
            (.catalogRevision, catalogRevision != nil),
        ]
        return members.filter(\.isGiven).map(\.key.rawValue)
    }
}

/// The answer of a dry-run.
public struct DecisionsBody: Sendable, Hashable, Codable {
    /// One decision an offer.
    public var decisions: [DecisionBody]
    /// The best of the eligible offers: by priority, then by value to the customer, then by id.
    public var best: OfferId?
    /// Why it is the best; not shown to `client` keys, because it names other offers.
    public var bestReason: String?

    /// An answer by its parts.
    public init(decisions: [DecisionBody], best: OfferId?, bestReason: String? = nil) {
        self.decisions = decisions
        self.best = best
        self.bestReason = bestReason
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
    /// When the answer changes by itself: until when it is eligible, or from when it would be; else the event that it
    /// waits for.
    public var turningPoint: TurningPointBody?
    /// The answer in words; not shown to `client` keys.
    public var explanation: ExplanationBody?
    /// What every rule found.
    public var findings: [FindingBody]

    /// A decision by its parts.
    public init(
        offerId: OfferId, outcome: String, delivery: Delivery, priority: Int, turningPoint: TurningPointBody? = nil,
        explanation: ExplanationBody? = nil, findings: [FindingBody]
    ) {
        self.offerId = offerId
        self.outcome = outcome
        self.delivery = delivery
        self.priority = priority
        self.turningPoint = turningPoint
        self.explanation = explanation
        self.findings = findings
    }
}

/// A decision in words.
public struct ExplanationBody: Sendable, Hashable, Codable {
    /// The sentence that decides it; for staff.
    public var sentence: String
    /// When it changes.
    public var change: String
    /// What may be told to the customer: no other offers, limits or counts.
    public var customerAnswer: String

    /// An explanation by its parts.
    public init(sentence: String, change: String, customerAnswer: String) {
        self.sentence = sentence
        self.change = change
        self.customerAnswer = customerAnswer
    }
}
