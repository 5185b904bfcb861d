/// Every limit of one kind has room for one more use (docs/design.md#issued-offers-and-limits).
///
/// Per customer, redemptions count permanently, whether or not we issued them; issued offers count until `countsUntil`,
/// voided ones too unless released. With a window they count as long as they are younger: an issued offer, redeemed or
/// not, by the moment it was issued, a redemption without an issued offer by its first evidence. For everyone, issued
/// offers that count and all redemptions count. The open issued offer of this offer never counts against itself. Per
/// account, the uses count that are not known to be under another account, with whichever Apple Account. What a grant of
/// support gave counts for none of them.
///
/// Under a budget a use costs nominally what it saves the customer by the catalog's prices when it is issued; nothing
/// is converted. A redemption without an issued offer costs what the catalog in force says of its product.
struct LimitsRule: Rule {
    let id: RuleId
    let requirement: String
    /// The sentence for an offer without such a limit.
    let none: String
    /// Knows the type of the limits, so that judging them looks up no generic metadata.
    private let judge: @Sendable (LimitsRule, RuleContext) -> Finding

    @inline(__always)
    init<Bound: JudgedLimit>(
        id: RuleId, requirement: String, none: String, limits: @escaping @Sendable (CompiledOffer) -> [Bound]
    ) {
        self.id = id
        self.requirement = requirement
        self.none = none
        judge = { $0.finding(of: limits($1.question.compiledOffer), $1) }
    }

    /// Most offers have no limit per account, and their decisions do not mention it.
    func concerns(_ offer: Offer) -> Bool { id != .limitAccount || offer.hasAccountLimit }

    func finding(_ context: RuleContext) -> Finding { judge(self, context) }

    @inline(__always)
    private func finding<Bound: JudgedLimit>(of limits: [Bound], _ context: RuleContext) -> Finding {
        guard limits.count > 1 else { return limits.first?.finding(self, context) ?? notApplicable(none) }
        let findings = limits.map { limit in
            var finding = limit.finding(self, context)
            finding.path = "limits[\(limit.index)]"
            return finding
        }
        let verdict = Kleene.all(findings.map(\.verdict))
        let deciding = findings.filter { $0.verdict == verdict }
        return Finding(
            rule: id, verdict: verdict, reason: (deciding.first ?? findings[0]).reason,
            sentence: Message { deciding.map(\.message).joined(separator: "; and ") },
            turningPoint: lastToFree(findings.filter { $0.verdict != .satisfied }), children: findings)
    }

    /// Every limit must have room: one that never frees decides, else one that waits for an event, else the last.
    private func lastToFree(_ findings: [Finding]) -> TurningPoint? {
        let turningPoints = findings.compactMap(\.turningPoint)
        guard turningPoints.count == findings.count else { return nil }
        return turningPoints.first { $0.event != nil } ?? turningPoints.compactMap(\.instant).max().map(TurningPoint.at)
    }
}

protocol JudgedLimit: Sendable {
    /// Its place among the offer's limits.
    var index: Int { get }

    func finding(_ rule: some Rule, _ context: RuleContext) -> Finding
}

/// Enough time has passed since this offer was last redeemed; a redemption is dated by its first evidence
/// (docs/design.md#issued-offers-and-limits).
struct LimitCoolDownRule: Rule {
    let id = RuleId.limitCoolDown
    var requirement: String { "the cool-down after the last redemption must be over" }

    func finding(_ context: RuleContext) -> Finding {
        guard let length = context.offer.coolDown else { return notApplicable("the offer has no cool-down") }
        let latest = context.use.redemptions.lazy.filter { !context.isGranted($0) }
            .max { $0.firstEvidence < $1.firstEvidence }
        let ambiguous = context.ambiguousUses(of: CountedOffers(.thisOffer, context))
        let isDoubtful = ambiguous.matter(in: length, at: context.now)
        if let latest {
            let ends = latest.firstEvidence.adding(length)
            let evidence = [
                latest.evidence("redemption", .instant(latest.firstEvidence)),
                Evidence(field: "offer.coolDown", observed: .instant(context.now), required: .instant(ends)),
            ]
            guard context.now >= ends else {
                return violated(
                    .coolingDown,
                    "the offer was last redeemed on \(latest.firstEvidence.day) and cools down for \(length.words), until "
                        + "\(ends)", evidence: evidence,
                    turningPoint: ambiguous.turningPoint(ends, in: length))
            }
            if !isDoubtful {
                return satisfied(
                    "the offer was last redeemed on \(latest.firstEvidence.day), \(length.words) ago or more",
                    evidence: evidence)
            }
        }
        if isDoubtful {
            var finding = unknown("whether the offer was redeemed in the last \(length.words)", .groupMismatch)
            finding.turningPoint = ambiguous.turningPoint(context.now, in: length)
            return finding
        }
        guard ambiguous.isEmpty else { return satisfied("the offer was not redeemed in the last \(length.words)") }
        return satisfied("the offer was never redeemed")
    }
}

