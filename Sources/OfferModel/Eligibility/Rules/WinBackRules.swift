/// The subscription has lapsed: state `expired`; grace, billing retry and revoked are not (Apple: "Supporting win-back
/// offers in your app").
struct LapsedRule: Rule {
    let id = RuleId.winBackLapsed
    var requirement: String { "the subscription must have lapsed" }

    func concerns(_ offer: Offer) -> Bool { offer.type == .winBack }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else { return groupUnknown }
        let evidence = [state.evidence(required: .text(SubscriptionStateName.expired.rawValue))]
        switch state.resolution {
        case .undetermined(let reason):
            return unknown("whether the subscription has lapsed", reason, evidence: evidence)
        case .determined(.expired):
            let ended = state.accessEnds
            return satisfied("the subscription lapsed\(ended.map { " on \($0.day)" } ?? "")", evidence: evidence)
        case .determined(.neverSubscribed):
            return neverSubscribed(state, evidence: evidence)
        case .determined(let name):
            return violated(
                .notLapsed, "the subscription has not lapsed (state `\(name.rawValue)`)", evidence: evidence,
                turningPoint: context.expiry(state))
        }
    }
}

/// The subscription does not renew: Apple's own win-back offers are for what has expired and will not renew (Apple:
/// "Supporting win-back offers in your app").
struct AutoRenewOffRule: Rule {
    let id = RuleId.winBackAutoRenewOff
    var requirement: String { "the subscription must not renew" }

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .appStore }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else { return groupUnknown }
        guard let id = state.transactionId else {
            return state.resolution.undeterminedReason.map { unknown("whether a subscription renews", $0) }
                ?? neverSubscribed(state)
        }
        let evidence = [
            Evidence(
                field: "subscription.willAutoRenew", observed: state.willAutoRenew.map(EvidenceValue.boolean),
                required: .boolean(false), provenance: state.provenance, transactionId: id)
        ]
        switch state.willAutoRenew {
        case false: return satisfied("the subscription does not renew", evidence: evidence)
        case nil:
            return unknown("whether the subscription renews", .renewalInfoMissing, evidence: evidence)
        default:
            return violated(
                .autoRenewOn, "Apple says that the subscription renews (transaction `\(id)`)",
                evidence: evidence, turningPoint: .event(.subscriptionChanged))
        }
    }
}

/// The subscription was bought, not received through Family Sharing (Apple: "Testing win-back offers in the sandbox
/// environment").
struct OwnedRule: Rule {
    let id = RuleId.winBackOwned
    var requirement: String { "the lapsed subscription must have been the customer's own" }

    func concerns(_ offer: Offer) -> Bool { offer.type == .winBack }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else { return groupUnknown }
        if let reason = state.resolution.undeterminedReason {
            return unknown("whether a subscription was bought", reason)
        }
        guard let governing = state.row else { return neverSubscribed(state) }
        let bought = context.subject.transactions(of: state.subscriptionGroupIdentifier).last { $0.isOwned == true }
        // One that was shared may govern the group beside the customer's own.
        let shown = governing.isOwned == true ? governing : bought ?? governing
        let id = shown.payload.transactionId
        let evidence = [
            shown.evidence(
                "inAppOwnershipType", shown.payload.inAppOwnershipType.map { .text($0.rawValue) },
                required: .text(InAppOwnershipType.purchased.rawValue))
        ]
        guard let isOwned = shown.isOwned else {
            return unknown("whether the subscription was bought", .valueUnknown, evidence: evidence)
        }
        guard isOwned else {
            if let doubt = context.subject.doubt(about: state.subscriptionGroupIdentifier) {
                return undetermined(
                    doubt, "only a shared subscription is known, but \(doubt.explanation)", evidence: evidence)
            }
            if shown.payload.inAppOwnershipType == .assigned {
                return violated(
                    .neverSubscribed,
                    "the subscription was assigned by an organization or a group (transaction `\(id)`)",
                    evidence: evidence, turningPoint: .event(.subscriptionBought))
            }
            return violated(
                .familySharedOnly, "the subscription was received through Family Sharing (transaction `\(id)`)",
                evidence: evidence, turningPoint: .event(.subscriptionBought))
        }
        // A signed offer has `everSubscribed` for this; here the issued offer needs a customer proven by Apple's data.
        guard context.offer.delivery == .signature || context.isProven else {
            return undetermined(
                .transactionUnknown, "the purchase `\(id)` is not known from anything signed by Apple",
                evidence: evidence)
        }
        return satisfied("the subscription was bought (transaction `\(id)`)", evidence: evidence)
    }
}

/// The App Store lists the offer among the win-back offers that the customer may have (Apple:
/// `eligibleWinBackOfferIds`).
struct ListedByAppStoreRule: Rule {
    let id = RuleId.winBackListedByAppStore
    var requirement: String { "the App Store must list the offer for the customer" }

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .appStore }

    func finding(_ context: RuleContext) -> Finding {
        guard let list = context.winBackList(at: context.now) else {
            return notApplicable("no renewal info signed after the subscription's end carries the App Store's list")
        }
        let (identifier, signedDate) = (context.offer.offerIdentifier, list.info.payload.signedDate)
        let evidence = [
            Evidence(
                field: "eligibleWinBackOfferIds", observed: .list(list.offers.map { .text($0.rawValue) }),
                required: identifier.map { .text($0.rawValue) }, provenance: list.info.provenance,
                transactionId: list.info.payload.originalTransactionId),
            Evidence(field: "signedDate", observed: .instant(signedDate), provenance: list.info.provenance),
        ]
        guard let identifier, list.offers.contains(identifier) else {
            return violated(
                .notListedByAppStore,
                "the App Store did not list the offer for the customer on \(signedDate.day)", evidence: evidence,
                turningPoint: .event(.renewalInfoReceived))
        }
        return satisfied(
            "the App Store listed the offer `\(identifier)` for the customer on \(signedDate.day)",
            evidence: evidence)
    }
}

extension RuleContext {
    /// Apple's own list, where it decides: the offer is delivered by the App Store, and the newest renewal info of the
    /// governing subscription, signed after its end, carries one (docs/design.md#decisions).
    func winBackList(at instant: Instant) -> (offers: [OfferIdentifier], info: Recorded<RenewalInfo>)? {
        guard offer.delivery == .appStore, let group = question.subscriptionGroupIdentifier,
            let governing = subject.governing(of: group, at: instant)?.subscription,
            let info = governing.renewalInfo, let expires = governing.current.payload.expiresDate,
            info.payload.signedDate > expires, let offers = info.payload.eligibleWinBackOfferIds
        else { return nil }
        return (offers, info)
    }
}
