import OfferModel

/// No subscription of the group is active: existing subscribers never get an introductory offer (Apple: "Implementing
/// introductory offers in your app").
struct NotSubscribedRule: Rule {
    let id = RuleId.introductoryNotSubscribed

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding { noneActiveInGroup(context) }
}
