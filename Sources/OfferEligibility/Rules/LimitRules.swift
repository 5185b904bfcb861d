import OfferModel

/// The customer has a place left under every limit per customer that knows no window (docs/design.md#issued-offers-and-limits).
///
/// Redemptions count for ever, whether or not we issued them; slots count until `countsUntil`, voided ones too unless
/// released. The open slot of this offer does not count against itself.
struct LimitCustomerRule: Rule {
    let id = RuleId.limitCustomer

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.customerLimits
        return finding(on: limits, none: "the offer has no such limit per customer", place: \.index) {
            $0.finding(self, context)
        }
    }
}

/// The customer has a place left under every limit per customer with a window (docs/design.md#issued-offers-and-limits).
///
/// What counts without a window counts here as long as it is younger than the window: a slot, redeemed or not, by the
/// moment it was issued; a redemption without a slot by its first evidence.
struct LimitCustomerWindowRule: Rule {
    let id = RuleId.limitCustomerWindow

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.windowLimits
        return finding(on: limits, none: "the offer has no such limit per customer", place: \.index) {
            $0.finding(self, context)
        }
    }
}

/// The offer has a place left under every limit in all (docs/design.md#issued-offers-and-limits).
///
/// Counted are the issued offers that count and the redemptions of everyone, known late or without an issued offer too.
/// The customer's own open issued offer does not count against itself.
struct LimitTotalRule: Rule {
    let id = RuleId.limitTotal

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.totals
        return finding(on: limits, none: "the offer has no limit in all", place: \.index) { $0.finding(self, context) }
    }
}

/// Every budget of the offer has enough left for one more use (docs/design.md#issued-offers-and-limits).
///
/// A use costs nominally what it saves the customer by the catalog's prices when it is issued, whatever becomes of it;
/// nothing is converted. A redemption without an issued offer costs what the catalog in force says of its product.
struct LimitBudgetRule: Rule {
    let id = RuleId.limitBudget

    func finding(_ context: RuleContext) -> Finding {
        let limits = context.question.compiledOffer.budgets
        return finding(on: limits, none: "the offer has no budget", place: \.index) { $0.finding(self, context) }
    }
}

extension Rule {
    /// The finding on several limits: each must hold. A single one is told by itself, several as children.
    ///
    /// - Parameters:
    ///   - none: what is said where there is no such limit.
    ///   - place: a limit's place among the offer's.
    func finding<Bound>(
        on limits: [Bound], none: @autoclosure @escaping @Sendable () -> String, place: (Bound) -> Int,
        judge: (Bound) -> Finding
    ) -> Finding {
        guard limits.count > 1 else { return limits.first.map(judge) ?? notApplicable(none()) }
        let findings = limits.map { limit in
            var finding = judge(limit)
            finding.path = "limits[\(place(limit))]"
            return finding
        }
        let verdict = Kleene.all(findings.map(\.verdict))
        let deciding = findings.filter { $0.verdict == verdict }
        return Finding(
            rule: id, verdict: verdict, reason: (deciding.first ?? findings[0]).reason,
            sentence: Message { deciding.map(\.message).joined(separator: "; and ") },
            turningPoint: lastToFree(findings.filter { $0.verdict != .satisfied }), children: findings)
    }

    /// Every limit must have a place: one that never frees decides, else one that waits for an event, else the last.
    private func lastToFree(_ findings: [Finding]) -> TurningPoint? {
        let turningPoints = findings.compactMap(\.turningPoint)
        guard turningPoints.count == findings.count else { return nil }
        return turningPoints.first { $0.event != nil } ?? turningPoints.compactMap(\.instant).max().map(TurningPoint.at)
    }
}

/// Enough time has passed since this offer was last redeemed (docs/design.md#issued-offers-and-limits); a redemption is dated by its first evidence.
struct LimitCoolDownRule: Rule {
    let id = RuleId.limitCoolDown

    func finding(_ context: RuleContext) -> Finding {
        guard let length = context.offer.coolDown else { return notApplicable("the offer has no cool-down") }
        let latest = context.use.redemptions.max { $0.firstEvidence < $1.firstEvidence }
        let ambiguous = context.ambiguousUses(of: CountedOffers(.thisOffer, context))
        let isDoubtful = ambiguous.matter(in: length, at: context.now)
        if let latest {
            let ends = latest.firstEvidence.adding(length)
            let evidence = [
                Evidence(
                    field: "redemption", observed: .instant(latest.firstEvidence), provenance: latest.provenance,
                    transactionId: latest.namedTransaction),
                Evidence(field: "offer.coolDown", observed: .instant(context.now), required: .instant(ends)),
            ]
            guard context.now >= ends else {
                return violated(
                    .coolingDown,
                    "the offer was last redeemed on \(latest.firstEvidence.day) and rests for \(length.words), until "
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
            var finding = undetermined(
                .groupMismatch,
                "whether the offer was redeemed in the last \(length.words) is not known: "
                    + ReasonCode.groupMismatch.explanation)
            finding.turningPoint = ambiguous.turningPoint(context.now, in: length)
            return finding
        }
        guard ambiguous.isEmpty else { return satisfied("the offer was not redeemed in the last \(length.words)") }
        return satisfied("the offer was never redeemed")
    }
}

/// None of the offers that this one excludes was redeemed, or is issued and counts (docs/design.md#issued-offers-and-limits): "never A after B".
struct LimitExcludesRule: Rule {
    let id = RuleId.limitExcludes

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
            guard ambiguous.isEmpty else {
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
        let turningPoint = end.map { ambiguous.turningPoint($0) }
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

/// The open slot may hold one more signing: Apple burns a signature per purchase attempt, and every one that lives can
/// be redeemed (docs/design.md#issued-offers-and-limits).
struct LimitSignaturesRule: Rule {
    let id = RuleId.limitSignatures

    func finding(_ context: RuleContext) -> Finding {
        guard context.question.needsNewSigning, let open = context.use.openSlot else {
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
                "the issued offer `\(open.id)` holds \(open.signings) of \(allowed) signings; it counts until "
                    + "\(open.countsUntil)", evidence: evidence, turningPoint: .at(open.countsUntil))
        }
        return satisfied(
            "the issued offer `\(open.id)` holds \(open.signings) of \(allowed) signings", evidence: evidence)
    }
}
