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
        guard let transaction = state.transaction else {
            guard let reason = state.standing.undeterminedReason else {
                return violated(
                    .neverSubscribed, "no subscription of group `\(state.subscriptionGroupIdentifier)` was ever bought",
                    turningPoint: .event(.subscriptionBought))
            }
            return undetermined(reason, "whether a subscription was bought is not known: \(reason.explanation)")
        }
        let evidence = [
            Evidence(
                field: "inAppOwnershipType", observed: transaction.inAppOwnershipType.map { .text($0.rawValue) },
                required: .text(InAppOwnershipType.purchased.rawValue), provenance: state.provenance,
                transactionId: transaction.transactionId)
        ]
        guard transaction.isOwned else {
            return violated(
                .familySharedOnly,
                "the subscription was received through Family Sharing (transaction `\(transaction.transactionId)`)",
                evidence: evidence, turningPoint: .event(.subscriptionBought))
        }
        return satisfied(
            "the subscription was bought (transaction `\(transaction.transactionId)`)", evidence: evidence)
    }
}
