package import OfferModel

/// One rule's finding on the wire; `client` keys see `rule`, `verdict`, `reason` and `turningPoint` only.
package struct FindingBody: Sendable, Hashable, Codable {
    package var rule: String
    package var verdict: String
    /// From a closed list.
    package var reason: String
    /// Where in the offer's own condition.
    package var path: String?
    package var message: String?
    package var evidence: [EvidenceBody]?
    package var turningPoint: TurningPointBody?
    package var children: [FindingBody]?

    package init(
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

package struct EvidenceBody: Sendable, Hashable, Codable {
    package var field: String
    package var observed: ObservedValue?
    package var required: ObservedValue?
    package var provenance: Provenance?
    package var transactionId: TransactionId?

    package init(
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

package enum ObservedValue: Sendable, Hashable, Codable {
    case value(FactValue)
    case list([FactValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let list = try? container.decode([FactValue].self) {
            self = .list(list)
        } else {
            self = .value(try container.decode(FactValue.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .value(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        }
    }
}

/// When a finding would flip: exactly one member is given.
package struct TurningPointBody: Sendable, Hashable, Codable {
    package var at: Instant?
    package var event: String?

    package init(at: Instant? = nil, event: String? = nil) {
        self.at = at
        self.event = event
    }
}
