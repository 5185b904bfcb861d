package import OfferModel

package enum AudienceText {
    package static func line(_ offer: Offer) -> String {
        let apple =
            switch offer.type {
            case .introductory:
                offer.again.map { "customers who had no introductory offer in the group in the last \($0.words)" }
                    ?? "customers who never had an introductory offer in the group"
            case .promotional: "customers who have or had a subscription in the app"
            case .winBack: "customers whose subscription has lapsed"
            }
        return apple + (offer.eligibility.map { ", where " + condition($0, isRoot: true) } ?? "")
    }

    private static func condition(_ node: RuleNode, isRoot: Bool) -> String {
        switch node {
        case .all(let children): joined(children, "and", isRoot)
        case .any(let children): joined(children, "or", isRoot)
        case .not(let child): "not (\(condition(child, isRoot: true)))"
        case .comparison(let comparison): words(comparison)
        }
    }

    private static func joined(_ children: [RuleNode], _ word: String, _ isRoot: Bool) -> String {
        let text = children.map { condition($0, isRoot: children.count == 1 && isRoot) }.joined(separator: " \(word) ")
        return isRoot || children.count == 1 ? text : "(\(text))"
    }

    private static func words(_ comparison: Comparison) -> String {
        let values = comparison.operands.map(\.description)
        let list = values.joined(separator: ", ")
        let test =
            switch comparison.comparisonOperator {
            case .in where values.count == 1: "is \(list)"
            case .between: "is between \(values.joined(separator: " and "))"
            case .exists: comparison.operands.first == .boolean(false) ? "is not known" : "is known"
            default: "\(comparison.comparisonOperator.words) \(list)"
            }
        return "`\(comparison.fact)` \(test)"
    }
}

extension ComparisonOperator {
    /// The words between a fact and its values.
    package var words: String {
        switch self {
        case .is: "is"
        case .isNot: "is not"
        case .in: "is one of"
        case .notIn: "is none of"
        case .atLeast: "is at least"
        case .atMost: "is at most"
        case .moreThan: "is more than"
        case .lessThan: "is less than"
        case .between: "is between"
        case .exists: "exists"
        }
    }
}
