import OfferModel

extension Rule {
    /// No subscription of the group gives access, shared ones included: what two rules ask for.
    func noneActiveInGroup(_ context: RuleContext) -> Finding {
        guard let state = context.state else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        let group = state.subscriptionGroupIdentifier
        switch state.standing {
        case .undetermined(let reason):
            return undetermined(
                reason, "whether a subscription of group `\(group)` is active is not known: \(reason.explanation)",
                evidence: [state.evidence()])
        case .determined(let name):
            guard state.hasAccess == true, let row = state.row else {
                return satisfied(
                    "no subscription of group `\(group)` is active (state `\(name.rawValue)`)",
                    evidence: [state.evidence()])
            }
            return violated(
                .activeInGroup,
                "a subscription of group `\(group)` is active (state `\(name.rawValue)`, transaction "
                    + "`\(row.payload.transactionId)`)" + state.wayBack,
                evidence: [state.evidence()], turningPoint: context.endOfAccess(state))
        }
    }
}

extension SubscriptionState {
    /// What a customer who cancelled and still has access can do instead of buying again.
    fileprivate var wayBack: String {
        guard willAutoRenew == false, isOwned == true, let accessEnds else { return "" }
        return "; it was cancelled and runs until \(accessEnds): renewal can be turned back on"
    }
}
