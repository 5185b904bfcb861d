/// No introductory offer was ever used in the group (Apple: "Implementing introductory offers in your app").
///
/// A refunded or revoked one counts as used: Apple does not publish its reading, and this is the safe one. What the
/// family's owner used decides nothing: to refuse would take away a trial that Apple may grant.
struct UnusedInGroupRule: Rule {
    let id = RuleId.introductoryUnusedInGroup
    var requirement: String { "no introductory offer may have been used in the group" }

    /// ``AgainRule`` replaces it.
    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory && offer.again == nil }

    func finding(_ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else { return groupUnknown }
        let uses = IntroductoryUses(in: group, of: context.subject)
        if let used = uses.own.first {
            return violated(
                .introductoryOfferUsed,
                "an introductory offer of group `\(group)` was used on \(used.payload.purchaseDate.day) "
                    + "(transaction `\(used.payload.transactionId)`)", evidence: [used.introductory])
        }
        if let pending = uses.redemptions.first {
            let known = pending.offerEnds == nil ? "waits for the next renewal" : "was used"
            return violated(
                .introductoryOfferUsed, "an introductory offer of group `\(group)` \(known)",
                evidence: [pending.introductory])
        }
        if let other = uses.doubtful.first {
            return unknown(
                "whether an introductory offer of group `\(group)` was used", uses.doubt(other),
                evidence: [other.introductory])
        }
        if let doubt = context.subject.doubt(about: group) {
            return undetermined(doubt, "no introductory offer of group `\(group)` is known, but \(doubt.explanation)")
        }
        return satisfied("no introductory offer of group `\(group)` was ever used")
    }
}

/// An introductory offer of the group was used long enough ago, or never: the offer's own term in place of Apple's, by
/// which the signed statement grants what Apple would refuse (Apple: "Generating JWS to sign App Store requests").
///
/// The time counts from the end of the last use: the end of its period, or its refund.
struct AgainRule: Rule {
    let id = RuleId.ruleAgain
    var requirement: String { "the last introductory offer of the group must have ended long enough ago" }

    func concerns(_ offer: Offer) -> Bool { offer.again != nil }

    func finding(_ context: RuleContext) -> Finding {
        guard let wait = context.offer.again else { return notApplicable("the offer is given once") }
        guard let group = context.question.subscriptionGroupIdentifier else { return groupUnknown }
        let uses = IntroductoryUses(in: group, of: context.subject)
        let rest = "\(wait.words) must pass before the next"
        if let pending = uses.redemptions.first(where: { $0.offerEnds == nil }) {
            return violated(
                .redeemedTooRecently, "an introductory offer of group `\(group)` waits for the next renewal; \(rest)",
                evidence: [pending.introductory], turningPoint: .event(.offerEnded))
        }
        if let endless = uses.own.first(where: { $0.payload.ends == nil }) {
            return unknown(
                "when an introductory offer of group `\(group)` ended", .expiryUnknown,
                evidence: [endless.introductory])
        }
        let ends =
            uses.own.compactMap { row in row.payload.ends.map { (end: $0, use: row.introductory) } }
            + uses.redemptions.compactMap { use in use.offerEnds.map { (end: $0, use: use.introductory) } }
        let last = ends.max { $0.end < $1.end }
        let doubt = context.subject.doubt(about: group)
        // What may be the customer's own must be over as well.
        let latest = (ends.map(\.end) + uses.doubtful.compactMap(\.payload.ends)).max()
        let isBounded = uses.doubtful.allSatisfy { $0.payload.ends != nil }
        let turningPoint =
            doubt?.bringing.map(TurningPoint.event) ?? (isBounded ? latest.map { .at($0.adding(wait)) } : nil)
        let evidence =
            last.map { last in
                [
                    last.use,
                    Evidence(
                        field: "offer.again", observed: .instant(context.now),
                        required: .instant(last.end.adding(wait))),
                ]
            } ?? []
        if let last, context.now < last.end.adding(wait) {
            return violated(
                .redeemedTooRecently,
                "the last introductory offer of group `\(group)` ended on \(last.end.day); \(rest)",
                evidence: evidence, turningPoint: turningPoint)
        }
        let recent = uses.doubtful.first { row in row.payload.ends.map { context.now < $0.adding(wait) } ?? true }
        if let recent {
            var finding = unknown(
                "whether an introductory offer of group `\(group)` was used in the last \(wait.words)",
                uses.doubt(recent), evidence: [recent.introductory])
            if let turningPoint { finding.turningPoint = turningPoint }
            return finding
        }
        if let doubt {
            return undetermined(
                doubt,
                "no introductory offer of group `\(group)` in the last \(wait.words) is known, but \(doubt.explanation)",
                evidence: evidence)
        }
        guard let last else { return satisfied("no introductory offer of group `\(group)` was ever used") }
        return satisfied(
            "the last introductory offer of group `\(group)` ended on \(last.end.day), \(wait.words) ago or more",
            evidence: evidence)
    }
}

