public import OfferModel

// Members stand in the order of their names, as Foundation's encoder sorts them.

extension Decision: JSONWritable {
    /// Writes the outcome and every finding with its message.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("findings", findings)
            try json.member("outcome", outcome)
        }
    }
}

extension Finding: JSONWritable {
    /// Writes the finding with its message.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("children", children)
            try json.member("evidence", evidence)
            try json.member("message", message)
            try json.member("path", path)
            try json.member("reason", reason)
            try json.member("rule", rule)
            try json.member("turningPoint", turningPoint)
            try json.member("verdict", verdict)
        }
    }
}

extension Evidence: JSONWritable {
    /// Writes what is known of it.
    public func write(to json: inout JSONWriter) throws {
        try json.object { json in
            try json.member("field", field)
            try json.member("observed", observed)
            try json.member("provenance", provenance)
            try json.member("required", required)
            try json.member("transactionId", transactionId)
        }
    }
}

extension EvidenceValue: JSONWritable {
    /// Writes a value or an array of values.
    public func write(to json: inout JSONWriter) throws {
        switch self {
        case .value(let value): try value.write(to: &json)
        case .list(let values): try values.write(to: &json)
        }
    }
}

extension TurningPoint: JSONWritable {
    /// Writes `{"at": milliseconds}` or `{"event": name}`.
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
