import OfferModel

/// No introductory offer was ever used in the group (Apple: "Implementing introductory offers in your app").
///
/// A refunded, revoked or shared one counts as used: Apple does not publish its reading, and this is the safe one.
struct UnusedInGroupRule: Rule {
    let id = RuleId.introductoryUnusedInGroup

    func concerns(_ offer: Offer) -> Bool { offer.type == .introductory }

    func finding(_ context: RuleContext) -> Finding {
        guard let group = context.question.subscriptionGroupIdentifier else {
            return undetermined(.groupUnknown, "the group of the product is not known")
        }
        let used = context.subject.transactions(of: group).first { $0.payload.offerType == .introductory }
        if let used {
            return violated(
                .introductoryOfferUsed,
                "an introductory offer of group `\(group)` was used on \(used.payload.purchaseDate.day) "
                    + "(transaction `\(used.payload.transactionId)`)",
                evidence: [
                    Evidence(
                        field: "offerType", observed: .number(TransactionOfferType.introductory.rawValue),
                        provenance: used.provenance, transactionId: used.payload.transactionId)
                ])
        }
        if let pending = context.subject.redemptions.first(where: { $0.isIntroductory(in: group) }) {
            return violated(
                .introductoryOfferUsed, "an introductory offer of group `\(group)` waits for the next renewal",
                evidence: [
                    Evidence(
                        field: "offerType", observed: .number(TransactionOfferType.introductory.rawValue),
                        provenance: pending.provenance, transactionId: pending.originalTransactionId)
                ])
        }
        guard context.subject.isComplete else {
            return undetermined(
                .historyIncomplete,
                "no introductory offer of group `\(group)` is known, but the history is not known to be complete")
        }
        return satisfied("no introductory offer of group `\(group)` was ever used")
    }
}

extension Redemption {
    fileprivate func isIntroductory(in group: SubscriptionGroupId) -> Bool {
        offerType == .introductory && subscriptionGroupIdentifier == group
    }
}
