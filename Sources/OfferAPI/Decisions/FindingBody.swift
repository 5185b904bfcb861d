public import JSON
public import OfferModel

/// One rule's finding on the wire; `client` and `app` keys see `rule`, `verdict`, `reason`, `turningPoint` and `missing`
/// only.
package struct FindingBody: WireObject {
    package var rule = ""
    package var verdict = ""
    /// From a closed list.
    package var reason = ""
    /// Where in the offer's own condition.
    package var path: String?
    package var message: String?
    /// The signals and attributes that the holder of the key has to send, as conditions name them.
    package var missing: [String]?
    package var evidence: [EvidenceBody]?
    package var turningPoint: TurningPointBody?
    package var children: [FindingBody]?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("children", &children)
        members.optional("evidence", &evidence)
        members.optional("message", &message)
        members.optional("missing", &missing)
        members.optional("path", &path)
        members.required("reason", &reason)
        members.required("rule", &rule)
        members.optional("turningPoint", &turningPoint)
        members.required("verdict", &verdict)
    }
}

package struct EvidenceBody: WireObject {
    package var field = ""
    package var observed: EvidenceValue?
    package var required: EvidenceValue?
    package var provenance: Provenance?
    package var transactionId: TransactionId?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("field", &field)
        members.optional("observed", &observed)
        members.optional("provenance", &provenance)
        members.optional("required", &required)
        members.optional("transactionId", &transactionId)
    }
}

extension EvidenceValue: WireValue {
    public static var form: WireForm { .schema("ObservedValue") }

    public static func read(_ json: inout WireReader) throws(Misreading) -> EvidenceValue {
        json.next() == UInt8(ascii: "[") ? .list(try [FactValue].read(&json)) : .value(try FactValue.read(&json))
    }

    public func write(to json: inout JSONWriter) throws {
        switch self {
        case .value(let value): try value.write(to: &json)
        case .list(let values): try values.write(to: &json)
        }
    }
}

/// When a finding would flip: exactly one member is given.
package struct TurningPointBody: WireObject {
    package var at: Instant?
    package var event: String?

    package init() {}

    package init(_ point: TurningPoint) { (at, event) = (point.instant, point.event?.rawValue) }

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("at", &at)
        members.optional("event", &event)
    }
}
