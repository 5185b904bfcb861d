import CommandLineSupport
import OfferAPI
import OfferModel

enum OfferText {
    static func table(_ offers: [OfferSummary]) -> TextTable {
        TextTable(
            ["OFFER", "STANDING", "UNTIL", "USES", "LEFT", "USED UP", "TYPE", "STARTS", "ENDS", "PRIORITY"],
            alignedRight: [3], optional: [6, 7, 8, 9],
            rows: offers.map { offer in
                [
                    offer.offerId.rawValue, StandingText.word(offer), StandingText.until(offer).map(TimeText.absolute),
                    offer.used.map { String($0.uses) }, StandingText.left(offer, isShort: true),
                    StandingText.usedUpAt(offer).map(TimeText.day), offer.type.rawValue,
                    offer.starts.map(TimeText.absolute), offer.ends.map(TimeText.absolute), String(offer.priority),
                ]
            })
    }

    /// - Parameter catalog: the catalog in force, where this version of offerctl can read it.
    static func lines(_ summary: OfferSummary, _ catalog: Catalog?, _ palette: Palette) -> [String] {
        var fields = FieldList()
        fields.add("formerly", summary.formerly?.map(\.rawValue) ?? [])
        fields.add("type", summary.type.rawValue)
        fields.add("status", summary.status.rawValue)
        fields.add("standing", StandingText.words(summary))
        fields.add("paused", StandingText.pause(summary))
        fields.add("starts", summary.starts.map(TimeText.absolute))
        fields.add("ends", summary.ends.map(TimeText.absolute))
        fields.add("priority", String(summary.priority))
        if let catalog, let offer = catalog.offer(summary.offerId) {
            fields.add("delivery", offer.delivery.rawValue)
            fields.add("App Store name", offer.offerIdentifier?.rawValue)
            fields.add("products", offer.products.map(\.rawValue))
            fields.add("billing plan", offer.billingPlan?.words)
            fields.add("customers get", terms(offer))
            fields.add("for", AudienceText.line(offer))
            fields.add("rollout", offer.rollout.map(words))
            fields.add(
                "available",
                offer.availableFor.map { "for \($0.words) from the first request that meets the condition" })
            fields.add("limits", limits(offer.limits))
            fields.add("cool-down", offer.coolDown.map { "\($0.words) after a redemption" })
            fields.add("never after", offer.excludes.map(\.rawValue))
            let cost = OfferCost(offer, in: catalog)
            fields.add("cost per use", cost.perUse)
            fields.add("maximum cost", cost.maximum)
            fields.add("tags", offer.tags)
        }
        fields.add("used", summary.used.map(words))
        fields.add("left", StandingText.left(summary))
        let usedUp = StandingText.usedUpAt(summary).map(TimeText.day)
        fields.add("used up", usedUp.map { "about \($0), if as much is redeemed as lately" })
        return [palette.paint(summary.offerId.rawValue.printable, .heading)] + fields.lines(palette, indent: 2)
    }

    static func words(_ rollout: Rollout) -> String {
        let holdout = rollout.holdout > 0 ? ", \(FactValue.number(rollout.holdout)) % of them held out" : ""
        return "\(FactValue.number(rollout.percent)) % of customers" + holdout
    }

    static func withSalt(_ rollout: Rollout) -> String {
        words(rollout) + (rollout.salt.map { ", salt \($0)" } ?? "")
    }

    /// `118 uses (20 issued, 98 redeemed), 1770.00 USD`.
    private static func words(_ used: OfferSummary.Used) -> String {
        let parts = [used.issued.map { "\($0) issued" }, used.redeemed.map { "\($0) redeemed" }].compactMap(\.self)
        let uses = used.uses.counted("use") + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
        return ([uses] + used.spent.map { "\($0.amount) \($0.currency)" }).joined(separator: ", ")
    }

    /// `4.99 USD per month for 3 months`.
    static func terms(_ offer: Offer) -> String {
        let length = offer.period.multiplied(by: offer.periodCount).words
        let price = offer.price.map { "\($0)" } ?? "free"
        switch offer.paymentMode {
        case .freeTrial: return "free for \(length)"
        case .payUpFront: return "\(price) once for \(length)"
        case .payAsYouGo:
            let period = offer.period.words
            return "\(price) " + (period.hasPrefix("1 ") ? "per \(period.dropFirst(2))" : "every \(period)")
                + " for \(length)"
        }
    }

    static func limits(_ limits: [Limit]) -> String {
        limits.isEmpty ? "none" : limits.map(\.description).joined(separator: "; ")
    }

    /// - Parameter issued: the offers that are active and not paused.
    static func pausePreview(_ issued: [OfferSummary], _ palette: Palette) -> String {
        guard !issued.isEmpty else { return "no offer is issued now; those that become active would be paused too" }
        return list(issued, "would no longer be issued:", palette)
    }

    /// - Parameter active: the active offers. The list does not tell a pause of one from the pause of all.
    static func resumePreview(_ active: [OfferSummary], _ palette: Palette) -> String {
        guard !active.isEmpty else { return "no offer is active now" }
        guard active.allSatisfy(\.paused) else {
            return "the offers are not all paused, so nothing would be resumed"
        }
        return list(active, "would be issued again, unless paused by id as well:", palette)
    }

    private static func list(_ offers: [OfferSummary], _ change: String, _ palette: Palette) -> String {
        let title = palette.paint("\(offers.count.counted("active offer")) \(change)", .heading)
        return ([title] + offers.map { "  " + $0.offerId.rawValue.printable }).joined(separator: "\n")
    }

    static func pause(_ body: PauseState) -> String {
        let subject = body.offerId.map { "`\($0.rawValue.printable)` is" } ?? "all offers are"
        let until = body.until.map { " until \(TimeText.absolute($0))" } ?? ""
        return switch (body.paused, body.changed) {
        case (true, true): "\(subject) paused\(until)"
        case (true, false): "\(subject) paused already\(until)"
        case (false, true): body.offerId == nil ? "the pause of all offers is lifted" : "\(subject) resumed"
        case (false, false): "\(subject) not paused\(body.offerId == nil ? " as a whole" : "")"
        }
    }
}

enum AudienceText {
    static func line(_ offer: Offer) -> String {
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
    var words: String {
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
