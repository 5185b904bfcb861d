import OfferModel

/// The customer has or had a subscription in the app by own purchase, and Apple has signed something of theirs (Apple:
/// "Implementing promotional offers in your app"; docs/design.md#identity).
///
/// Billing retry is allowed: Apple's documents do not forbid it, and the evidence says that it is unconfirmed.
struct EverSubscribedRule: Rule {
    let id = RuleId.promotionalEverSubscribed

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .signature }

    func finding(_ context: RuleContext) -> Finding {
        let subscriptions = context.subject.past.subscriptionRows
        let shown =
            subscriptions.last { $0.isOwned == true && $0.provenance.isProven }
            ?? subscriptions.last { $0.isOwned == true }
        guard let shown else {
            return absent(context, subscriptions)
        }
        let id = shown.payload.transactionId
        var evidence = [
            Evidence(
                field: "transactionId", observed: .text(id.rawValue), provenance: shown.provenance, transactionId: id)
        ]
        guard context.isProven else {
            return undetermined(
                .transactionUnknown,
                "the purchase `\(id)` is known from `\(shown.provenance.rawValue)` only, and a signature needs a "
                    + "transaction or app transaction signed by Apple", evidence: evidence)
        }
        if let state = context.state, state.name == .inBillingRetryPeriod {
            evidence.append(
                Evidence(
                    field: "unconfirmedByApple", observed: .text(SubscriptionStateName.inBillingRetryPeriod.rawValue),
                    provenance: state.provenance, transactionId: state.transactionId))
        }
        return satisfied(
            "a subscription in the app was bought on \(shown.payload.purchaseDate.day) (transaction `\(id)`)",
            evidence: evidence)
    }

    private func absent(_ context: RuleContext, _ subscriptions: [Recorded<Transaction>]) -> Finding {
        if let unknown = subscriptions.last(where: { $0.isOwned == nil }) {
            return undetermined(
                .valueUnknown,
                "whether a subscription was bought is not known: "
                    + ReasonCode.valueUnknown.explanation,
                evidence: [
                    Evidence(
                        field: "inAppOwnershipType",
                        observed: unknown.payload.inAppOwnershipType.map { .text($0.rawValue) },
                        provenance: unknown.provenance, transactionId: unknown.payload.transactionId)
                ])
        }
        guard context.subject.isComplete else {
            return undetermined(
                .historyIncomplete,
                "no bought subscription in the app is known, but the history is not known to be complete")
        }
        if !subscriptions.isEmpty {
            return violated(
                .familySharedOnly, "subscriptions in the app were received through Family Sharing only",
                turningPoint: .event(.subscriptionBought))
        }
        return violated(
            .neverSubscribed, "no subscription in the app was ever bought", turningPoint: .event(.subscriptionBought))
    }
}
