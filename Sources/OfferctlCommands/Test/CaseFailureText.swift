import OfferEligibility
import OfferModel

/// A failed case in plain words: what was expected and what came out, finding by finding.
struct CaseFailureText {
    let palette: Palette

    func lines(_ failure: CaseFileResult.Failure, file: String) -> [String] {
        let place = palette.paint("(\(file):\(failure.line))".printable, .quiet)
        var lines = ["\(palette.paint("✗", .bad)) \(failure.name.printable) \(place)"]
        var subject: String?
        for difference in failure.differences {
            let own = title(difference)
            if own != subject { lines.append("    " + own) }
            subject = own
            lines += sides(difference).map { "      " + $0 }
        }
        return lines
    }

    /// What the difference is about, with the finding's own sentence.
    private func title(_ difference: CaseDifference) -> String {
        guard let rule = difference.rule else {
            if case .state = difference.aspect { return "the state of the group" }
            return "the answer"
        }
        let place = difference.path.map { " at \($0)" } ?? ""
        let sentence = difference.message.map { ": \($0)" } ?? ""
        return palette.paint((rule + place).printable, .heading) + sentence.printable
    }

    /// The diff: what was expected, then what came out.
    private func sides(_ difference: CaseDifference) -> [String] {
        switch difference.aspect {
        case .unlistedRule:
            return [
                palette.paint("+ \((difference.got ?? "").printable)", .bad)
                    + ": decides the answer and is not among the case's findings"
            ]
        case .finding:
            return [
                palette.paint("- \((difference.expected ?? "").printable)", .good)
                    + ": there is no such finding, because the rule does not concern the offer or the path is another"
            ]
        default:
            let name = words(difference.aspect)
            return [
                palette.paint("- \(name): \(value(difference, difference.expected))".printable, .good),
                palette.paint("+ \(name): \(value(difference, difference.got))".printable, .bad),
            ]
        }
    }

    private func words(_ aspect: CaseDifference.Aspect) -> String {
        switch aspect {
        case .turningPoint: "changes"
        case .transactionId: "transaction in the evidence"
        case .message: "sentence"
        case .state(let member): member
        case .outcome, .finding, .unlistedRule, .verdict, .reason: aspect.description
        }
    }

    private func value(_ difference: CaseDifference, _ value: String?) -> String {
        guard let value else { return difference.aspect == .turningPoint ? "never by itself" : "none" }
        switch difference.aspect {
        case .outcome: return Outcome(rawValue: value) == .ineligible ? "not eligible" : value
        case .turningPoint: return TurningEvent(rawValue: value).map { "when \($0.clause)" } ?? value
        default: return value
        }
    }
}
