public import OfferModel

/// What the evidence of a use says of the issued offer behind it, where that may be another customer's.
///
/// A V1 signature is bound to an `appAccountToken`, not to an Apple Account: any account that buys with that token can
/// use it.
public struct RedemptionClaim: Sendable, Hashable {
    /// The accounts that Apple signed with the use.
    public let tokens: Set<AppAccountToken>
    /// The earliest moment at which the customer can have used the signature. An offer that waited for a renewal was
    /// taken in the period before; when exactly, Apple does not say.
    public let since: Instant
    /// The place of its first evidence in the store-wide order: a signature made later cannot be behind it.
    public let knownFrom: Int64
}

extension History {
    /// What the evidence of a use of a signed offer says; `nil` if Apple signed no account with it.
    ///
    /// To be asked of every row ever stored, because a newer one may name another account.
    public func claim(of redemption: Redemption) -> RedemptionClaim? {
        guard redemption.offerType == .promotional else { return nil }
        let periods = transactions.filter {
            $0.provenance.isProven && $0.payload.originalTransactionId == redemption.originalTransactionId
        }
        let used = periods.filter { $0.payload.transactionId == redemption.transactionId }
        let end = used.map(\.payload.purchaseDate).max() ?? .distantFuture
        let shown = renewalInfos.filter { row in
            row.provenance.isProven && row.payload.originalTransactionId == redemption.originalTransactionId
                && row.payload.offerType == .promotional && row.payload.offerIdentifier == redemption.offerIdentifier
                && redemption.firstEvidence <= row.payload.signedDate && row.payload.signedDate < end
        }
        let tokens = used.compactMap(\.payload.appAccountToken) + shown.compactMap(\.payload.appAccountToken)
        guard !tokens.isEmpty, let knownFrom = (used.map(\.sequence) + shown.map(\.sequence)).min() else { return nil }
        return RedemptionClaim(
            tokens: Set(tokens), since: earliest(redemption, used: used, periods: periods), knownFrom: knownFrom)
    }

    private func earliest(
        _ redemption: Redemption, used: [Recorded<Transaction>], periods: [Recorded<Transaction>]
    ) -> Instant {
        let evidence = redemption.firstEvidence
        let isBought = used.contains {
            $0.payload.purchaseDate == evidence && $0.payload.transactionReason == .purchase
        }
        if isBought { return evidence }
        let before = periods.lazy.map(\.payload.purchaseDate).filter { $0 < evidence }.max()
        return before ?? periods.compactMap(\.payload.originalPurchaseDate).min().map { min($0, evidence) } ?? evidence
    }
}
