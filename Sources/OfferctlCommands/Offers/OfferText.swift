import CommandLineSupport
import OfferAPI
import OfferModel

enum OfferText {
    static func table(_ offers: [OfferSummary]) -> TextTable {
        TextTable(
            ["OFFER", "TYPE", "STATUS", "PAUSED", "STARTS", "ENDS", "PRIORITY"],
            rows: offers.map { offer in
                [
                    offer.offerId.rawValue, offer.type.rawValue, offer.status.rawValue, offer.paused ? "yes" : "no",
                    offer.starts.map(TimeText.absolute), offer.ends.map(TimeText.absolute), String(offer.priority),
                ]
            })
    }

    /// - Parameter offer: the offer in the catalog in force, where this version of offerctl can read that.
    static func lines(_ summary: OfferSummary, _ offer: Offer?, _ palette: Palette) -> [String] {
        var fields = FieldList()
        fields.add("type", summary.type.rawValue)
        fields.add("status", summary.status.rawValue)
        fields.add("paused", summary.paused ? "yes: not issued until it is resumed" : "no")
        fields.add("starts", summary.starts.map(TimeText.absolute))
        fields.add("ends", summary.ends.map(TimeText.absolute))
        fields.add("priority", String(summary.priority))
        if let offer {
            fields.add("delivery", offer.delivery.rawValue)
            fields.add("App Store name", offer.offerIdentifier?.rawValue)
            fields.add("products", offer.products.map(\.rawValue).joined(separator: ", "))
            fields.add("terms", terms(offer))
            fields.add("for", AudienceText.line(offer))
            fields.add("limits", offer.limits.isEmpty ? "none" : offer.limits.map(words).joined(separator: "; "))
            fields.add("tags", offer.tags.isEmpty ? nil : offer.tags.joined(separator: ", "))
        }
        return [palette.paint(summary.offerId.rawValue.printable, .heading)] + fields.lines(palette).map { "  " + $0 }
    }

    private static func terms(_ offer: Offer) -> String {
        let length = offer.periodCount == 1 ? "\(offer.period)" : "\(offer.periodCount) × \(offer.period)"
        return "\(offer.paymentMode.rawValue), \(length)" + (offer.price.map { ", \($0)" } ?? "")
    }

    private static func words(_ limit: Limit) -> String {
        switch limit {
        case .perCustomer(let count, let window, let across):
            "\(count) per customer" + (window.map { " in \($0)" } ?? "") + words(across)
        case .total(let count): "\(count) in all"
        case .budget(let money): "\(money) in all"
        }
    }

    private static func words(_ across: Limit.Across) -> String {
        switch across {
        case .thisOffer: ""
        case .all: " across all offers"
        case .tag(let tag): " across tag `\(tag)`"
        }
    }

    static func pause(_ body: PauseState) -> String {
        let subject = body.offerId.map { "`\($0.rawValue.printable)` is" } ?? "all offers are"
        return switch (body.paused, body.changed) {
        case (true, true): "\(subject) paused"
        case (true, false): "\(subject) paused already"
        case (false, true): body.offerId == nil ? "the pause of all offers is lifted" : "\(subject) resumed"
        case (false, false): "\(subject) not paused\(body.offerId == nil ? " as a whole" : "")"
        }
    }
}

enum AudienceText {
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
