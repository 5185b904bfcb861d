import JSON
public import OfferModel

/// `POST /v1/decisions`: a dry-run, which decides without a trace (invariant 4).
public struct Inquiry: WireRequest {
    /// The customer; required without `history` and signed data.
    public var customer: CustomerIdentifiers?
    /// The offers to decide; every offer of the catalog that is not archived if absent.
    public var offerIds: [OfferId]?
    /// The product; required if `offerIds` names one offer alone that has several, otherwise every offer's first if absent.
    public var productId: ProductId?
    public var signals: [String: FactValue] = [:]
    public var request = DeviceRequest()
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

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("customer", &customer)
        members.optional("offerIds", &offerIds)
        members.optional("productId", &productId)
        members.defaulted("signals", &signals)
        members.signedData(&delivery)
        members.defaulted("request", &request)
        members.defaulted("fresh", &fresh)
        members.optional("asOf", &asOf)
        members.optional("history", &history)
        members.optional("catalog", &catalog)
        members.optional("catalogRevision", &catalogRevision)
    }

    /// The names of the members by which this request supposes something: not for `client` and `app` keys
    /// (docs/design.md#roles).
    package var supposingMembers: [String] {
        let members = [
            ("asOf", asOf != nil), ("history", history != nil), ("catalog", catalog != nil),
            ("catalogRevision", catalogRevision != nil),
        ]
        return members.filter(\.1).map(\.0)
    }
}

extension SuppliedHistory: WireRequest {
    public mutating func visit(_ members: inout some MemberVisitor) {
        var payloads = transactions.map(DecodedPayload.init)
        members.required("transactions", &payloads)
        transactions = payloads.map(\.text)
        payloads = renewalInfos.map(DecodedPayload.init)
        members.required("renewalInfos", &payloads)
        renewalInfos = payloads.map(\.text)
        var payload = appTransaction.map(DecodedPayload.init)
        members.optional("appTransaction", &payload)
        appTransaction = payload?.text
        members.optional("issuedOffers", &issuedOffers)
        members.required("complete", &isComplete)
    }
}

/// One of Apple's payloads, decoded: JSON text, written the same however it was sent.
private struct DecodedPayload: WireValue {
    let text: [UInt8]

    static var form: WireForm { .anything }

    static func read(_ json: inout WireReader) throws(Misreading) -> DecodedPayload {
        var text = JSONWriter()
        text.value(try JSONValue.read(&json))
        return DecodedPayload(text: text.bytes)
    }

    func write(to json: inout JSONWriter) { json.append(text) }
}

extension SuppliedOffer: WireRequest {
    public init() { self.init(offerId: "", issuedAt: .blank) }

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("offerId", &offerId)
        members.optional("productId", &productId)
        members.required("issuedAt", &issuedAt)
        members.optional("expiresAt", &expiresAt)
        members.defaulted("signings", &signings)
        members.optional("voidedAt", &voidedAt)
        members.defaulted("released", &isReleased)
    }
}

/// The answer of a dry-run.
package struct DecisionsBody: WireObject {
    package var decisions: [DecisionBody] = []
    /// The best of the eligible offers: by priority, then by value to the customer, then by id.
    package var best: OfferId?
    /// Why it is the best; not shown to `client` keys, because it names other offers.
    package var bestReason: String?
    /// When Apple signed the newest data that was decided on: what has changed since then is not known.
    package var dataAsOf: Instant?
    package var ignored: [IgnoredData]?
    /// Whether anything is stored about the customer; absent where a supplied history is all there is.
    package var known: Bool?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("best", &best)
        members.optional("bestReason", &bestReason)
        members.optional("dataAsOf", &dataAsOf)
        members.required("decisions", &decisions)
        members.optional("ignored", &ignored)
        members.optional("known", &known)
    }
}

/// The decision on one offer, with its terms for a paywall.
///
/// Members that older servers do not send are optional.
package struct DecisionBody: WireObject {
    package var offerId: OfferId = ""
    package var offerType: OfferType?
    /// Apple's name of the offer; absent for introductory ones.
    package var offerIdentifier: OfferIdentifier?
    /// `eligible`, `ineligible` or `undetermined`.
    package var outcome = ""
    package var delivery: Delivery = .signature
    package var priority = 0
    /// The plan to buy the product with, by its name in the catalog; absent if the offer's products list none.
    package var billingPlan: String?
    package var paymentMode: PaymentMode?
    /// The length of one of its periods, by the catalog.
    package var period: Period?
    package var periodCount: Int?
    /// When the answer changes by itself: until when it is eligible, or from when it would be; else the event that it
    /// waits for.
    package var turningPoint: TurningPointBody?
    /// The answer in words.
    package var explanation: ExplanationBody?
    package var findings: [FindingBody] = []

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("billingPlan", &billingPlan)
        members.required("delivery", &delivery)
        members.optional("explanation", &explanation)
        members.required("findings", &findings)
        members.required("offerId", &offerId)
        members.optional("offerIdentifier", &offerIdentifier)
        members.optional("offerType", &offerType)
        members.required("outcome", &outcome)
        members.optional("paymentMode", &paymentMode)
        members.optional("period", &period)
        members.optional("periodCount", &periodCount)
        members.required("priority", &priority)
        members.optional("turningPoint", &turningPoint)
    }
}

package struct ExplanationBody: WireObject {
    /// The sentence that decides it; for staff, so not shown to `client` keys.
    package var sentence: String?
    /// When that changes; not shown to `client` keys.
    package var change: String?
    /// What may be told to the customer, in their language: no other offers, limits or counts.
    package var customerAnswer = ""

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("change", &change)
        members.required("customerAnswer", &customerAnswer)
        members.optional("sentence", &sentence)
    }
}

/// `GET /v1/decisions?customer=unknown`: a refused request for which no customer is known, with what it named.
package struct UnmatchedRefusal: WireObject {
    package var decisionId: LowercaseUUID = .blank
    package var decidedAt: Instant = .blank
    package var offerId: OfferId = ""
    package var outcome = ""
    /// Absent once retention has removed what the request named.
    package var productId: ProductId?
    package var originalTransactionId: TransactionId?
    package var appTransactionId: AppTransactionId?
    package var appAccountToken: AppAccountToken?
    package var customerId: CustomerId?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("appAccountToken", &appAccountToken)
        members.optional("appTransactionId", &appTransactionId)
        members.optional("customerId", &customerId)
        members.required("decidedAt", &decidedAt)
        members.required("decisionId", &decisionId)
        members.required("offerId", &offerId)
        members.optional("originalTransactionId", &originalTransactionId)
        members.required("outcome", &outcome)
        members.optional("productId", &productId)
    }
}

/// `GET /v1/decisions/{id}`: a recorded refusal, explained.
package struct RecordedDecisionBody: WireObject {
    package var decisionId: LowercaseUUID = .blank
    package var decidedAt: Instant = .blank
    package var catalogRevision = 0
    package var productId: ProductId = ""
    /// As a dry-run at that instant would have answered.
    package var decision = DecisionBody()

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("catalogRevision", &catalogRevision)
        members.required("decidedAt", &decidedAt)
        members.required("decision", &decision)
        members.required("decisionId", &decisionId)
        members.required("productId", &productId)
    }
}
