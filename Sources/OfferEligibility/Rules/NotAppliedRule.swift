import OfferModel

/// The same offer neither waits for the next renewal nor is running: accepting it again would only replace itself
/// (Apple: "Implementing promotional offers in your app").
struct NotAppliedRule: Rule {
    let id = RuleId.promotionalNotApplied

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .signature }

    func finding(_ context: RuleContext) -> Finding {
        guard let identifier = context.offer.offerIdentifier, let group = context.question.subscriptionGroupIdentifier
        else { return undetermined(.groupUnknown, "the offer's name at Apple or its group is not known") }
        let found = context.subject.view(of: group).candidates(at: context.now).compactMap {
            applied(identifier, $0, context)
        }
        if let deciding = found.first(where: { $0.verdict == .violated }) ?? found.first { return deciding }
        let outsider = context.subject.outsiders(of: group).first {
            $0.payload.offerType == .promotional && $0.payload.offerIdentifier == identifier
        }
        if let outsider {
            return undetermined(
                .groupMismatch,
                "whether the offer `\(identifier)` runs is not known: \(ReasonCode.groupMismatch.explanation)",
                evidence: [
                    Evidence(
                        field: "offerIdentifier", observed: .text(identifier.rawValue),
                        provenance: outsider.provenance, transactionId: outsider.payload.transactionId)
                ])
        }
        return satisfied("the offer `\(identifier)` is neither pending nor running")
    }

    private func applied(
        _ identifier: OfferIdentifier, _ candidate: Candidate, _ context: RuleContext
    ) -> Finding? {
        let (subscription, standing) = (candidate.subscription, candidate.standing)
        let current = subscription.current.payload
        let evidence = { (provenance: Provenance) in
            [
                Evidence(
                    field: "offerIdentifier", observed: .text(identifier.rawValue), provenance: provenance,
                    transactionId: current.transactionId)
            ]
        }
        if let info = subscription.renewalInfo, info.payload.names(identifier), standing.mayRenew {
            if let reason = standing.undeterminedReason {
                return undetermined(
                    reason, "whether the offer `\(identifier)` still waits is not known: \(reason.explanation)",
                    evidence: evidence(info.provenance))
            }
            return violated(
                .offerPending,
                "the offer `\(identifier)` already applies to the next renewal of `\(current.originalTransactionId)`",
                evidence: evidence(info.provenance), turningPoint: .event(.offerEnded))
        }
        guard current.offerType == .promotional, current.offerIdentifier == identifier, !current.isUpgraded else {
            return nil
        }
        if let expires = current.expiresDate, context.now < expires, standing.hasAccess == true {
            return violated(
                .offerRunning,
                "the offer `\(identifier)` is running until \(expires) (transaction `\(current.transactionId)`)",
                evidence: evidence(subscription.current.provenance),
                turningPoint: subscription.willAutoRenew == false ? .at(expires) : .event(.offerEnded))
        }
        guard let reason = standing.undeterminedReason else { return nil }
        return undetermined(
            reason, "whether the offer `\(identifier)` still runs is not known: \(reason.explanation)",
            evidence: evidence(subscription.current.provenance))
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
