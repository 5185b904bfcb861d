import OfferModel

/// The subscription was bought, not received through Family Sharing (Apple: "Testing win-back offers in the sandbox
/// environment").
struct OwnedRule: Rule {
    let id = RuleId.winBackOwned

    func concerns(_ offer: Offer) -> Bool { offer.type == .winBack }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        if let reason = state.standing.undeterminedReason {
            return undetermined(reason, "whether a subscription was bought is not known: \(reason.explanation)")
        }
        guard let speaking = state.row else {
            return violated(
                .neverSubscribed, "no subscription of group `\(state.subscriptionGroupIdentifier)` was ever bought",
                turningPoint: .event(.subscriptionBought))
        }
        let bought = context.subject.transactions(of: state.subscriptionGroupIdentifier).last {
            $0.isOwned == true
        }
        // One that was shared may speak for the group beside the customer's own.
        let shown = speaking.isOwned == true ? speaking : bought ?? speaking
        let id = shown.payload.transactionId
        let evidence = [
            Evidence(
                field: "inAppOwnershipType", observed: shown.payload.inAppOwnershipType.map { .text($0.rawValue) },
                required: .text(InAppOwnershipType.purchased.rawValue), provenance: shown.provenance,
                transactionId: id)
        ]
        guard let isOwned = shown.isOwned else {
            return undetermined(
                .valueUnknown,
                "whether the subscription was bought is not known: "
                    + ReasonCode.valueUnknown.explanation, evidence: evidence)
        }
        guard isOwned else {
            if let doubt = context.subject.doubt(about: state.subscriptionGroupIdentifier) {
                return undetermined(
                    doubt, "only a shared subscription is known, but \(doubt.explanation)", evidence: evidence)
            }
            return violated(
                .familySharedOnly,
                "the subscription was received through Family Sharing (transaction `\(id)`)",
                evidence: evidence, turningPoint: .event(.subscriptionBought))
        }
        // A signed offer has `everSubscribed` for this; here the issued offer needs a customer whom Apple vouches for.
        guard context.offer.delivery == .signature || context.isProven else {
            return undetermined(
                .transactionUnknown,
                "the purchase `\(id)` is not known from anything signed by Apple",
                evidence: evidence)
        }
        return satisfied(
            "the subscription was bought (transaction `\(id)`)", evidence: evidence)
    }
}
