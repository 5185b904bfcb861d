import OfferModel

/// Whom an offer is for, in a line.
enum AudienceText {
    /// Apple's own rule, then the offer's.
    static func line(_ offer: Offer) -> String {
        let apple =
            switch offer.type {
            case .introductory: "customers who never had an introductory offer in the group"
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
            case .is: "is \(list)"
            case .isNot: "is not \(list)"
            case .in: values.count == 1 ? "is \(list)" : "is one of \(list)"
            case .notIn: "is none of \(list)"
            case .atLeast: "is at least \(list)"
            case .atMost: "is at most \(list)"
            case .moreThan: "is more than \(list)"
            case .lessThan: "is less than \(list)"
            case .between: "is between \(values.joined(separator: " and "))"
            case .exists: comparison.operands.first == .boolean(false) ? "is not known" : "is known"
            }
        return "`\(comparison.fact)` \(test)"
    }
}
