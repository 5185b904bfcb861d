import OfferModel
import OfferStore

/// How the answer to an order leaves: as it is, or written down and kept under the request's key.
protocol IssueReply: Sendable {
    /// What the asker gets.
    associatedtype Answer: Sendable

    /// Whether answers are kept.
    static var keepsAnswers: Bool { get }

    /// Gives an answer the form it leaves in. This happens before the commit, so that exactly that can be kept.
    func write(_ answer: IssueAnswer) throws -> Answer

    /// The answer that was given before; asked for again in the transaction that would keep another.
    ///
    /// - Throws: ``RequestError/idempotencyConflict`` if it was given to another body.
    func earlier(at now: Instant, _ transaction: any StoreTransaction) throws -> Answer?

    /// Keeps an answer in the transaction that makes it true.
    ///
    /// - Parameter decision: the decision that it tells of, if it was made before; otherwise the answer has the instant
    ///   of its decision.
    func keep(
        _ answer: Answer, onEarlier decision: LowercaseUUID?, at now: Instant, _ transaction: any StoreTransaction
    ) throws
}

extension IssueReply {
    /// Keeps the answer of a decision that the same transaction records.
    func keep(_ answer: Answer, at now: Instant, _ transaction: any StoreTransaction) throws {
        try keep(answer, onEarlier: nil, at: now, transaction)
    }
}

/// The reply to a request without a key: nothing is kept, and nothing found.
struct PlainReply: IssueReply {
    static let keepsAnswers = false

    func write(_ answer: IssueAnswer) throws -> IssueAnswer { answer }

    func earlier(at now: Instant, _ transaction: any StoreTransaction) throws -> IssueAnswer? { nil }

    func keep(
        _ answer: IssueAnswer, onEarlier decision: LowercaseUUID?, at now: Instant, _ transaction: any StoreTransaction
    ) throws {}
}

/// The reply to a request with a key (docs/design.md#issuing).
struct KeptReply: IssueReply {
    static let keepsAnswers = true

    private let key: IdempotencyRecordKey
    private let digest: [UInt8]
    private let writer: @Sendable (IssueAnswer) throws -> WrittenAnswer

    init(
        _ request: IdempotentRequest, caller: Caller, digest: any Digest,
        write: @escaping @Sendable (IssueAnswer) throws -> WrittenAnswer
    ) {
        key = IdempotencyRecordKey(apiKeyId: caller.apiKeyId, route: request.route, key: request.key)
        self.digest = digest.sha256(request.body)
        writer = write
    }

    func write(_ answer: IssueAnswer) throws -> WrittenAnswer {
        try writer(answer)
    }

    func earlier(at now: Instant, _ transaction: any StoreTransaction) throws -> WrittenAnswer? {
        guard let kept = try IdempotencyStore(transaction).answer(key, at: now) else { return nil }
        guard kept.requestDigest == digest else { throw RequestError.idempotencyConflict }
        return WrittenAnswer(
            status: kept.status, contentType: kept.contentType, location: kept.location, body: kept.body,
            isReplayed: true)
    }

    func keep(
        _ answer: WrittenAnswer, onEarlier decision: LowercaseUUID?, at now: Instant,
        _ transaction: any StoreTransaction
    ) throws {
        try IdempotencyStore(transaction).keep(
            IdempotencyRecord(
                requestDigest: digest, status: answer.status, contentType: answer.contentType,
                location: answer.location, body: answer.body, answeredAt: now),
            under: key, onEarlier: decision)
    }
}
