import OfferModel

/// The subscription has lapsed: state `expired`; grace, billing retry and revoked are not (Apple: "Supporting win-back
/// offers in your app").
struct LapsedRule: Rule {
    let id = RuleId.winBackLapsed

    func concerns(_ offer: Offer) -> Bool { offer.type == .winBack }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        let evidence = [state.evidence(required: .text(SubscriptionStateName.expired.rawValue))]
        switch state.standing {
        case .undetermined(let reason):
            return undetermined(
                reason, "whether the subscription has lapsed is not known: \(reason.explanation)", evidence: evidence)
        case .determined(.expired):
            let ended = state.accessEnds
            return satisfied("the subscription lapsed\(ended.map { " on \($0.day)" } ?? "")", evidence: evidence)
        case .determined(.neverSubscribed):
            return violated(
                .neverSubscribed, "no subscription of group `\(state.subscriptionGroupIdentifier)` was ever bought",
                evidence: evidence, turningPoint: .event(.subscriptionBought))
        case .determined(let name):
            return violated(
                .notLapsed, "the subscription has not lapsed (state `\(name.rawValue)`)", evidence: evidence,
                turningPoint: context.expiry(state))
        }
    }
}
