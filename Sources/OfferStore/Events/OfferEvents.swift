import JSON
public import OfferModel

extension EventStore {
    /// Notes how much of a limit that all customers share an issued offer has taken: once when four fifths of it are,
    /// and once when no further use fits, for as long as the event can be read.
    ///
    /// - Parameter use: what was taken before, and what the issued offer takes.
    public func note(_ use: SharedUse, of offer: OfferId, at now: Instant, in scope: ScopeNumber) throws {
        let (taken, allowed) = (use.taken.saturatingAdding(use.asked), use.limit.allowed)
        guard taken.saturatingMultiplied(by: 5) >= allowed.saturatingMultiplied(by: 4) else { return }
        let isReached = taken.saturatingAdding(use.asked) > allowed
        var json = JSONWriter.beginObject(.short)
        json.name("allowed")
        json.write(allowed, use.limit.unit)
        json.member("limit", use.limit.unit == .places ? "total" : "budget")
        json.member("offerId", offer)
        json.name("remaining")
        json.write(max(0, allowed.saturatingSubtracting(taken)), use.limit.unit)
        json.name("taken")
        json.write(taken, use.limit.unit)
        try append(
            isReached ? .limitReached : .limitNearlyReached, of: nil,
            cause: "\(allowed) \(use.limit.unit.name) \(offer)", data: json.endObject(), at: now, in: scope)
    }

    /// Keeps that an offer was redeemed, if that is news.
    ///
    /// - Parameter offer: the catalog's id of the offer, if it is known which one was used.
    func note(_ redemption: Redemption, of offer: OfferId?, at now: Instant, in scope: ScopeNumber) throws {
        guard redemption.provenance.isProven, !redemption.originalTransactionId.isErased,
            now.milliseconds(since: redemption.firstEvidence) <= SubscriptionEvent.newsLife
        else { return }
        var json = JSONWriter.beginObject(.short)
        json.member("issuedOfferId", redemption.issuedOfferId)
        json.member("offerEndsAt", redemption.offerEnds)
        json.member("offerId", offer)
        json.member("offerIdentifier", redemption.offerIdentifier)
        json.member("offerType", redemption.offerType.name)
        json.member("originalTransactionId", redemption.originalTransactionId)
        json.member("productId", redemption.productId)
        json.member("redeemedAt", redemption.firstEvidence)
        json.member("subscriptionGroupIdentifier", redemption.subscriptionGroupIdentifier)
        json.member("transactionId", redemption.transactionId)
        let name = redemption.offerIdentifier?.rawValue ?? ""
        try append(
            .offerRedeemed, of: redemption.originalTransactionId,
            cause: "\(redemption.firstEvidence.milliseconds) \(redemption.offerType.rawValue) \(name)",
            data: json.endObject(), at: now, in: scope)
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ amount: Int64, _ unit: CounterUnit) {
        guard case .money(let currency) = unit else { return integer(amount) }
        object { json in
            json.member("amount", Money(milliunits: amount, currency: currency).amount)
            json.member("currency", currency)
        }
    }
}
