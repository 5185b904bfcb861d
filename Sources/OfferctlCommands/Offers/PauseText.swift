import OfferAPI
import OfferModel

/// How the kill switch stands, for people.
enum PauseText {
    static func line(_ body: PauseBody) -> String {
        let subject = body.offerId.map { "`\($0.rawValue.printable)` is" } ?? "all offers are"
        switch (body.paused, body.changed) {
        case (true, true): return "\(subject) paused"
        case (true, false): return "\(subject) paused already"
        case (false, true): return body.offerId == nil ? "the pause of all offers is lifted" : "\(subject) resumed"
        case (false, false): return "\(subject) not paused\(body.offerId == nil ? " as a whole" : "")"
        }
    }
}
