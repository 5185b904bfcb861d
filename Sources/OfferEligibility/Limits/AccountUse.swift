public import OfferModel

/// A use of an offer by another Apple Account of the app account that a request names: what limits per account count
/// besides the customer's own uses (docs/design.md#issued-offers-and-limits).
///
/// A decision keeps those that it saw, so that it can be replayed (invariant 5). They name no person.
public struct AccountUse: Sendable, Hashable {
    /// The date that counts in a window.
    public var takenAt: Instant
    /// From when it no longer counts; absent for a redemption.
    public var countsUntil: Instant?
    /// When it was redeemed; absent for an issued offer that only counts.
    public var redeemedAt: Instant?
    /// The issued offer; absent for a use that we did not issue.
    public var issuedOfferId: LowercaseUUID?

    public init(takenAt: Instant, countsUntil: Instant?, redeemedAt: Instant?, issuedOfferId: LowercaseUUID?) {
        self.takenAt = takenAt
        self.countsUntil = countsUntil
        self.redeemedAt = redeemedAt
        self.issuedOfferId = issuedOfferId
    }
}

extension PreparedSubject {
    /// The subject's uses of the offer asked for, except those known to be under another account than the one that
    /// asks.
    ///
    /// - Parameter knownOnly: whether also those are left out of which the account is not known.
    public func accountUses(_ question: Question, knownOnly: Bool = false) -> [AccountUse] {
        let context = context(question)
        return context.uses(of: CountedOffers(.thisOffer, context), at: question.now, withOpen: true)
            .filter { context.isUnderSameAccount($0) ?? !knownOnly }
            .map {
                AccountUse(
                    takenAt: $0.takenAt, countsUntil: $0.countsUntil, redeemedAt: $0.redeemedAt,
                    issuedOfferId: $0.issuedOfferId)
            }
    }
}
