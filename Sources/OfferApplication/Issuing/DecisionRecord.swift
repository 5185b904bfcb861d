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

    var now: Instant
    var catalogRevision: Int
    var pause: Pause
    var productId: ProductId
    var needsNewSigning: Bool
    var signals: [String: FactValue]
    var customers: [Int64]
    var historySequence: Int64
    var slots: [LowercaseUUID]
    var coverage: String
    var coverageAsOf: Instant?
    var decision: Decision
    var signatures: [Signature]

    init(_ question: Question, _ snapshot: Snapshot, decision: Decision, signatures: [RecordedSignature]) {
        now = question.now
        catalogRevision = snapshot.catalogRevision
        pause = question.pause
        productId = question.productId
        needsNewSigning = question.needsNewSigning
        signals = question.signals
        customers = snapshot.subject.customers.map(\.rawValue)
        historySequence = snapshot.sequence
        slots = snapshot.facts.slots.map(\.id)
        coverage = snapshot.facts.history.coverage.level.rawValue
        coverageAsOf = snapshot.facts.history.coverage.asOf
        self.decision = decision
        self.signatures = signatures.map {
            Signature(
                nonce: $0.nonce, format: $0.format, keyId: $0.keyId, timestamp: $0.timestamp,
                transactionId: $0.transactionId, appAccountToken: $0.appAccountToken)
        }
    }

    /// The record as JSON with sorted keys.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