/// None of the offers that this one excludes was redeemed, or is issued and counts: "never A after B"
/// (docs/design.md#issued-offers-and-limits).
struct LimitExcludesRule: Rule {
    let id = RuleId.limitExcludes
    var requirement: String { "no offer that this one excludes may have been issued or redeemed" }

    func finding(_ context: RuleContext) -> Finding {
        let excluded = context.offer.excludes
        guard !excluded.isEmpty else { return notApplicable("the offer excludes no other") }
        var taken: [(id: OfferId, places: [Use])] = []
        var ambiguous = AmbiguousUses()
        for id in excluded {
            let counted = CountedOffers(only: id, context)
            let places = context.uses(of: counted, at: context.now)
            if !places.isEmpty { taken.append((id, places)) }
            ambiguous.add(context.ambiguousUses(of: counted))
        }
        guard !taken.isEmpty else {
            let names = excluded.map { "`\($0)`" }.joined(separator: ", ")
            guard ambiguous.isEmpty else {
                return unknown("whether one of \(names) was redeemed", .groupMismatch)
            }
            return satisfied("none of the offers it excludes was issued or redeemed: \(names)")
        }
        let evidence = taken.flatMap { id, places in
            [Evidence(field: "offer.excludes", observed: .text(id.rawValue))] + places.map(\.evidence)
        }
        let others = OtherSignUps(taken.flatMap(\.places), context)
        let ends = taken.flatMap { $0.places.map { $0.end(in: nil) } }
        let end = ends.contains(nil) ? nil : ends.compactMap(\.self).max()
        let turningPoint = end.map { ambiguous.turningPoint($0) }
        let uses = taken.map { id, places in
            places.contains(where: \.isRedeemed) ? "`\(id)` was redeemed" : "`\(id)` is issued and counts"
        }
        return violated(
            .excludedByOffer,
            "never after an offer it excludes: \(uses.joined(separator: ", "))\(others.clause)"
                + (turningPoint?.instant.map { ", until \($0)" } ?? ""),
            evidence: evidence + others.evidence, turningPoint: turningPoint)
    }
}

/// The open issued offer may hold one more signing: Apple uses up a signature per purchase attempt, and every one that
/// lives can be redeemed (docs/design.md#issued-offers-and-limits).
struct LimitSignaturesRule: Rule {
    let id = RuleId.limitSignatures
    var requirement: String { "the issued offer must have a signing left" }

    func finding(_ context: RuleContext) -> Finding {
        guard context.question.needsNewSigning, let open = context.use.openIssuedOffer else {
            return notApplicable("no further signing of an open issued offer is asked for")
        }
        let allowed = context.offer.signaturesPerOffer
        let evidence = [
            Evidence(field: "limit.signatures", observed: .number(open.signings), required: .number(allowed)),
            Evidence(field: "issuedOffer", observed: .text(open.id.description)),
        ]
        guard open.signings < allowed else {
            return violated(
                .signingsUsedUp,
                "\(allowed == 1 ? "the one signature" : "all \(allowed) signatures") of the issued offer `\(open.id)` "
                    + "\(allowed == 1 ? "has" : "have") been issued; a new one is possible after \(open.countsUntil)",
                evidence: evidence,
                turningPoint: .at(open.countsUntil))
        }
        return satisfied(
            "\(open.signings) of \(allowed) signatures of the issued offer `\(open.id)` have been issued",
            evidence: evidence)
    }
}
