import OfferAPI
import OfferModel

/// What a rule looked at, in one line.
enum EvidenceText {
    /// `subscription.daysSinceExpired: seen 12 days, required 30, 180 days; from signed data sent by the app`.
    static func line(_ evidence: EvidenceBody) -> String {
        let unit = FactVocabulary.unit(evidence.field)
        let words = words(evidence.field)
        let seen = evidence.observed.map { "\(words.seen) \(text($0, unit))" } ?? "nothing is known"
        let required = evidence.required.map { ", \(words.required) \(text($0, unit))" } ?? ""
        let sources = [
            evidence.provenance.map(source), evidence.transactionId.map { "transaction \($0.rawValue)" },
        ].compactMap { $0 }
        let origin = sources.isEmpty ? "" : "; " + sources.joined(separator: ", ")
        return "\(evidence.field): \(seen)\(required)\(origin)\(trial(evidence))".printable
    }

    /// How to see what a signal would do that the backend did not send.
    private static func trial(_ evidence: EvidenceBody) -> String {
        guard evidence.observed == nil, let name = FactVocabulary.signalName(evidence.field) else { return "" }
        return "; try one with `--signal \(name)=…`"
    }

    /// "seen 1, required 1" beside a no would puzzle: where the comparison follows from the field, it is said.
    private static func words(_ field: String) -> (seen: String, required: String) {
        switch field {
        case "offer.starts": ("now", "must be at or after")
        case "offer.ends", "offer.availableFor": ("now", "must be before")
        case "offer.coolDown": ("now", "must be at or after")
        case "rollout.draw": ("drew", "must be below")
        case "holdout.draw": ("drew", "must be at least")
        case _ where field.hasPrefix("limit."): ("taken", "allowed")
        default: ("seen", "required")
        }
    }

    private static func text(_ value: ObservedValue, _ unit: String?) -> String {
        let values: [FactValue] =
            switch value {
            case .value(let single): [single]
            case .list(let several): several
            }
        let words = values.isEmpty ? "nothing" : values.map(text).joined(separator: ", ")
        guard let unit, case .number(let last) = values.last else { return words }
        return "\(words) \(last == 1 && unit.hasSuffix("s") ? String(unit.dropLast()) : unit)"
    }

    /// A value in words.
    static func text(_ value: FactValue) -> String {
        switch value {
        case .instant(let instant): TimeText.absolute(instant)
        case .text(let text): text.isEmpty ? "an empty text" : text
        case .number, .boolean, .money: value.description
        }
    }

    /// Where a piece of history comes from, in words.
    static func source(_ provenance: Provenance) -> String {
        switch provenance {
        case .notification: "from a signed App Store notification"
        case .client: "from signed data sent by the app"
        case .serverAPI: "from a signed answer of Apple's server"
        case .caller: "on the backend's word"
        case .receipt: "from a legacy receipt"
        case .operator: "entered by an operator"
        }
    }
}
