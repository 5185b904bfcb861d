public import OfferModel

/// What one rule found.
public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
    case satisfied
    case violated
    /// What is known does not decide it; never counts as satisfied (invariant 3).
    case undetermined
    case notApplicable

    /// Whether it keeps the offer back.
    public var isInTheWay: Bool { self == .violated || self == .undetermined }
}

/// One rule's answer with what it saw (docs/design.md#decisions, Contract).
public struct Finding: Sendable, Hashable, Codable {
    // Only the initialiser that the compiler writes sets its members without a copy of all of them.

    public var rule: RuleId
    public var verdict: Verdict
    public var reason: ReasonCode
    /// Where in the offer's own condition, such as `all[1].any[0]`, or which of several limits, such as `limits[1]`.
    public var path: String?
    var sentence: Message
    public var evidence: [Evidence] = []
    /// When this finding would flip, if that can be said.
    public var turningPoint: TurningPoint?
    /// The findings of the nodes below; only the root's verdict enters the outcome.
    public var children: [Finding]?

    private enum CodingKeys: String, CodingKey {
        case rule, verdict, reason, path, evidence, turningPoint, children
        case sentence = "message"
    }
}

extension Finding {
    /// One sentence for people, written whenever it is read.
    public var message: String {
        get { sentence.text }
        set { sentence = Message { newValue } }
    }

    public init(
        rule: RuleId, verdict: Verdict, reason: ReasonCode, path: String? = nil, message: String,
        evidence: [Evidence] = [], turningPoint: TurningPoint? = nil, children: [Finding]? = nil
    ) {
        self.init(
            rule: rule, verdict: verdict, reason: reason, path: path, sentence: Message { message },
            evidence: evidence, turningPoint: turningPoint, children: children)
    }
}

/// One thing a rule looked at.
public struct Evidence: Sendable, Hashable, Codable {
    // As of a finding, it is the compiler's initialiser.

    /// What was looked at: a fact's name, a field of Apple's, or a field of the catalog.
    public var field: String
    /// What was seen; absent if nothing is known.
    public var observed: EvidenceValue?
    /// What was required; absent if the observation speaks for itself.
    public var required: EvidenceValue?
    /// Where the observation comes from; absent for the catalog and the clock.
    public var provenance: Provenance?
    public var transactionId: TransactionId?
}

/// One value, or several where a rule compares with a list.
public enum EvidenceValue: Sendable, Hashable, Codable {
    case value(FactValue)
    case list([FactValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let list = try? container.decode([FactValue].self) {
            self = .list(list)
        } else {
            self = .value(try container.decode(FactValue.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .value(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        }
    }
}

/// The earliest instant, or the event, at which a finding would flip.
public enum TurningPoint: Sendable, Hashable, Codable {
    case at(Instant)
    case event(TurningEvent)

    private enum Keys: String, CodingKey {
        case at
        case event
    }

    /// Reads `{"at": milliseconds}` or `{"event": name}`.
    ///
    /// - Throws: `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        if let instant = try container.decodeIfPresent(Instant.self, forKey: .at) {
            self = .at(instant)
        } else {
            self = .event(try container.decode(TurningEvent.self, forKey: .event))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        switch self {
        case .at(let instant): try container.encode(instant, forKey: .at)
        case .event(let event): try container.encode(event, forKey: .event)
        }
    }
}

/// A sentence for people, written when it is read: a decision has dozens of them, and most are read by nobody.
///
/// It is its text: two sentences are the same if they read the same, however they are made.
struct Message: Sendable {
    private let write: @Sendable () -> String

    init(_ write: @escaping @Sendable () -> String) {
        self.write = write
    }

    var text: String { write() }
}

extension Message: Hashable, Codable {
    static func == (left: Message, right: Message) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self.init { text }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

// Members stand in the order of their names, as Foundation's encoder sorts them.

extension TurningPoint: JSONWritable {
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            switch self {
            case .at(let instant): try json.member("at", instant)
            case .event(let event): try json.member("event", event)
            }
        }
    }
}

extension Outcome: JSONWritable {}
extension Verdict: JSONWritable {}
extension ReasonCode: JSONWritable {}
extension RuleId: JSONWritable {}
extension TurningEvent: JSONWritable {}
extension Pause: JSONWritable {}
