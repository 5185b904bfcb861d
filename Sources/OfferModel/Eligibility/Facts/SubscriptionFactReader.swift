/// Reads `subscription.*`: facts of the group of the offer's product in a state that belongs to an instant.
struct SubscriptionFactReader {
    let subject: Subject
    let state: SubscriptionState
    /// The catalog's products of the group.
    let products: [Product]

    func fact(_ fact: SubscriptionFact) -> Fact {
        switch fact {
        case .paidMonths, .paidPeriods: Fact(knowledge(of: fact))
        case .everInGroup: everInGroup
        case _ where concernsUngrouped(by: fact): Fact(knowledge(of: fact))
        default:
            Fact(knowledge(of: fact), provenance: state.provenance, transactionId: state.transactionId)
        }
    }

    /// The value of the fact, without its evidence.
    func knowledge(of fact: SubscriptionFact) -> Fact.Knowledge {
        if concernsUngrouped(by: fact) { return .undetermined(.groupMismatch) }
        return switch fact {
        case .paidMonths: counted { $0.months }
        case .paidPeriods: counted { $0.periods }
        case .everInGroup: everInGroup.knowledge
        case .state: state.known { .text($0.rawValue) }
        case .productId:
            state.row.map { .known(.text($0.payload.productId.rawValue)) } ?? .undetermined(state.reasonForNone)
        case .willAutoRenew:
            state.willAutoRenew.map { .known(.boolean($0)) } ?? .undetermined(state.reasonForNoRenewalInfo)
        case .expirationIntent: Self.named(state.expirationIntent, missing: state.reasonForNoRenewalInfo)
        case .daysUntilExpiry: daysUntilExpiry
        case .daysSinceExpired: sinceExpired { Double(state.asOf.days(since: $0)) }
        case .monthsSinceExpired: sinceExpired { Double(state.asOf.months(since: $0)) }
        case .isInTrial: isInTrial
        case .renewalPrice:
            state.renewalPrice.map { .known(.money($0)) } ?? .undetermined(state.reasonForNoRenewalInfo)
        case .pendingProductId:
            state.pendingProductId.map { .known(.text($0.rawValue)) }
                ?? .undetermined(state.willAutoRenew == nil ? state.reasonForNoRenewalInfo : .nothingPending)
        case .offerType: ofTransaction(missing: .noOffer) { $0.offerType }
        case .discountType:
            ofTransaction(missing: state.row?.payload.offerType == nil ? .noOffer : .valueMissing) {
                $0.offerDiscountType
            }
        case .period: ofProduct { .text($0.period.description) }
        case .level: ofProduct { .number(Double($0.level)) }
        case .billingPlan: ofTransaction(missing: .valueMissing) { $0.billingPlanType }
        case .priceIncreaseStatus:
            Self.named(
                state.priceIncreaseStatus,
                missing: state.willAutoRenew == nil ? state.reasonForNoRenewalInfo : .nothingPending)
        case .startedAt: startedAt
        }
    }

    private func ofTransaction<Value: NamedAppStoreValue>(
        missing: ReasonCode, _ value: (Transaction) -> Value?
    ) -> Fact.Knowledge {
        guard let row = state.row else { return .undetermined(state.reasonForNone) }
        // The period that is running now is probably another one.
        if state.resolution == .undetermined(.historyStale) { return .undetermined(.historyStale) }
        return Self.named(value(row.payload), missing: missing)
    }

    private var startedAt: Fact.Knowledge {
        guard let startedAt = state.startedAt else { return .undetermined(state.reasonForNone) }
        if !state.isStartKnown, let doubt = subject.doubt(about: state.subscriptionGroupIdentifier) {
            return .undetermined(doubt)
        }
        return .known(.instant(startedAt))
    }

    private static func named(_ value: (some NamedAppStoreValue)?, missing: ReasonCode) -> Fact.Knowledge {
        guard let value else { return .undetermined(missing) }
        return value.name.map { .known(.text($0)) } ?? .undetermined(.valueUnknown)
    }

    private func ofProduct(_ value: (Product) -> FactValue) -> Fact.Knowledge {
        guard let row = state.row else { return .undetermined(state.reasonForNone) }
        let product = products.first { $0.productId == row.payload.productId }
        return product.map { .known(value($0)) } ?? .undetermined(.groupUnknown)
    }

    /// Whether a purchase that may belong to the group could be the one that the fact speaks of.
    private func concernsUngrouped(by fact: SubscriptionFact) -> Bool {
        fact.speaksOfOneSubscription && state.resolution == .undetermined(.groupMismatch)
    }

    private func counted(_ count: (PaidTime) -> Int) -> Fact.Knowledge {
        let paid = subject.paidTime(of: state.subscriptionGroupIdentifier)
        let doubt = subject.doubt(about: state.subscriptionGroupIdentifier) ?? (paid.isPartial ? .valueUnknown : nil)
        return .number(Double(count(paid)), doubt: doubt)
    }

    private var everInGroup: Fact {
        let group = state.subscriptionGroupIdentifier
        return Fact(subject.past.groups[group]?.subscribed, of: subject, doubt: subject.doubt(about: group))
    }

    private var daysUntilExpiry: Fact.Knowledge {
        switch state.hasAccess {
        case nil: .undetermined(state.resolution.undeterminedReason ?? .historyStale)
        case false: .undetermined(state.transactionId == nil ? .noSubscription : .noAccess)
        default:
            state.accessEnds.map { .known(.number(Double($0.days(since: state.asOf)))) }
                ?? .undetermined(.expiryUnknown)
        }
    }

    private func sinceExpired(count: (Instant) -> Double) -> Fact.Knowledge {
        switch state.hasAccess {
        case nil: .undetermined(state.resolution.undeterminedReason ?? .historyStale)
        case true: .undetermined(.accessGoesOn)
        default: state.accessEnds.map { .known(.number(count($0))) } ?? .undetermined(.noSubscription)
        }
    }

    private var isInTrial: Fact.Knowledge {
        state.isInFreeTrial.map { .known(.boolean($0)) }
            ?? .undetermined(state.resolution.undeterminedReason ?? .valueUnknown)
    }
}

extension SubscriptionFact {
    /// Whether it is about the subscription that governs the group.
    fileprivate var speaksOfOneSubscription: Bool {
        switch self {
        case .productId, .willAutoRenew, .expirationIntent, .renewalPrice, .pendingProductId, .offerType,
            .discountType, .period, .level, .billingPlan, .priceIncreaseStatus, .startedAt:
            true
        case .paidMonths, .paidPeriods, .everInGroup, .state, .daysUntilExpiry, .daysSinceExpired, .monthsSinceExpired,
            .isInTrial:
            false
        }
    }
}

extension SubscriptionState {
    fileprivate func known(_ value: (SubscriptionStateName) -> FactValue) -> Fact.Knowledge {
        switch resolution {
        case .determined(let name): .known(value(name))
        case .undetermined(let reason): .undetermined(reason)
        }
    }

    /// Why there is no subscription.
    fileprivate var reasonForNone: ReasonCode { resolution.undeterminedReason ?? .noSubscription }

    fileprivate var reasonForNoRenewalInfo: ReasonCode { transactionId == nil ? reasonForNone : .renewalInfoMissing }
}
