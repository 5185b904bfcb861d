import OfferModel
import OfferStore

/// A request that its client may repeat: under one key the same body gets the same answer (docs/design.md#idempotency).
public struct IdempotentRequest: Sendable {
    public var key: String
    /// The method and path template, such as `POST /v1/issued-offers`.
    public var route: String
    public var body: [UInt8]

    public init(key: String, route: String, body: [UInt8]) {
        self.key = key
        self.route = route
        self.body = body
    }
}

/// An answer as it goes out over HTTP, in bytes.
public struct WrittenAnswer: Sendable, Hashable {
    public var status: Int
    public var contentType: String
    public var location: String?
    public var body: [UInt8]
    /// Whether it was sent before, and is sent again as it was.
    public var isReplayed: Bool

    public init(
        status: Int, contentType: String, location: String? = nil, body: [UInt8], isReplayed: Bool = false
    ) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
        self.isReplayed = isReplayed
    }
}

/// How the answer to an issue request leaves: written down before the commit, so that exactly these bytes can be kept
/// under the request's key (docs/design.md#idempotency). Without a key nothing is kept, and nothing found.
struct IssueReply: Sendable {
    private struct Keeping: Sendable {
        var key: IdempotencyRecordKey
        /// Of the body that was answered.
        var digest: [UInt8]
        /// Not with an `app` key: everyone has it, and a new `Idempotency-Key` each time would keep an answer each time.
        var keepsRepeats: Bool
    }

    /// Gives an answer the form it leaves in.
    let write: @Sendable (IssueAnswer) throws -> WrittenAnswer
    private let keeping: Keeping?

    init(
        _ request: IdempotentRequest?, caller: Caller, digest: any Digest,
        write: @escaping @Sendable (IssueAnswer) throws -> WrittenAnswer
    ) {
        self.write = write
        keeping = request.map { request in
            let body = digest.sha256(request.body)
            let isApp = caller.role == .app
            // All customers share an `app` key, and two of them may choose the same `Idempotency-Key`. The digests are
            // last, because they have one length.
            let account = digest.sha256(Array((caller.account?.rawValue ?? "").utf8))
            let shared = Array(request.key.utf8) + body + account
            let key = IdempotencyRecordKey(
                apiKeyId: caller.apiKeyId, route: request.route,
                key: isApp ? Hexadecimal.lowercase(digest.sha256(shared)) : request.key)
            return Keeping(key: key, digest: body, keepsRepeats: !isApp)
        }
    }

    /// What keeping an answer concerns.
    var concerns: [Concern] { keeping.map { [.answer($0.key)] } ?? [] }

    /// Whether an answer that repeats an earlier decision is kept too.
    var keepsRepeats: Bool { keeping?.keepsRepeats ?? false }

    /// The answer that was given before; asked for again in the transaction that would keep another.
    ///
    /// - Throws: `idempotencyConflict` if it was given to another body.
    func earlier(at now: Instant, _ transaction: any StoreTransaction) throws -> WrittenAnswer? {
        guard let keeping, let kept = try IdempotencyStore(transaction).answer(keeping.key, at: now) else { return nil }
        guard kept.requestDigest == keeping.digest else { throw RequestError.idempotencyConflict }
        return WrittenAnswer(
            status: kept.status, contentType: kept.contentType, location: kept.location, body: Array(kept.body.utf8),
            isReplayed: true)
    }

    /// Keeps an answer in the transaction that records its decision.
    ///
    /// - Parameter decision: the decision that it reports, if it was recorded before; otherwise the answer has the
    ///   instant of its decision.
    func keep(
        _ answer: WrittenAnswer, onEarlier decision: LowercaseUUID?, at now: Instant,
        _ transaction: any StoreTransaction
    ) throws {
        guard let keeping else { return }
        try IdempotencyStore(transaction).keep(
            IdempotencyRecord(
                requestDigest: keeping.digest, status: answer.status, contentType: answer.contentType,
                location: answer.location, body: String(decoding: answer.body, as: UTF8.self), answeredAt: now),
            under: keeping.key, onEarlier: decision)
    }
}
