public import JSON
import OfferModel

// Members stand in the order of their names, as Foundation's encoder sorts them.

extension TurningPoint: JSONWritable {
    /// Writes `{"at": milliseconds}` or `{"event": name}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .at(let instant): json.member("at", instant)
            case .event(let event): json.member("event", event)
            }
        }
    }
}

extension Outcome: JSONWritable {}
extension Verdict: JSONWritable {}
extension ReasonCode: JSONWritable {}
extension RuleId: JSONWritable {}
extension TurningEvent: JSONScalar {}
extension Pause: JSONWritable {}
