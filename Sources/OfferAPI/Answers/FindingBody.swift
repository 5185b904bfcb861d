public import OfferModel

/// One rule's finding on the wire; `client` keys see `rule`, `verdict`, `reason` and `turningPoint` only.
public struct FindingBody: Sendable, Hashable, Codable {
    /// The rule's id.
    public var rule: String
    /// Its answer.
    public var verdict: String
    /// Why, from a closed list.
    public var reason: String
    /// Where in the offer's own condition.
    public var path: String?
    /// One sentence for people.
    public var message: String?
    /// What was seen and what was required.
    public var evidence: [EvidenceBody]?
    /// When it would flip.
    public var turningPoint: TurningPointBody?
    /// The findings of the nodes below.
    public var children: [FindingBody]?

    /// A finding by its parts.
    public init(
        rule: String, verdict: String, reason: String, path: String? = nil, message: String? = nil,
        evidence: [EvidenceBody]? = nil, turningPoint: TurningPointBody? = nil, children: [FindingBody]? = nil
    ) {
        self.rule = rule
        self.verdict = verdict
        self.reason = reason
        self.path = path
        self.message = message
        self.evidence = evidence
        self.turningPoint = turningPoint
        self.children = children
    }
}

/// One thing a rule looked at.
public struct EvidenceBody: Sendable, Hashable, Codable {
    /// What was looked at.
    public var field: String
    /// What was seen.
    public var observed: ObservedValue?
    /// What was required.
    public var required: ObservedValue?
    /// Where the observation comes from.
    public var provenance: Provenance?
    /// The transaction that shows it.
    public var transactionId: TransactionId?

    /// Evidence by its parts.
    public init(
        field: String, observed: ObservedValue? = nil, required: ObservedValue? = nil, provenance: Provenance? = nil,
        transactionId: TransactionId? = nil
    ) {
        self.field = field
        self.observed = observed
        self.required = required
        self.provenance = provenance
        self.transactionId = transactionId
    }
}

/// One value or several.
public enum ObservedValue: Sendable, Hashable, Codable {
    /// One value.
    case value(FactValue)
    /// Several values.
    case list([FactValue])

    /// Reads a value or an array.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let list = try? container.decode([FactValue].self) {
            self = .list(list)
        } else {
            self = .value(try container.decode(FactValue.self))
        }
    }

    /// Writes a value or an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .value(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        }
    }
}

/// When a finding would flip: exactly one member is given.
public struct TurningPointBody: Sendable, Hashable, Codable {
    /// At this instant, in ms.
    public var at: Instant?
    /// When this happens.
    public var event: String?

    /// A turning point by its parts.
    public init(at: Instant? = nil, event: String? = nil) {
        self.at = at
        self.event = event
    }
}
