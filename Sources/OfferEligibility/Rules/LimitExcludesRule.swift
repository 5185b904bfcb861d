import OfferModel

/// None of the offers that this one excludes was redeemed, or is issued and counts (docs/design.md#issued-offers-and-limits): "never A after B".
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
            guard elsewhere.isEmpty else {
                return undetermined(
                    .groupMismatch,
                    "whether one of \(Self.names(excluded)) was redeemed is not known: "
                        + ReasonCode.groupMismatch.explanation)
            }
            return satisfied("none of the offers it excludes was issued or redeemed: \(Self.names(excluded))")
        }
        let evidence = taken.flatMap { id, places in
            [Evidence(field: "offer.excludes", observed: .text(id.rawValue))] + places.map(\.evidence)
        }
        let others = OtherSignUps(taken.flatMap(\.places), context)
        let ends = taken.flatMap { $0.places.map { $0.end(in: nil) } }
        let end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        let turningPoint = end.map { elsewhere.turningPoint($0) }
        let uses = taken.map { (id: $0.id, isRedeemed: $0.places.contains { $0.countsUntil == nil }) }
        return violated(
            .excludedByOffer,
            "never after an offer it excludes: \(Self.words(uses))\(others.clause)"
                + (turningPoint?.instant.map { ", until \($0)" } ?? ""),
            evidence: evidence + others.evidence, turningPoint: turningPoint)
    }

    private static func names(_ offers: [OfferId]) -> String {
        offers.map { "`\($0)`" }.joined(separator: ", ")
    }

    private static func words(_ uses: [(id: OfferId, isRedeemed: Bool)]) -> String {
        uses.map { $0.isRedeemed ? "`\($0.id)` was redeemed" : "`\($0.id)` is issued and counts" }
            .joined(separator: ", ")
    }
}
