import OfferModel

/// The same offer neither waits for the next renewal nor is running: accepting it again would only replace itself
/// (Apple: "Implementing promotional offers in your app").
struct NotAppliedRule: Rule {
    let id = RuleId.promotionalNotApplied

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .signature }

    func finding(_ context: RuleContext) -> Finding {
        guard let identifier = context.offer.offerIdentifier, let group = context.question.subscriptionGroupIdentifier
        else { return undetermined(.groupUnknown, "the offer's name at Apple or its group is not known") }
        for subscription in context.subject.subscriptions[group] ?? [] {
            if let found = applied(identifier, subscription, context) { return found }
        }
        return satisfied("the offer `\(identifier)` is neither pending nor running")
    }

    private func applied(
        _ identifier: OfferIdentifier, _ subscription: Subscription, _ context: RuleContext
    ) -> Finding? {
        let newest = subscription.newest.payload
        let evidence = { (provenance: Provenance) in
            [
                Evidence(
                    field: "offerIdentifier", observed: .text(identifier.rawValue), provenance: provenance,
                    transactionId: newest.transactionId)
            ]
        }
        let standing = subscription.standing(at: context.now, policy: context.policy)
        if let info = subscription.renewalInfo, info.payload.names(identifier), standing.mayRenew {
            return violated(
                .offerPending,
                "the offer `\(identifier)` already applies to the next renewal of `\(newest.originalTransactionId)`",
                evidence: evidence(info.provenance), turningPoint: .event(.offerEnded))
        }
        guard newest.offerType == .promotional, newest.offerIdentifier == identifier, !newest.isUpgraded else {
            return nil
        }
        if let expires = newest.expiresDate, context.now < expires, standing.hasAccess == true {
            return violated(
                .offerRunning,
                "the offer `\(identifier)` is running until \(expires) (transaction `\(newest.transactionId)`)",
                evidence: evidence(subscription.newest.provenance),
                turningPoint: subscription.willAutoRenew == false ? .at(expires) : .event(.offerEnded))
        }
        guard let reason = standing.undeterminedReason else { return nil }
        return undetermined(
            reason, "whether the offer `\(identifier)` still runs is not known: \(reason.explanation)",
            evidence: evidence(subscription.newest.provenance))
    }
}

extension RenewalInfo {
    fileprivate func names(_ identifier: OfferIdentifier) -> Bool {
        offerType == .promotional && offerIdentifier == identifier
    }
}

extension Standing {
    /// Whether a next renewal can still come.
    fileprivate var mayRenew: Bool {
        switch self {
        case .undetermined, .determined(.introductoryOffer), .determined(.subscribed), .determined(.inGracePeriod),
            .determined(.inBillingRetryPeriod):
            true
        case .determined(.expired), .determined(.revoked), .determined(.neverSubscribed): false
        }
    }
}
