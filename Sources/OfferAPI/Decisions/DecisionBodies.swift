public import OfferModel

/// `POST /v1/decisions`: a dry-run, which decides without a trace (invariant 4).
public struct Inquiry: Sendable, Hashable, Decodable {
    /// The customer; required without `history` and signed data.
    public var customer: CustomerIdentifiers?
    /// The offers to decide; every offer of the catalog that is not archived if absent.
    public var offerIds: [OfferId]?
    /// The product; every offer's first if absent.
    public var productId: ProductId?
    public var signals: [String: FactValue]
    public var request: DeviceRequest
    /// Signed data that names the customer; nothing of it is kept.
    public var delivery = SignedDelivery()
    /// Whether to decide as for an app that asks for a new signature instead of the stored one.
    public var fresh = false
    /// The instant to decide at, past or to come: what was signed, bought or issued after it is not known
    /// (docs/design.md#history-and-state). Like all that follows not for `client` and `app` keys.
    public var asOf: Instant?
    /// Replaces the stored history.
    public var history: SuppliedHistory?
    /// The text of a catalog document, YAML or JSON, instead of the one in force; it need never have been applied.
    public var catalog: String?
    /// A revision of the catalog instead of the one in force.
    public var catalogRevision: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer, offerIds, productId, signals, signedTransactions, signedRenewalInfo, signedAppTransaction,
            request, fresh, asOf, history, catalog, catalogRevision
    }

    public init(
        customer: CustomerIdentifiers? = nil, offerIds: [OfferId]? = nil, productId: ProductId? = nil,
        signals: [String: FactValue] = [:], request: DeviceRequest = DeviceRequest(), asOf: Instant? = nil,
        history: SuppliedHistory? = nil
    ) {
        self.customer = customer
        self.offerIds = offerIds
        self.productId = productId
        self.signals = signals
        self.request = request
        self.asOf = asOf
        self.history = history
    }

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(decoder, keyedBy: CodingKeys.self)
        customer = try container.decodeIfPresent(CustomerIdentifiers.self, forKey: .customer)
        offerIds = try container.decodeIfPresent([OfferId].self, forKey: .offerIds)
        productId = try container.decodeIfPresent(ProductId.self, forKey: .productId)
        signals = try container.decodeSignals(forKey: .signals)
        delivery = try container.decodeSignedData(.signedTransactions, .signedRenewalInfo, .signedAppTransaction)
        request = try container.decodeDevice(forKey: .request)
        fresh = try container.decodeIfPresent(Bool.self, forKey: .fresh) ?? false
        asOf = try container.decodeNumber(Instant.self, forKey: .asOf)
        history = try container.decodeIfPresent(SuppliedHistory.self, forKey: .history)
        catalog = try container.decodeIfPresent(String.self, forKey: .catalog)
        catalogRevision = try container.decodeNumber(Int.self, forKey: .catalogRevision)
    }

    /// The names of the members by which this request supposes something: not for `client` and `app` keys
    /// (docs/design.md#roles).
    package var supposingMembers: [String] {
        let members: [(key: CodingKeys, isGiven: Bool)] = [
            (.asOf, asOf != nil), (.history, history != nil), (.catalog, catalog != nil),
            (.catalogRevision, catalogRevision != nil),
        ]
        return members.filter(\.isGiven).map(\.key.rawValue)
    }
}

/// Reads Apple's payloads decoded, each into JSON text of its own, written the same however it was sent.
extension SuppliedHistory: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case transactions, renewalInfos, appTransaction, issuedOffers, complete
    }

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(
            decoder, keyedBy: CodingKeys.self, requiring: [.transactions, .renewalInfos, .complete])
        self.init(
            transactions: try container.decode([JSONValue].self, forKey: .transactions).map { try WireJSON.encode($0) },
            renewalInfos: try container.decode([JSONValue].self, forKey: .renewalInfos).map { try WireJSON.encode($0) },
            appTransaction: try container.decodeIfPresent(JSONValue.self, forKey: .appTransaction)
                .map { try WireJSON.encode($0) },
            issuedOffers: try container.decodeIfPresent([SuppliedOffer].self, forKey: .issuedOffers),
            isComplete: try container.decode(Bool.self, forKey: .complete))
    }
}

