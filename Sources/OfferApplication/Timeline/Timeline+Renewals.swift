import OfferEligibility
import OfferModel

extension Timeline {
    /// Renewal turned off and on, changes of product and failed payments: what differs between one renewal info of a
    /// subscription and the next. Dated by Apple's signature, the first that shows it.
    var renewalEntries: [TimelineEntry] {
        let originals = Set(history.currentTransactions.map(\.payload.originalTransactionId))
        return originals.sorted().flatMap { original -> [TimelineEntry] in
            var previous: RenewalInfo?
            return renewalInfos[original, default: []].flatMap { info in
                defer { previous = info }
                return [renewal(info, after: previous), product(info, after: previous), payment(info, after: previous)]
                    .compactMap(\.self)
            }
        }
    }

    /// Puts the renewal info of each subscription in order, once for all entries that look at it.
    static func renewalInfos(_ history: History) -> [TransactionId: [RenewalInfo]] {
        Dictionary(grouping: history.renewalInfos, by: \.payload.originalTransactionId).mapValues { rows in
            let proven = rows.filter(\.provenance.isProven)
            return (proven.isEmpty ? rows : proven).sorted {
                $0.payload.signedDate != $1.payload.signedDate
                    ? $0.payload.signedDate < $1.payload.signedDate
                    : $0.payloadBytes.lexicographicallyPrecedes($1.payloadBytes)
            }.map(\.payload)
        }
    }

    private func renewal(_ info: RenewalInfo, after previous: RenewalInfo?) -> TimelineEntry? {
        guard let status = info.status, status != previous?.status else { return nil }
        switch status {
        case .off:
            // Apple turns renewal off too, when a subscription has ended for another reason.
            guard info.expirationIntent == nil || info.expirationIntent == .customerCancelled else { return nil }
            let words = previous == nil ? "is off, by the first that is known of it" : "was turned off"
            return TimelineEntry(.cancelled, at: info.signedDate, "renewal of `\(info.productId)` \(words)")
        case .on:
            guard previous != nil else { return nil }
            return TimelineEntry(.resumed, at: info.signedDate, "renewal of `\(info.productId)` was turned on again")
        default: return nil
        }
    }

    private func product(_ info: RenewalInfo, after previous: RenewalInfo?) -> TimelineEntry? {
        let (pending, before) = (info.pendingProduct, previous?.pendingProduct)
        guard pending != before else { return nil }
        if let pending {
            return TimelineEntry(
                .productChange, at: info.signedDate,
                "the next renewal will be `\(pending)` in place of `\(info.productId)`")
        }
        guard let before, info.productId != before, info.status == .on else { return nil }
        return TimelineEntry(
            .productChange, at: info.signedDate, "the change to `\(before)` was taken back: `\(info.productId)` goes on"
        )
    }

    private func payment(_ info: RenewalInfo, after previous: RenewalInfo?) -> TimelineEntry? {
        guard info.isInBillingRetryPeriod == true, previous?.isInBillingRetryPeriod != true else { return nil }
        let grace = info.gracePeriodExpiresDate.map { "; access goes on until \($0.minute) meanwhile" } ?? ""
        return TimelineEntry(
            .paymentFailed, at: info.signedDate,
            "the renewal of `\(info.productId)` could not be charged, and Apple tries again\(grace)")
    }
}

extension RenewalInfo {
    /// Of a 12-month commitment, whether the commitment renews.
    fileprivate var status: AutoRenewStatus? { commitmentInfo?.commitmentAutoRenewStatus ?? autoRenewStatus }

    /// The product of the next renewal, if there will be one and it is another.
    fileprivate var pendingProduct: ProductId? {
        guard status == .on, let next = autoRenewProductId, next != productId else { return nil }
        return next
    }
}
