import OfferModel

/// The instant is at or after the offer's start and before its end.
struct CatalogScheduleRule: Rule {
    let id = RuleId.catalogSchedule

    func finding(_ context: RuleContext) -> Finding {
        let (starts, ends) = (context.offer.starts, context.offer.ends)
        if let starts, context.now < starts {
            return violated(
                .notStarted, "the offer starts at \(starts)", evidence: [seen(context.now, "offer.starts", starts)],
                turningPoint: .at(starts))
        }
        if let ends, context.now >= ends {
            return violated(
                .ended, "the offer ended at \(ends)", evidence: [seen(context.now, "offer.ends", ends)])
        }
        guard let ends else { return satisfied("the offer has begun and has no end") }
        return satisfied(
            "the offer runs until \(ends)", evidence: [seen(context.now, "offer.ends", ends)], until: ends)
    }

    private func seen(_ now: Instant, _ field: String, _ required: Instant) -> Evidence {
        Evidence(field: field, observed: .instant(now), required: .instant(required))
    }
}
