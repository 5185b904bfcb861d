package import OfferModel

/// `POST /v1/decisions`: the dry-run. It writes nothing.
package struct DecisionRequestBody: Sendable, Hashable, Codable {
    /// The customer; required without `history`.
    package var customer: CustomerReference?
    /// The offers to decide; every offer of the catalog if absent.
    package var offerIds: [OfferId]?
    /// The product; every offer's own or first if absent.
    package var productId: ProductId?
    package var signals: [String: FactValue]?
    package var request: RequestFactsBody?
    /// The instant to decide at; like all that follows not for `client` keys.
    package var asOf: Instant?
    /// The history instead of the stored one.
    package var history: HistoryBody?
    /// The text of a catalog document, YAML or JSON, instead of the one in force.
    package var catalog: String?
    /// A revision of the catalog instead of the one in force.
    package var catalogRevision: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer, offerIds, productId, signals, request, asOf, history, catalog, catalogRevision
    }

    package init(customer: CustomerReference? = nil) {
        self.customer = customer
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
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
    package var supposingMembers: [String] {
        let members: [(key: CodingKeys, isGiven: Bool)] = [
            (.asOf, asOf != nil), (.history, history != nil), (.catalog, catalog != nil),
            (.catalogRevision, catalogRevision != nil),
        ]
        return members.filter(\.isGiven).map(\.key.rawValue)
    }
}

/// The answer of a dry-run.
package struct DecisionsBody: Sendable, Hashable, Codable {
    /// One decision per offer.
    package var decisions: [DecisionBody]
    /// The best of the eligible offers: by priority, then by value to the customer, then by id.
    package var best: OfferId?
    /// Why it is the best; not shown to `client` keys, because it names other offers.
    package var bestReason: String?

    package init(decisions: [DecisionBody], best: OfferId?, bestReason: String? = nil) {
        self.decisions = decisions
        self.best = best
        self.bestReason = bestReason
    }
}

/// The decision on one offer.
package struct DecisionBody: Sendable, Hashable, Codable {
    package var offerId: OfferId
    /// `eligible`, `ineligible` or `undetermined`.
    package var outcome: String
    package var delivery: Delivery
    package var priority: Int
    /// When the answer changes by itself: until when it is eligible, or from when it would be; else the event that it
    /// waits for.
    package var turningPoint: TurningPointBody?
    /// The answer in words; not shown to `client` keys.
    package var explanation: ExplanationBody?
    package var findings: [FindingBody]

    package init(
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
package struct ExplanationBody: Sendable, Hashable, Codable {
    /// The sentence that decides it; for staff.
    package var sentence: String
    package var change: String
    /// What may be told to the customer: no other offers, limits or counts.
    package var customerAnswer: String

    package init(sentence: String, change: String, customerAnswer: String) {
        self.sentence = sentence
        self.change = change
        self.customerAnswer = customerAnswer
    }
}

/// A history supplied for a "what if", instead of the stored one.
package struct HistoryBody: Sendable, Hashable, Codable {
    package var transactions: [JSONValue]
    package var renewalInfos: [JSONValue]
    package var appTransaction: JSONValue?
    /// Offers issued before; the recorded ones if absent.
    package var issuedOffers: [PastOfferBody]?
    package var complete: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case transactions, renewalInfos, appTransaction, issuedOffers, complete
    }

    package init(
        transactions: [JSONValue], renewalInfos: [JSONValue], appTransaction: JSONValue? = nil,
        issuedOffers: [PastOfferBody]? = nil, complete: Bool
    ) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
        self.issuedOffers = issuedOffers
        self.complete = complete
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        transactions = try container.decode([JSONValue].self, forKey: .transactions)
        renewalInfos = try container.decode([JSONValue].self, forKey: .renewalInfos)
        appTransaction = try container.decodeIfPresent(JSONValue.self, forKey: .appTransaction)
        issuedOffers = try container.decodeIfPresent([PastOfferBody].self, forKey: .issuedOffers)
        complete = try container.decode(Bool.self, forKey: .complete)
    }
}

/// An offer issued before, as a "what if" has it; what kind of offer it is, the catalog says.
package struct PastOfferBody: Sendable, Hashable, Codable {
    package var offerId: OfferId
    /// The product; required if the offer has several.
    package var productId: ProductId?
    package var issuedAt: Instant
    /// When its newest signature ends; 24 hours after `issuedAt` if absent.
    package var expiresAt: Instant?
    /// How many signings it holds; 1 if absent.
    package var signings: Int?
    package var voidedAt: Instant?
    /// Whether the void freed its place.
    package var released: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case offerId, productId, issuedAt, expiresAt, signings, voidedAt, released
    }

    package init(offerId: OfferId, issuedAt: Instant) {
        self.offerId = offerId
        self.issuedAt = issuedAt
    }

    package init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        offerId = try container.decode(OfferId.self, forKey: .offerId)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        issuedAt = try container.decode(Instant.self, forKey: .issuedAt)
        expiresAt = try container.decodeNumber(Instant.self, forKey: .expiresAt)
        signings = try container.decodeNumber(Int.self, forKey: .signings)
        voidedAt = try container.decodeNumber(Instant.self, forKey: .voidedAt)
        released = try container.decodeIfPresent(Bool.self, forKey: .released)
    }
}
