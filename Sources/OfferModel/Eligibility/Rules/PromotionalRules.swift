/// The customer has or had a subscription in the app by own purchase, and Apple has signed something of theirs (Apple:
/// "Implementing promotional offers in your app"; docs/design.md#identity).
///
/// Billing retry is allowed: Apple's documents do not forbid it, and the evidence says that it is unconfirmed.
struct EverSubscribedRule: Rule {
    let id = RuleId.promotionalEverSubscribed
    var requirement: String { "the customer must have or have had a subscription of their own" }

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .signature }

    func finding(_ context: RuleContext) -> Finding {
        let subscriptions = context.subject.past.subscriptionRows
        let shown =
            subscriptions.last { $0.isOwned == true && $0.provenance.isProven }
            ?? subscriptions.last { $0.isOwned == true }
        guard let shown else { return absent(context, subscriptions) }
        let id = shown.payload.transactionId
        var evidence = [shown.evidence("transactionId", .text(id.rawValue))]
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
        if let row = subscriptions.last(where: { $0.isOwned == nil }) {
            let ownership = row.payload.inAppOwnershipType.map { EvidenceValue.text($0.rawValue) }
            return unknown(
                "whether a subscription was bought", .valueUnknown,
                evidence: [row.evidence("inAppOwnershipType", ownership)])
        }
        guard context.subject.isComplete else {
            return undetermined(
                .historyIncomplete,
                "no bought subscription in the app is known, but the history is not known to be complete")
        }
        if subscriptions.contains(where: { $0.payload.inAppOwnershipType == .familyShared }) {
            return violated(
                .familySharedOnly, "subscriptions in the app were received through Family Sharing only",
                turningPoint: .event(.subscriptionBought))
        }
        return violated(
            .neverSubscribed,
            "no subscription in the app was ever bought"
                + (subscriptions.isEmpty ? "" : ", only assigned by an organization or a group"),
            turningPoint: .event(.subscriptionBought))
    }
}

/// The same offer neither waits for the next renewal nor is running: accepting it again would only replace itself
/// (Apple: "Implementing promotional offers in your app"). What the family's owner uses is not the customer's use.
struct NotAppliedRule: Rule {
    let id = RuleId.promotionalNotApplied
    var requirement: String { "the same offer must be neither pending nor running" }

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .signature }

    func finding(_ context: RuleContext) -> Finding {
        guard let identifier = context.offer.offerIdentifier, let group = context.question.subscriptionGroupIdentifier
        else { return undetermined(.groupUnknown, "the offer's name at Apple or its group is not known") }
        var finding = judge(identifier, in: group, context.subject, at: context.now)
        if finding.verdict == .violated {
            // The end of a period need not be the offer's: the next may be charged already, or be due and not known.
            let end = end(of: identifier, in: group, context)
            finding.turningPoint = end.map(TurningPoint.at) ?? .event(.offerEnded)
        }
        return finding
    }

    /// The first later instant at which it neither waits nor runs, as far as is known now.
    private func end(
        of identifier: OfferIdentifier, in group: SubscriptionGroupId, _ context: RuleContext
    ) -> Instant? {
        guard ungroupedRow(identifier, in: group, context.subject) == nil else { return nil }
        return context.subject.view(of: group).firstInstant(after: context.now) { candidate, instant in
            candidate.isOwned != false && applied(identifier, candidate, at: instant) != nil
        }
    }

    private func ungroupedRow(
        _ identifier: OfferIdentifier, in group: SubscriptionGroupId, _ subject: Subject
    ) -> Recorded<Transaction>? {
        subject.ungrouped(of: group).first { $0.payload.names(identifier) && $0.payload.isOwned != false }
    }

    private func judge(
        _ identifier: OfferIdentifier, in group: SubscriptionGroupId, _ subject: Subject, at instant: Instant
    ) -> Finding {
        let found = subject.candidates(of: group, at: instant).filter { $0.isOwned != false }
            .compactMap { applied(identifier, $0, at: instant) }
        if let deciding = found.first(where: { $0.verdict == .violated }) ?? found.first { return deciding }
        if let ungroupedRow = ungroupedRow(identifier, in: group, subject) {
            return unknown(
                "whether the offer `\(identifier)` runs", .groupMismatch,
                evidence: [ungroupedRow.evidence("offerIdentifier", .text(identifier.rawValue))])
        }
        return satisfied("the offer `\(identifier)` is neither pending nor running")
    }

    private func applied(_ identifier: OfferIdentifier, _ candidate: Candidate, at instant: Instant) -> Finding? {
        let (subscription, resolution) = (candidate.subscription, candidate.resolution)
        let current = subscription.current
        let evidence = { (provenance: Provenance) in
            [
                Evidence(
                    field: "offerIdentifier", observed: .text(identifier.rawValue), provenance: provenance,
                    transactionId: current.payload.transactionId)
            ]
        }
        if resolution.mayRenew, let info = subscription.renewalInfo, info.payload.names(identifier) {
            if let reason = resolution.undeterminedReason {
                return unknown(
                    "whether the offer `\(identifier)` still waits", reason, evidence: evidence(info.provenance))
            }
            return violated(
                .offerPending,
                "the offer `\(identifier)` already applies to the next renewal of "
                    + "`\(current.payload.originalTransactionId)`",
                evidence: evidence(info.provenance))
        }
        guard current.payload.names(identifier), !current.payload.isUpgraded else { return nil }
        if let expires = current.payload.expiresDate, instant < expires, resolution.hasAccess == true {
            let ends = subscription.knownEnd(of: identifier) ?? expires
            return violated(
                .offerRunning,
                "the offer `\(identifier)` is running until \(ends) (transaction "
                    + "`\(current.payload.transactionId)`)",
                evidence: evidence(current.provenance))
        }
        guard let reason = resolution.undeterminedReason else { return nil }
        return unknown(
            "whether the offer `\(identifier)` still runs", reason, evidence: evidence(current.provenance))
    }
}

extension Transaction {
    fileprivate func names(_ identifier: OfferIdentifier) -> Bool {
        offerType == .promotional && offerIdentifier == identifier
    }
}

extension Subscription {
    /// When the current period with the offer ends, or the last that was charged early and goes on with it.
    fileprivate func knownEnd(of identifier: OfferIdentifier) -> Instant? {
        transactions.map(\.payload).drop { $0.purchaseDate < current.payload.purchaseDate }
            .prefix { $0.names(identifier) }.compactMap(\.expiresDate).max()
    }
}

extension RenewalInfo {
    fileprivate func names(_ identifier: OfferIdentifier) -> Bool {
        offerType == .promotional && offerIdentifier == identifier
    }
}

extension StateResolution {
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
