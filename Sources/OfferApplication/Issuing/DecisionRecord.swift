import FoundationEssentials
import OfferEligibility
import OfferModel
import OfferStore

/// What a decision depended on, as it is kept for replay (invariant 5); times in ms.
struct DecisionRecord: Codable, Sendable {
    /// One signature made on the decision.
    struct Signature: Codable, Sendable {
        var nonce: LowercaseUUID
        var format: RecordedSignature.Format
        var keyId: KeyId
        var timestamp: Instant
        var transactionId: String?
        var appAccountToken: AppAccountToken?
    }

    /// What was ordered, besides its signed data, which is in the history.
    struct Order: Codable, Sendable {
        var originalTransactionId: TransactionId?
        var appTransactionId: AppTransactionId?
        var appAccountToken: AppAccountToken?
        var customerId: CustomerId?
        var formats: [SignatureFormat]
        var fresh: Bool
    }

    /// A slot as it was seen; its row goes on changing.
    struct SeenSlot: Codable, Sendable {
        var id: LowercaseUUID
        var signings: Int
        var expiresAt: Instant
        var countsUntil: Instant
        var voidedAt: Instant?
        var isReleased: Bool
        var settledAt: Instant?
    }

    var now: Instant
    var order: Order
    var catalogRevision: Int
    var pause: Pause
    var productId: ProductId
    var needsNewSigning: Bool
    /// The encodings that were signed where it was asked.
    var formats: [SignatureFormat]
    var signals: [String: FactValue]
    /// What the order said of the device that asks.
    var request: DeviceRequest
    var attributes: [String: FactValue]
    var firstStoredAt: Instant?
    var rolloutKey: String?
    var openedAt: [String: Instant]
    var customers: [Int64]
    /// Whose rows were read.
    var identifiers: SeenIdentifiers
    var historySequence: Int64
    var slots: [SeenSlot]
    /// What was known of uses whose history had been erased; absent where there was nothing.
    var keptEvidence: [KeptEvidence]?
    /// What everyone had used of the offer; only where its limits count that.
    var counters: OfferCounters?
    var coverage: String
    var coverageAsOf: Instant?
    var coverageProvenance: Provenance?
    var decision: Decision
    var signatures: [Signature]

    init(_ asked: AskedOrder, signatures: [RecordedSignature]) {
        let snapshot = asked.snapshot
        let coverage = snapshot.facts.history.coverage
        now = asked.question.now
        order = Order(asked.order)
        catalogRevision = snapshot.catalogRevision
        pause = asked.question.pause
        productId = asked.question.productId
        needsNewSigning = asked.question.needsNewSigning
        formats = SignatureFormat.allCases.filter(asked.question.formats.contains)
        signals = asked.question.signals
        request = asked.question.request
        attributes = snapshot.facts.attributes
        firstStoredAt = snapshot.facts.firstStoredAt
        rolloutKey = snapshot.facts.rolloutKey
        openedAt = Dictionary(snapshot.facts.openedAt.map { ($0.rawValue, $1) }) { first, _ in first }
        customers = snapshot.subject.customers.map(\.rawValue)
        identifiers = SeenIdentifiers(snapshot.facts.history)
        historySequence = snapshot.sequence
        slots = snapshot.facts.slots.map(SeenSlot.init)
        keptEvidence = snapshot.facts.keptEvidence.isEmpty ? nil : snapshot.facts.keptEvidence
        counters = snapshot.facts.counters[asked.question.offer.id]
        self.coverage = coverage.level.rawValue
        coverageAsOf = coverage.asOf
        coverageProvenance = coverage.provenance
        decision = asked.decision
        self.signatures = signatures.map {
            Signature(
                nonce: $0.nonce, format: $0.format, keyId: $0.keyId, timestamp: $0.timestamp,
                transactionId: $0.transactionId, appAccountToken: $0.appAccountToken)
        }
    }

    /// Reads a record.
    ///
    /// - Throws: `DecodingError` if it is none.
    init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// The record as JSON with sorted keys.
    ///
    /// - Throws: ``JSONWriter/NotFinite``.
    func text() throws -> String {
        var json = JSONWriter(capacity: 8_192)
        try write(to: &json)
        return json.text
    }
}

extension DecisionRecord.Order {
    init(_ order: IssueOrder) {
        self.init(
            originalTransactionId: order.customer.originalTransactionId,
            appTransactionId: order.customer.appTransactionId, appAccountToken: order.customer.appAccountToken,
            customerId: order.customer.customerId, formats: order.formats, fresh: order.fresh)
    }
}

extension DecisionRecord.SeenSlot {
    fileprivate init(_ slot: Slot) {
        self.init(
            id: slot.id, signings: slot.signings, expiresAt: slot.expiresAt, countsUntil: slot.countsUntil,
            voidedAt: slot.voidedAt, isReleased: slot.isReleased, settledAt: slot.settledAt)
    }
}
