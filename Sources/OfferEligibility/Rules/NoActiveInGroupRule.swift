import OfferModel

/// No subscription of the group is active, one received through Family Sharing included (Apple: "Supporting win-back
/// offers").
struct NoActiveInGroupRule: Rule {
    let id = RuleId.winBackNoActiveInGroup

    func concerns(_ offer: Offer) -> Bool { offer.type == .winBack }

    func finding(_ context: RuleContext) -> Finding { noneActiveInGroup(context) }
}
