public import OfferModel

/// An answer as it was sent, kept so that it can be sent again byte for byte (docs/design.md#issuing).
public struct IdempotencyRecord: Sendable, Hashable {
    public var requestDigest: [UInt8]
    public var status: Int
    public var contentType: String
    public var location: String?
    public var body: String
    public var answeredAt: Instant

    public init(
        requestDigest: [UInt8], status: Int, contentType: String, location: String?, body: String,
        answeredAt: Instant
    ) {
        self.requestDigest = requestDigest
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
        self.answeredAt = answeredAt
    }
}

extension IdempotencyRecord: TableRow {
    static let blank = IdempotencyRecord(
        requestDigest: [], status: 0, contentType: "", location: nil, body: "", answeredAt: .distantPast)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("request_digest", &requestDigest, "CHECK (length(request_digest) = 32)")
        try columns("status", &status, "CHECK (status IN (200, 201, 403, 422))")
        try columns("content_type", &contentType, "CHECK (length(content_type) > 0)")
        try columns("location", &location)
        try columns("body", &body)
        try columns("answered_at", &answeredAt)
    }
}

/// Under which key an answer is kept: the same key of another caller, or for another route, is another.
public struct IdempotencyRecordKey: Sendable, Hashable {
    public var apiKeyId: String
    public var route: String
    public var key: String

    public init(apiKeyId: String, route: String, key: String) {
        self.apiKeyId = apiKeyId
        self.route = route
        self.key = key
    }
}

struct KeptAnswerRow: TableRow {
    var key: IdempotencyRecordKey
    var answer: IdempotencyRecord
    var decision: LowercaseUUID?

    static let blank = KeptAnswerRow(key: IdempotencyRecordKey(apiKeyId: "", route: "", key: ""), answer: .blank)

    mutating func visit(_ columns: inout some ColumnVisitor) throws {
        try columns("api_key_id", &key.apiKeyId, "REFERENCES api_key (id)")
        try columns("route", &key.route, "CHECK (length(route) > 0)")
        try columns("key", &key.key, "CHECK (length(key) BETWEEN 1 AND 255)")
        try answer.visit(&columns)
        try columns("decision_id", &decision)
    }
}

/// Answers under the keys of their requests, each for a day.
public struct IdempotencyStore {
    /// How long an answer is given again, in milliseconds: 24 hours (docs/design.md#issuing).
    public static let life: Int64 = 24 * 3_600_000
    /// How many answers past their life one new answer clears away.
    private static let clearedAtOnce = 100

    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The answer under a key; `nil` if there is none, or its life is over.
    public func answer(_ key: IdempotencyRecordKey, at now: Instant) throws -> IdempotencyRecord? {
        let kept: IdempotencyRecord? = try transaction.first(
            "SELECT \(IdempotencyRecord.list()) FROM kept_answer WHERE api_key_id = ?1 AND route = ?2 AND key = ?3",
            key.apiKeyId, key.route, key.key)
        guard let kept, kept.answeredAt > Self.end(before: now) else { return nil }
        return kept
    }

    /// Keeps an answer in place of one whose life is over, and clears a few others of those away.
    ///
    /// - Parameter decision: the decision that it reports, if that was made earlier, so that an erasure finds it. The
    ///   answer of a decision of the same instant is found by that.
    /// - Throws: ``StoreError/constraint(_:)`` if the key has an answer.
    public func keep(
        _ answer: IdempotencyRecord, under key: IdempotencyRecordKey, onEarlier decision: LowercaseUUID? = nil
    ) throws {
        let end = Self.end(before: answer.answeredAt)
        try transaction.execute(
            "DELETE FROM kept_answer WHERE api_key_id = ?1 AND route = ?2 AND key = ?3 AND answered_at <= ?4",
            key.apiKeyId, key.route, key.key, end)
        try transaction.execute(Self.clearing(answeredBy: end, atMost: Self.clearedAtOnce))
        try transaction.insert(KeptAnswerRow(key: key, answer: answer, decision: decision), into: .keptAnswer)
    }

    func clear(answeredBy end: Instant, atMost limit: Int) throws -> Int {
        try transaction.changes(by: Self.clearing(answeredBy: end, atMost: limit))
    }

    private static func clearing(answeredBy end: Instant, atMost limit: Int) -> Statement {
        Statement(
            """
            DELETE FROM kept_answer WHERE (api_key_id, route, key) IN (
                SELECT api_key_id, route, key FROM kept_answer
                WHERE answered_at <= ?1 ORDER BY answered_at LIMIT ?2
            )
            """, end, limit)
    }

    private static func end(before now: Instant) -> Instant {
        now.adding(milliseconds: -life)
    }
}
