package import OfferAPI
package import OfferModel

/// How an offer is for everyone, in words.
package enum StandingText {
    package static func word(_ offer: OfferSummary) -> String { offer.standing.rawValue }

    package static func words(_ offer: OfferSummary) -> String {
        let word = word(offer)
        return switch offer.standing {
        case .draft:
            "\(word): "
                + (offer.status == .draft
                    ? "not issued until its status is active" : "its `environments` do not name this one")
        case .scheduled: word + (offer.starts.map { ": it starts at \(TimeText.absolute($0))" } ?? "")
        case .running: word + (offer.ends.map { " until \(TimeText.absolute($0))" } ?? "")
        case .exhausted: "\(word): a total or a budget has no room for another use"
        case .ended: "\(word): " + (offer.status == .archived ? "archived" : "its end has passed")
        case .paused: word
        }
    }

    /// When the standing ends by itself, as far as it is known; it may be exhausted or paused before.
    package static func until(_ offer: OfferSummary) -> Instant? {
        switch offer.standing {
        case .paused: offer.pause?.until
        case .scheduled: offer.starts
        case .running, .exhausted: offer.ends
        case .draft, .ended: nil
        }
    }

    /// `until 2026-12-01 00:00 UTC, since 2026-11-20 10:00 UTC by 7 (shop): out of stock`.
    package static func pause(_ offer: OfferSummary) -> String? {
        guard let pause = offer.pause else { return offer.paused ? "yes: not issued until it is resumed" : nil }
        let what =
            switch pause.covers {
            case .everyOffer: "with every offer, "
            case .limitedOffers: "after a restore, "
            case .offer: ""
            }
        let end = pause.until.map(TimeText.absolute) ?? "it is resumed"
        let actor = CatalogWords.author(pause.actor, pause.actorLabel, pause.person)
        return "\(what)until \(end), since \(TimeText.absolute(pause.since)) by \(actor)"
            + (pause.reason.map { ": \($0)" } ?? "")
    }

    /// `382 of 500, 230.00 of 2,000.00 USD`: what remains of each total and each budget.
    ///
    /// - Parameter isShort: whether it has to fit a table, as `382 of 500, 230.00 USD`.
    package static func left(_ offer: OfferSummary, isShort: Bool = false) -> String? {
        let parts = (offer.limits ?? []).compactMap { limit -> String? in
            if let remaining = limit.remaining, let count = limit.count {
                return "\(NumberWords.count(remaining)) of \(NumberWords.count(count))"
            }
            guard let unspent = limit.unspent, let spend = limit.spend else { return nil }
            let currency = limit.currency ?? ""
            let all = isShort ? "" : " of \(NumberWords.amount(spend, currency))"
            return "\(NumberWords.amount(unspent, currency))\(all) \(currency)"
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    package static func usedUpAt(_ offer: OfferSummary) -> Instant? {
        (offer.limits ?? []).compactMap(\.usedUpAt).min()
    }
}