extension SuppliedOffer: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case offerId, productId, issuedAt, expiresAt, signings, voidedAt, released
    }

    public init(from decoder: any Decoder) throws {
        let container = try StrictDecoding.container(
            decoder, keyedBy: CodingKeys.self, requiring: [.offerId, .issuedAt])
        self.init(
            offerId: try container.decode(OfferId.self, forKey: .offerId),
            productId: try container.decodeIfPresent(ProductId.self, forKey: .productId),
            issuedAt: try container.decode(Instant.self, forKey: .issuedAt),
            expiresAt: try container.decodeNumber(Instant.self, forKey: .expiresAt),
            signings: try container.decodeNumber(Int.self, forKey: .signings) ?? 1,
            voidedAt: try container.decodeNumber(Instant.self, forKey: .voidedAt),
            isReleased: try container.decodeIfPresent(Bool.self, forKey: .released) ?? false)
    }
}

/// The answer of a dry-run.
package struct DecisionsBody: Sendable, Hashable, Codable {
    package var decisions: [DecisionBody]
    /// The best of the eligible offers: by priority, then by value to the customer, then by id.
    package var best: OfferId?
    /// Why it is the best; not shown to `client` keys, because it names other offers.
    package var bestReason: String?
    /// When Apple signed the newest data that was decided on: what has changed since then is not known.
    package var dataAsOf: Instant?
    package var ignored: [IgnoredData]?
    /// Whether anything is stored about the customer; absent where a supplied history is all there is.
    package var known: Bool?

    package init(
        decisions: [DecisionBody], best: OfferId?, bestReason: String? = nil, dataAsOf: Instant? = nil,
        ignored: [IgnoredData]? = nil,
        known: Bool? = nil
    ) {
        self.decisions = decisions
        self.best = best
        self.bestReason = bestReason
        self.dataAsOf = dataAsOf
        self.ignored = ignored
        self.known = known
    }
}

package struct DecisionBody: Sendable, Hashable, Codable {
    package var offerId: OfferId
    /// `eligible`, `ineligible` or `undetermined`.
    package var outcome: String
    package var delivery: Delivery
    package var priority: Int
    /// The plan to buy the product with, by its name in the catalog; absent if the offer's products list none.
    package var billingPlan: String?
    /// When the answer changes by itself: until when it is eligible, or from when it would be; else the event that it
    /// waits for.
    package var turningPoint: TurningPointBody?
    /// The answer in words.
    package var explanation: ExplanationBody?
    package var findings: [FindingBody]

    package init(
        offerId: OfferId, outcome: String, delivery: Delivery, priority: Int, billingPlan: String? = nil,
        turningPoint: TurningPointBody? = nil, explanation: ExplanationBody? = nil, findings: [FindingBody]
    ) {
        self.offerId = offerId
        self.outcome = outcome
        self.delivery = delivery
        self.priority = priority
        self.billingPlan = billingPlan
        self.turningPoint = turningPoint
        self.explanation = explanation
        self.findings = findings
    }
}

package struct ExplanationBody: Sendable, Hashable, Codable {
    /// The sentence that decides it; for staff, so not shown to `client` keys.
    package var sentence: String?
    /// When that changes; not shown to `client` keys.
    package var change: String?
    /// What may be told to the customer, in their language: no other offers, limits or counts.
    package var customerAnswer: String

    package init(sentence: String? = nil, change: String? = nil, customerAnswer: String) {
        self.sentence = sentence
        self.change = change
        self.customerAnswer = customerAnswer
    }
}

/// `GET /v1/decisions/{id}`: a recorded refusal, explained.
package struct RecordedDecisionBody: Sendable, Hashable, Codable {
    package var decisionId: LowercaseUUID
    package var decidedAt: Instant
    package var catalogRevision: Int
    package var productId: ProductId
    /// As a dry-run at that instant would have answered.
    package var decision: DecisionBody

    package init(
        decisionId: LowercaseUUID, decidedAt: Instant, catalogRevision: Int, productId: ProductId,
        decision: DecisionBody
    ) {
        self.decisionId = decisionId
        self.decidedAt = decidedAt
        self.catalogRevision = catalogRevision
        self.productId = productId
        self.decision = decision
    }
}
