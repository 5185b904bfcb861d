public import OfferModel

// Members stand in the order of their names, as Foundation's encoder sorts them.

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
