import OfferModel

/// Reads the facts of the vocabulary from a subject (`subscription.*`) and a question (`signals.*`).
///
/// The two never mix: what the backend says has names of its own and cannot outrank what Apple signed.
struct FactReader {
    let question: Question
    let subject: Subject

    /// Whether the fact's value can change by itself as time goes on.
    static func dependsOnTime(_ name: String) -> Bool {
        switch name {
        case "subscription.paidMonths", "subscription.paidPeriods", "subscription.everInGroup": false
        default: FactVocabulary.signalName(name) == nil
        }
    }

    /// The fact where the group is in that state, which belongs to an instant; `nil` if the group is not known.
    func fact(_ name: String, in state: SubscriptionState?) -> Fact {
        if let signal = FactVocabulary.signalName(name) {
            guard let value = question.signals[signal] else { return Fact(.undetermined(.signalMissing)) }
            return Fact(.known(value), provenance: .caller)
        }
        guard FactVocabulary.definition(name)?.isEvaluated == true else { return Fact(.undetermined(.factUnknown)) }
        guard let state else { return Fact(.undetermined(.groupUnknown)) }
        switch name {
        case "subscription.paidMonths": return counted(state) { $0.months }
        case "subscription.paidPeriods": return counted(state) { $0.periods }
        case "subscription.everInGroup": return everInGroup(state)
        default:
            return Fact(
                knowledge(name, state), provenance: state.provenance, transactionId: state.transaction?.transactionId)
        }
    }

    private func knowledge(_ name: String, _ state: SubscriptionState) -> Fact.Knowledge {
        switch name {
        case "subscription.state": state.known { .text($0.rawValue) }
        case "subscription.productId":
            state.transaction.map { .known(.text($0.productId.rawValue)) } ?? .undetermined(state.reasonForNone)
        case "subscription.willAutoRenew":
            state.willAutoRenew.map { .known(.boolean($0)) } ?? .undetermined(state.reasonForNoRenewalInfo)
        case "subscription.expirationIntent": expirationIntent(state)
        case "subscription.daysUntilExpiry": daysUntilExpiry(state)
        case "subscription.daysSinceExpired": sinceExpired(state) { Double(state.asOf.days(since: $0)) }
        case "subscription.monthsSinceExpired": sinceExpired(state) { Double(state.asOf.months(since: $0)) }
        case "subscription.isInTrial": isInTrial(state)
        case "subscription.renewalPrice":
            state.renewalPrice.map { .known(.money($0)) } ?? .undetermined(state.reasonForNoRenewalInfo)
        case "subscription.pendingProductId":
            state.pendingProductId.map { .known(.text($0.rawValue)) }
                ?? .undetermined(state.willAutoRenew == nil ? state.reasonForNoRenewalInfo : .nothingPending)
        default: .undetermined(.factUnknown)
        }
    }

    private func counted(_ state: SubscriptionState, _ count: (PaidTime) -> Int) -> Fact {
        let paid = PaidTime(subject.subscriptions[state.subscriptionGroupIdentifier] ?? [])
        let known = Double(count(paid))
        let doubt = subject.doubt(about: state.subscriptionGroupIdentifier) ?? (paid.isPartial ? .valueUnknown : nil)
        return Fact(doubt.map { .atLeast(known, because: $0) } ?? .known(.number(known)))
    }

    private func everInGroup(_ state: SubscriptionState) -> Fact {
        let transactions = subject.transactions(of: state.subscriptionGroupIdentifier)
        guard let bought = transactions.first(where: { $0.payload.isOwned == true }) else {
            if transactions.contains(where: { $0.payload.isOwned == nil }) { return Fact(.undetermined(.valueUnknown)) }
            let doubt = subject.doubt(about: state.subscriptionGroupIdentifier)
            return Fact(doubt.map(Fact.Knowledge.undetermined) ?? .known(.boolean(false)))
        }
        return Fact(
            .known(.boolean(true)), provenance: bought.provenance, transactionId: bought.payload.transactionId)
    }

    private func expirationIntent(_ state: SubscriptionState) -> Fact.Knowledge {
        guard let intent = state.expirationIntent else { return .undetermined(state.reasonForNoRenewalInfo) }
        return intent.name.map { .known(.text($0)) } ?? .undetermined(.valueUnknown)
    }

    private func daysUntilExpiry(_ state: SubscriptionState) -> Fact.Knowledge {
        switch state.hasAccess {
        case nil: .undetermined(state.standing.undeterminedReason ?? .historyStale)
        case false: .undetermined(state.transaction == nil ? .noSubscription : .noAccess)
        default:
            state.accessEnds.map { .known(.number(Double($0.days(since: state.asOf)))) }
                ?? .undetermined(.expiryUnknown)
        }
    }

    private func sinceExpired(_ state: SubscriptionState, count: (Instant) -> Double) -> Fact.Knowledge {
        switch state.hasAccess {
        case nil: .undetermined(state.standing.undeterminedReason ?? .historyStale)
        case true: .undetermined(.accessGoesOn)
        default: state.accessEnds.map { .known(.number(count($0))) } ?? .undetermined(.noSubscription)
        }
    }

    private func isInTrial(_ state: SubscriptionState) -> Fact.Knowledge {
        guard let name = state.name else { return .undetermined(state.standing.undeterminedReason ?? .historyStale) }
        guard name == .introductoryOffer, let transaction = state.transaction else { return .known(.boolean(false)) }
        return transaction.isFree.map { .known(.boolean($0)) } ?? .undetermined(.valueUnknown)
    }
}

extension SubscriptionState {
    fileprivate func known(_ value: (SubscriptionStateName) -> FactValue) -> Fact.Knowledge {
        switch standing {
        case .determined(let name): .known(value(name))
        case .undetermined(let reason): .undetermined(reason)
        }
    }

    /// Why there is no subscription to speak of.
    fileprivate var reasonForNone: ReasonCode { standing.undeterminedReason ?? .noSubscription }

    fileprivate var reasonForNoRenewalInfo: ReasonCode { transaction == nil ? reasonForNone : .renewalInfoMissing }
}

extension Transaction {
    /// Whether nothing was paid for the period; `nil` if neither the offer nor the price tells.
    var isFree: Bool? {
        if let offerDiscountType { return offerDiscountType == .freeTrial }
        return price.map { $0 == 0 }
    }
}

extension ExpirationIntent {
    /// The name in the fact vocabulary; `nil` for a value Apple added later.
    fileprivate var name: String? {
        switch self {
        case .customerCancelled: "customerCancelled"
        case .billingError: "billingError"
        case .priceIncreaseNotConsented: "priceIncreaseNotConsented"
        case .productNotAvailable: "productNotAvailable"
        case .other: "other"
        default: nil
        }
    }
}
