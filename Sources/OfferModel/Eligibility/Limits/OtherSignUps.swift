/// Uses that were made under a different app account than the caller's (docs/design.md#identity).
struct OtherSignUps: Sendable {
    private struct Taking {
        let place: Use
        let signUp: SignUp
        /// Of a use that we did not issue, the purchase that names the account.
        let purchase: Recorded<Transaction>?
    }

    private let takings: [Taking]
    private let isUnited: Bool

    init(_ places: [Use], _ context: RuleContext) {
        isUnited = context.subject.past.facts.isUnited
        takings = places.compactMap { place in
            let (signUp, purchase) = context.account(of: place)
            // Where there is no alias to compare, it may be the caller's own.
            guard signUp.isSame(as: context.question.signUp) == false else { return nil }
            return Taking(place: place, signUp: signUp, purchase: purchase)
        }
    }

    /// The addition to a sentence about the number of uses; empty if none was made under another sign-up.
    var clause: String {
        guard !takings.isEmpty else { return "" }
        let number = takings.count == 1 ? "one" : "\(takings.count)"
        let whose =
            isUnited ? "that the app's backend names together with this one" : "of the same Apple Account"
        // The customer remembers the newest; the evidence has them all.
        let newest = takings.max { $0.place.takenAt < $1.place.takenAt }
        return ", \(number) of the uses under another sign-up \(whose): \(newest.map(words) ?? "")"
    }

    /// The account, issued offer and date of each use.
    var evidence: [Evidence] {
        takings.flatMap { taking -> [Evidence] in
            guard let issuedOfferId = taking.place.issuedOfferId else {
                return taking.signUp.evidence(
                    below: "redemption", provenance: taking.purchase?.provenance ?? .caller,
                    transactionId: taking.purchase?.payload.transactionId)
            }
            let issuedOffer =
                taking.place.isRedeemed
                ? [Evidence(field: "issuedOffer", observed: .text(issuedOfferId.description))] : []
            return issuedOffer + [
                Evidence(field: "issuedOffer.issuedAt", observed: taking.place.issuedAt.map(EvidenceValue.instant))
            ]
                + taking.signUp.evidence(below: "issuedOffer", provenance: .caller)
        }
    }

    private func words(_ taking: Taking) -> String {
        let place = taking.place
        guard let issuedOfferId = place.issuedOfferId, let issuedAt = place.issuedAt else {
            return "\(taking.signUp.words) used it on \(place.takenAt.day)"
        }
        let use = place.isRedeemed ? " and used" : ""
        return "\(taking.signUp.words), issued on \(issuedAt.day)\(use) (issued offer `\(issuedOfferId)`)"
    }
}

extension RuleContext {
    /// Whether a use is under the account that asks; `nil` if that is not known.
    func isUnderSameAccount(_ place: Use) -> Bool? { account(of: place).signUp.isSame(as: question.signUp) }

    /// Under which account a use was made: what the issued offer was requested for, else what the purchase names.
    fileprivate func account(of place: Use) -> (signUp: SignUp, purchase: Recorded<Transaction>?) {
        let purchase = place.issuedOfferId == nil ? purchase(of: place) : nil
        return (place.signUp ?? SignUp(appAccountToken: purchase?.payload.appAccountToken), purchase)
    }

    /// The purchase by which a use is known that we did not issue.
    fileprivate func purchase(of place: Use) -> Recorded<Transaction>? {
        guard let id = place.evidence.transactionId else { return nil }
        let rows = subject.history.transactions
        let dated = rows[rows.firstPlace { $0.payload.purchaseDate >= place.takenAt }...]
            .prefix { $0.payload.purchaseDate == place.takenAt }
        // An offer that only waits for the next renewal is dated by renewal info.
        return dated.first { $0.payload.transactionId == id } ?? rows.first { $0.payload.transactionId == id }
    }
}
