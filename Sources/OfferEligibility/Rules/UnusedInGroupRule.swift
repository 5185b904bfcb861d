import OfferModel

/// No introductory offer was ever used in the group (Apple: "Implementing introductory offers in your app").
///
/// A refunded or revoked one counts as used: Apple does not publish its reading, and this is the safe one. What the
/// family's owner used decides nothing: to refuse would take away a trial that Apple may grant.
struct UnusedInGroupRule: Rule {
    let id = RuleId.introductoryUnusedInGroup

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        let subject = context.subject
        let outsiders = subject.outsiders(of: group)
        let uses = [subject.transactions(of: group), outsiders].flatMap { rows in
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
                    + "(transaction `\(used.payload.transactionId)`)", evidence: evidence(used))
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
                !outsiders.isEmpty
                ? .groupMismatch : other.isOwned == nil ? .valueUnknown : .introductoryOfferShared
            return undetermined(
                reason,
                "whether an introductory offer of group `\(group)` was used is not known: "
                    + reason.explanation, evidence: evidence(other))
        }
        if let doubt = subject.doubt(about: group) {
            return undetermined(doubt, "no introductory offer of group `\(group)` is known, but \(doubt.explanation)")
        }
        return satisfied("no introductory offer of group `\(group)` was ever used")
    }

    private func evidence(_ row: Recorded<Transaction>) -> [Evidence] {
        [
            Evidence(
                field: "offerType", observed: .number(TransactionOfferType.introductory.rawValue),
                provenance: row.provenance, transactionId: row.payload.transactionId)
        ]
    }
}

extension Redemption {
    fileprivate func isIntroductory(in group: SubscriptionGroupId) -> Bool {
        offerType == .introductory && subscriptionGroupIdentifier == group
    }
}
