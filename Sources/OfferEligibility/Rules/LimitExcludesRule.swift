import OfferModel

/// None of the offers that this one excludes was redeemed, or is issued and counts (DESIGN §5.3): "never A after B".
struct LimitExcludesRule: Rule {
    let id = RuleId.limitExcludes

    func finding(_ context: RuleContext) -> Finding {
        let excluded = context.offer.excludes
        guard !excluded.isEmpty else { return notApplicable("the offer excludes no other") }
        var taken: [(id: OfferId, places: [Place])] = []
        var elsewhere = UsesElsewhere()
        for id in excluded {
            let counted = CountedOffers(only: id, context)
            let places = context.places(of: counted, at: context.now)
            if !places.isEmpty { taken.append((id, places)) }
            elsewhere.add(context.usesElsewhere(of: counted))
        }
        guard !taken.isEmpty else {
            let names = excluded.map { "`\($0)`" }.joined(separator: ", ")
            guard elsewhere.isEmpty else {
                return undetermined(
                    .groupMismatch,
                    "whether one of \(names) was redeemed is not known: \(ReasonCode.groupMismatch.explanation)")
            }
            return satisfied("none of the offers it excludes was issued or redeemed: \(names)")
        }
        let evidence = taken.flatMap { id, places in
            [Evidence(field: "offer.excludes", observed: .text(id.rawValue))] + places.map(\.evidence)
        }
        let ends = taken.flatMap { $0.places.map { $0.end(in: nil) } }
        let end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        let turningPoint = end.map { elsewhere.turningPoint($0) }
        let words = taken.map { id, places in
            places.contains { $0.countsUntil == nil } ? "`\(id)` was redeemed" : "`\(id)` is issued and counts"
        }
        return violated(
            .excludedByOffer,
            "never after an offer it excludes: \(words.joined(separator: ", "))"
                + (turningPoint?.instant.map { ", until \($0)" } ?? ""),
            evidence: evidence, turningPoint: turningPoint)
    }
}
