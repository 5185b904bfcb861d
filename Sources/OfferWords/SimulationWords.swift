package import OfferAPI
import OfferModel

/// What a simulation says, for the text of `offerctl simulate` and the console.
package enum SimulationWords {
    package static func headline(_ result: SimulationResult, of offer: String) -> String {
        let count =
            if case .fewerThan = result.customers {
                "too few customers to tell how many"
            } else {
                "\(result.eligible.words) of \(result.customers.words) customers"
            }
        return "\(count) would get `\(offer)`, as of \(TimeText.absolute(result.asOf))"
    }

    /// What was counted: `all customers, by the catalog in force then, revision 3`.
    package static func basis(_ result: SimulationResult) -> String {
        let catalog =
            result.catalogRevision.map { "the catalog in force then, revision \($0)" } ?? "a text that was not applied"
        let all = result.undeterminedWhere == nil
        let whose = all ? "all customers" : "customers who meet a condition that another API key gave"
        return (result.where.map { "customers who meet `\($0)`" } ?? whose) + ", by \(catalog)"
            + (result.comparedRevision.map { ", compared with revision \($0)" } ?? "")
    }

    package static func outcomes(_ result: SimulationResult) -> [[String?]] {
        [
            ["eligible", result.eligible.words], ["ineligible", result.ineligible.words],
            result.heldBack == .exactly(0) ? [] : ["of those only by rollout or holdout", result.heldBack.words],
            ["undetermined", result.undetermined.words],
        ].filter { !$0.isEmpty }
    }

    /// Who gains the offer and who loses it, if it was compared.
    package static func changes(
        _ result: SimulationResult
    ) -> [(words: String, change: SimulationResult.AudienceChange)] {
        [("gain the offer", result.gains), ("lose the offer", result.losses)].compactMap { words, change in
            change.map { (words, $0) }
        }
    }

    /// The days on which someone becomes eligible.
    package static func days(_ result: SimulationResult) -> [[String?]] {
        result.next30Days.filter { $0.eligible.isTold }.map { [$0.day, $0.eligible.words] }
    }

    package static func costs(_ result: SimulationResult) -> [String] {
        (result.costCeiling ?? []).map { cost in
            "costs at most \(NumberWords.money(cost.amount, cost.currency))"
                + (cost.isCapped ? ", as its limits leave" : "")
        }
    }
}

extension AudienceCount {
    package var words: String {
        switch self {
        case .exactly(let number): NumberWords.count(number)
        case .fewerThan(let number): "fewer than \(number)"
        }
    }

    /// Whether it is a number above zero.
    package var isTold: Bool {
        if case .exactly(let number) = self { number > 0 } else { false }
    }
}
