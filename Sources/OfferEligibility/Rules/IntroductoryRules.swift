import OfferModel

/// No introductory offer was ever used in the group (Apple: "Implementing introductory offers in your app").
///
/// A refunded or revoked one counts as used: Apple does not publish its reading, and this is the safe one. What the
/// family's owner used decides nothing: to refuse would take away a trial that Apple may grant.
struct UnusedInGroupRule: Rule {
    let id = RuleId.introductoryUnusedInGroup

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else { return groupUnknown }
        let subject = context.subject
        let ungrouped = subject.ungrouped(of: group)
        let uses = [subject.transactions(of: group), ungrouped].flatMap { rows in
            rows.indices.filter { rows[$0].payload.offerType == .introductory }.map { rows[$0] }
        }
        let used = uses.first { row in
            row.isOwned == true
                && (row.payload.subscriptionGroupIdentifier == group
                    || subject.isProduct(row.payload.productId, of: group))
        }
        if let used {
            return violated(
                .introductoryOfferUsed,
                "an introductory offer of group `\(group)` was used on \(used.payload.purchaseDate.day) "
                    + "(transaction `\(used.payload.transactionId)`)", evidence: [evidence(used)])
        }
        if let pending = subject.redemptions.first(where: {
            $0.isIntroductory(in: group) && !subject.purchases.uncertain.contains($0.originalTransactionId)
        }) {
            let known = pending.offerEnds == nil ? "waits for the next renewal" : "was used"
            return violated(
                .introductoryOfferUsed, "an introductory offer of group `\(group)` \(known)",
                evidence: [
                    Evidence(
                        field: "offerType", observed: .number(TransactionOfferType.introductory.rawValue),
                        provenance: pending.provenance, transactionId: pending.namedTransaction)
                ])
        }
        if let other = uses.first {
            let reason: ReasonCode =
                !ungrouped.isEmpty
                ? .groupMismatch : other.isOwned == nil ? .valueUnknown : .introductoryOfferShared
            return unknown(
                "whether an introductory offer of group `\(group)` was used", reason, evidence: [evidence(other)])
        }
        if let doubt = subject.doubt(about: group) {
            return undetermined(doubt, "no introductory offer of group `\(group)` is known, but \(doubt.explanation)")
        }
        return satisfied("no introductory offer of group `\(group)` was ever used")
    }

    private func evidence(_ row: Recorded<Transaction>) -> Evidence {
        row.evidence("offerType", .number(TransactionOfferType.introductory.rawValue))
    }
}

extension Redemption {
    fileprivate func isIntroductory(in group: SubscriptionGroupId) -> Bool {
        offerType == .introductory && subscriptionGroupIdentifier == group
    }
}

/// No subscription of the group is active: existing subscribers never get an introductory offer (Apple: "Implementing
/// introductory offers in your app").
struct NotSubscribedRule: Rule {
    let id = RuleId.introductoryNotSubscribed

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding { noneActiveInGroup(context) }
}

extension Rule {
    func noneActiveInGroup(_ context: RuleContext) -> Finding {
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
                evidence: [state.evidence()], turningPoint: context.endOfAccess(state))
        }
    }
}

extension SubscriptionState {
    /// What a customer who cancelled and still has access can do instead of buying again.
    fileprivate var wayBack: String {
        guard willAutoRenew == false, isOwned == true, let accessEnds else { return "" }
        return "; it was cancelled and runs until \(accessEnds): renewal can be turned back on"
    }
}

/// A transaction or app transaction that Apple signed is known, because the signed statement must name one (Apple:
/// "Generating JWS to sign App Store requests").
struct TransactionKnownRule: Rule {
    let id = RuleId.introductoryTransactionKnown

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
