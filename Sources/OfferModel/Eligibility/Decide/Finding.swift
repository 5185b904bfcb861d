public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
    case satisfied
    case violated
    /// Information is missing; never counts as satisfied (invariant 3).
    case undetermined
    case notApplicable
    /// It would be in the way, and a grant of support lifts it; only the finding of a rule as a whole.
    case lifted

    /// Whether it keeps the offer back.
    public var isInTheWay: Bool { self == .violated || self == .undetermined }
}

/// One rule's answer with what it saw (docs/design.md#decisions, Contract).
public struct Finding: Sendable, Hashable {
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

public struct Evidence: Sendable, Hashable {
    // As of a finding, it is the compiler's initialiser.

    /// The field: a fact's name, a field of Apple's, or a field of the catalog.
    public var field: String
    /// The observed value; absent if unknown.
    public var observed: EvidenceValue?
    /// The required value; absent if the observation speaks for itself.
    public var required: EvidenceValue?
    /// Where the observation comes from; absent for the catalog and the clock.
    public var provenance: Provenance?
    public var transactionId: TransactionId?

    static let willAutoRenew = "subscription.willAutoRenew"
}

extension EvidenceValue {
    static func text(_ text: String) -> EvidenceValue { .value(.text(text)) }
    static func number(_ number: Int) -> EvidenceValue { .value(.number(Double(number))) }
    static func boolean(_ flag: Bool) -> EvidenceValue { .value(.boolean(flag)) }
    static func instant(_ instant: Instant) -> EvidenceValue { .value(.instant(instant)) }
}

/// The earliest instant, or the event, at which a finding would flip.
public enum TurningPoint: Sendable, Hashable, CustomStringConvertible {
    case at(Instant)
    case event(TurningEvent)

    public var instant: Instant? {
        guard case .at(let instant) = self else { return nil }
        return instant
    }

    public var event: TurningEvent? {
        guard case .event(let event) = self else { return nil }
        return event
    }

    /// The instant in ISO 8601, or the event's name.
    public var description: String {
        switch self {
        case .at(let instant): instant.description
        case .event(let event): event.rawValue
        }
    }
}

/// A sentence for people, written only when it is read: a decision has dozens of them, and most are never read.
///
/// Two are equal if they read the same, however they are made.
struct Message: Sendable, Hashable {
    private let write: @Sendable () -> String

    init(_ write: @escaping @Sendable () -> String) {
        self.write = write
    }

    var text: String { write() }

    static func == (left: Message, right: Message) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
