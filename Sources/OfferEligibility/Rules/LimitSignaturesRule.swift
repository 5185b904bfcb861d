import OfferModel

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
