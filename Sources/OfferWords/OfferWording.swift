package import OfferAPI
package import OfferModel

/// An offer in words.
package enum OfferWording {
    /// What `offerctl offers show` and the console say of an offer, by name.
    ///
    /// - Parameter catalog: the catalog in force, where this version can read it.
    package static func fields(_ summary: OfferSummary, _ catalog: Catalog?) -> [(name: String, value: String)] {
        func list(_ values: [String]?) -> String? { values.flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") } }
        let pause = StandingText.pause(summary)
        var fields: [(String, String?)] = [
            ("formerly", list(summary.formerly?.map(\.rawValue))), ("type", summary.type.rawValue),
            // The standing says what the status does, and the pause what that of a paused offer would.
            ("standing", summary.standing == .paused && pause != nil ? nil : StandingText.words(summary)),
            ("paused", pause), ("starts", summary.starts.map(TimeText.absolute)),
            ("ends", summary.ends.map(TimeText.absolute)), ("priority", String(summary.priority)),
        ]
        if let catalog, let offer = catalog.offer(summary.offerId) {
            let cost = OfferCost(offer, in: catalog)
            fields += [
                ("delivery", offer.delivery.rawValue), ("App Store name", offer.offerIdentifier?.rawValue),
                ("products", list(offer.products.map(\.rawValue))), ("billing plan", offer.billingPlan?.words),
                ("customers get", terms(offer)), ("for", AudienceText.line(offer)),
                ("rollout", offer.rollout.map(words)),
                (
                    "available",
                    offer.availableFor.map { "for \($0.words) from the first request that meets the condition" }
                ), ("limits", limits(offer.limits)),
                ("cool-down", offer.coolDown.map { "\($0.words) after a redemption" }),
                ("never after", list(offer.excludes.map(\.rawValue))), ("cost per use", cost.perUse),
                ("maximum cost", cost.maximum), ("tags", list(offer.tags)),
            ]
        }
        let usedUp = StandingText.usedUpAt(summary).map(TimeText.day)
        fields += [
            ("used", summary.used.map(words)), ("left", StandingText.left(summary)),
            ("used up", usedUp.map { "around \($0), at the current rate" }),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }

    package static func words(_ rollout: Rollout) -> String {
        let holdout = rollout.holdout > 0 ? ", \(FactValue.number(rollout.holdout)) % of them held out" : ""
        return "\(FactValue.number(rollout.percent)) % of customers" + holdout
    }

    package static func withSalt(_ rollout: Rollout) -> String {
        words(rollout) + (rollout.salt.map { ", salt \($0)" } ?? "")
    }

    /// `118 uses (20 issued, 98 redeemed, 37 of them known from purchases alone and not issued here), 1,770.00 USD`.
    private static func words(_ used: OfferSummary.Used) -> String {
        let elsewhere = used.notIssuedHere.flatMap { $0 > 0 ? $0 : nil }
        let parts = [
            used.issued.map { "\(NumberWords.count($0)) issued" },
            used.redeemed.map { "\(NumberWords.count($0)) redeemed" },
            elsewhere.map { "\(NumberWords.count($0)) of them known from purchases alone and not issued here" },
        ].compactMap(\.self)
        let uses =
            NumberWords.count(used.uses) + (used.uses == 1 ? " use" : " uses")
            + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
        return ([uses] + used.spent.map { NumberWords.money($0.amount, $0.currency) }).joined(separator: ", ")
    }

    /// `4.99 USD per month for 3 months`.
    package static func terms(_ offer: Offer) -> String {
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

    package static func limits(_ limits: [Limit]) -> String {
        limits.isEmpty ? "none" : limits.map(\.description).joined(separator: "; ")
    }
}
