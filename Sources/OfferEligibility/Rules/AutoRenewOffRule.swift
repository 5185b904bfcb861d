import OfferModel

/// The subscription does not renew: Apple's own win-back offers are for what has expired and will not renew (Apple:
/// "Supporting win-back offers in your app").
struct AutoRenewOffRule: Rule {
    let id = RuleId.winBackAutoRenewOff

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .appStore }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        guard let id = state.transactionId else {
            if let reason = state.standing.undeterminedReason {
                return undetermined(reason, "whether a subscription renews is not known: \(reason.explanation)")
            }
            return violated(
                .neverSubscribed, "no subscription of group `\(state.subscriptionGroupIdentifier)` was ever bought",
                turningPoint: .event(.subscriptionBought))
        }
        let evidence = [
            Evidence(
                field: "subscription.willAutoRenew", observed: state.willAutoRenew.map(EvidenceValue.boolean),
                required: .boolean(false), provenance: state.provenance, transactionId: id)
        ]
        switch state.willAutoRenew {
        case false: return satisfied("the subscription does not renew", evidence: evidence)
        case nil:
            return undetermined(
                .renewalInfoMissing,
                "whether the subscription renews is not known: \(ReasonCode.renewalInfoMissing.explanation)",
                evidence: evidence)
        default:
            return violated(
                .autoRenewOn, "Apple says that the subscription renews (transaction `\(id)`)",
                evidence: evidence, turningPoint: .event(.subscriptionChanged))
        }
    }
}