/// The introductory offers that a subject used in a group.
private struct IntroductoryUses {
    /// Purchases of the customer's own, by date.
    let own: [Recorded<Transaction>]
    /// Uses that no purchase has to show: one that waits for the next renewal, or whose history was erased.
    let redemptions: [Redemption]
    /// Purchases that may be the customer's own in the group.
    let doubtful: [Recorded<Transaction>]
    private let isUngrouped: Bool

    init(in group: SubscriptionGroupId, of subject: Subject) {
        let ungrouped = subject.ungrouped(of: group)
        let uses = [subject.transactions(of: group), ungrouped].flatMap { rows in
            rows.indices.filter { rows[$0].payload.offerType == .introductory }.map { rows[$0] }
        }
        func isOwn(_ row: Recorded<Transaction>) -> Bool {
            row.isOwned == true
                && (row.payload.subscriptionGroupIdentifier == group
                    || subject.isProduct(row.payload.productId, of: group))
        }
        own = uses.filter(isOwn)
        doubtful = uses.filter { !isOwn($0) }
        isUngrouped = !ungrouped.isEmpty
        redemptions = subject.redemptions.filter {
            $0.offerType == .introductory && $0.subscriptionGroupIdentifier == group
                && !subject.purchases.uncertain.contains($0.originalTransactionId)
        }
    }

    func doubt(_ row: Recorded<Transaction>) -> ReasonCode {
        isUngrouped ? .groupMismatch : row.isOwned == nil ? .valueUnknown : .introductoryOfferShared
    }
}

extension Recorded<Transaction> {
    fileprivate var introductory: Evidence {
        evidence("offerType", .number(TransactionOfferType.introductory.rawValue))
    }
}

extension Redemption {
    fileprivate var introductory: Evidence {
        evidence("offerType", .number(TransactionOfferType.introductory.rawValue))
    }
}

/// No subscription of the group is active, one received through Family Sharing included: existing subscribers get
/// neither an introductory offer (Apple: "Implementing introductory offers in your app") nor a win-back offer (Apple:
/// "Supporting win-back offers").
struct NoneActiveInGroupRule: Rule {
    let id: RuleId
    let type: OfferType
    var requirement: String { "no subscription of the group may be active" }

    func concerns(_ offer: Offer) -> Bool { offer.type == type }

    func finding(_ context: RuleContext) -> Finding {
        guard let state = context.state else { return groupUnknown }
        let group = state.subscriptionGroupIdentifier
        switch state.resolution {
        case .undetermined(let reason):
            return unknown(
                "whether a subscription of group `\(group)` is active", reason, evidence: [state.evidence()])
        case .determined(let name):
            guard state.hasAccess == true, let row = state.row else {
                return satisfied(
                    "no subscription of group `\(group)` is active (state `\(name.rawValue)`)",
                    evidence: [state.evidence()])
            }
            return violated(
                .activeInGroup,
                "a subscription of group `\(group)` is active (state `\(name.rawValue)`, transaction "
                    + "`\(row.payload.transactionId)`)" + state.wayBack,
                evidence: [state.evidence()] + state.cancelled, turningPoint: context.endOfAccess(state))
        }
    }
}

extension SubscriptionState {
    /// The advice for a customer who cancelled and still has access, instead of buying again.
    fileprivate var wayBack: String {
        guard !cancelled.isEmpty, let accessEnds else { return "" }
        return "; it was cancelled and runs until \(accessEnds): renewal can be turned back on"
    }

    /// The evidence that the customer's own subscription will not renew, if so.
    fileprivate var cancelled: [Evidence] {
        guard willAutoRenew == false, isOwned == true else { return [] }
        return [Evidence(field: Evidence.willAutoRenew, observed: .boolean(false))]
    }
}

/// A transaction or app transaction that Apple signed is known, because the signed statement must name one (Apple:
/// "Generating JWS to sign App Store requests").
struct TransactionKnownRule: Rule {
    let id = RuleId.introductoryTransactionKnown
    var requirement: String { "the request or the history must have signed data of the customer" }

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding {
        let history = context.subject.history
        guard context.isProven else {
            return undetermined(
                .transactionUnknown,
                "no transaction or app transaction signed by Apple is known, and the signature must name one")
        }
        let transaction = history.transactions.last { $0.provenance.isProven } ?? history.transactions.last
        if let transaction {
            let id = transaction.payload.transactionId
            return satisfied(
                "the transaction `\(id)` is known",
                evidence: [transaction.evidence("transactionId", .text(id.rawValue))])
        }
        return satisfied(
            "an app transaction is known",
            evidence: history.appTransactions.suffix(1).map {
                Evidence(
                    field: "appTransactionId", observed: $0.payload.appTransactionId.map { .text($0.rawValue) },
                    provenance: $0.provenance)
            })
    }
}
