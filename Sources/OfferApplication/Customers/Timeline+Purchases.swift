import OfferAPI
import OfferModel

extension Timeline {
    /// Purchases, renewals, ends and revocations, from the current view of each transaction.
    var purchaseEntries: [TimelineEntry] {
        let purchases = history.purchases
        let subscriptions = Dictionary(grouping: purchases.rows, by: \.payload.originalTransactionId)
        let views = Dictionary(grouping: history.transactions, by: \.payload.transactionId)
        return purchases.rows.flatMap { row -> [TimelineEntry] in
            let others = subscriptions[row.payload.originalTransactionId] ?? []
            let seen = purchases.ids(of: row).flatMap { views[$0] ?? [] }
            return [bought(row, among: others)] + ended(row, among: others) + reversed(row, views: seen)
                + seatsRefunded(seen)
        }
    }

    private func bought(_ row: Recorded<Transaction>, among others: [Recorded<Transaction>]) -> TimelineEntry {
        let transaction = row.payload
        let earlier = others.last { $0.payload.purchaseDate < transaction.purchaseDate }
        let previous = earlier?.payload
        let isAddition = earlier.map(row.isOfSamePeriod) ?? false
        let (kind, verb): (TimelineEntry.Kind, String) =
            if transaction.isOwned == false, previous == nil {
                (
                    .shared,
                    transaction.inAppOwnershipType == .assigned
                        ? "was assigned by an organization or a group" : "came through Family Sharing"
                )
            } else if previous == nil, transaction.transactionId == transaction.originalTransactionId {
                (.purchased, "was bought")
            } else if isAddition {
                (.seats, "got \(transaction.seats ?? "1 seat") more")
            } else if transaction.transactionReason == .purchase {
                (
                    .purchased,
                    previous?.isUpgraded == true
                        ? "replaced `\(previous?.productId ?? "")`" : "was bought again"
                )
            } else {
                (.renewed, "was renewed")
            }
        let seats = isAddition ? "" : transaction.seats.map { " with \($0)" } ?? ""
        let price = transaction.paid.map { " for \($0)" } ?? ""
        return TimelineEntry(
            kind, at: transaction.purchaseDate,
            "\(transaction.name) \(verb)\(seats)\(transaction.offerWords)\(price) (\(transaction.reference)\(row.provenance.remark))"
        )
    }

    private func ended(_ row: Recorded<Transaction>, among others: [Recorded<Transaction>]) -> [TimelineEntry] {
        let transaction = row.payload
        if let revoked = transaction.revocationDate {
            return [TimelineEntry(.revoked, at: revoked, "\(row.revocationWords) (\(transaction.reference))")]
        }
        guard let expires = transaction.expiresDate else { return [] }
        let next = others.first { $0.payload.purchaseDate > transaction.purchaseDate }?.payload.purchaseDate
        // What was said of this end, and not of a later one.
        let infos = renewalInfos[transaction.originalTransactionId, default: []].filter { info in
            info.signedDate >= expires && next.map { info.signedDate < $0 } ?? true
        }
        let end = infos.compactMap(\.gracePeriodExpiresDate).reduce(expires, max)
        guard end <= now, next.map({ $0 > end }) ?? true else { return [] }
        let reason = infos.last { $0.expirationIntent != nil }?.expirationIntent?.words
        return [
            TimelineEntry(
                .expired, at: end,
                "\(transaction.name) expired\(reason.map { ": \($0)" } ?? "") (\(transaction.reference))")
        ]
    }

    /// A refund that an earlier view shows and the current one does not.
    private func reversed(
        _ row: Recorded<Transaction>, views: [Recorded<Transaction>]
    ) -> [TimelineEntry] {
        guard row.payload.revocationDate == nil, row.provenance.isProven,
            views.contains(where: { $0.provenance.isProven && $0.payload.revocationDate != nil })
        else { return [] }
        return [
            TimelineEntry(
                .refundReversed, at: row.payload.signedDate,
                "Apple reversed the refund of \(row.payload.name) (\(row.payload.reference))")
        ]
    }

    /// Refunds of seats, which leave the transaction valid: what differs between one view of it and the next.
    private func seatsRefunded(_ views: [Recorded<Transaction>]) -> [TimelineEntry] {
        var refunded = 0
        let proven = views.filter(\.provenance.isProven).map(\.payload)
        return proven.sorted { ($0.signedDate, $0.refundedSeats) < ($1.signedDate, $1.refundedSeats) }.compactMap {
            let known = $0.refundedSeats
            defer { refunded = known }
            guard known > refunded else { return nil }
            return TimelineEntry(
                .seats, at: $0.signedDate,
                "Apple has refunded \(known) of \($0.seats ?? "the seats") of \($0.name) (\($0.reference))")
        }
    }
}

extension Transaction {
    fileprivate var name: String { "`\(productId)`" }

    fileprivate var reference: String { "transaction \(transactionId)" }

    fileprivate var refundedSeats: Int { multiSeatInfo?.revokedSeatQuantity ?? 0 }

    /// The number of seats of a multiseat plan; `nil` for any other purchase.
    fileprivate var seats: String? {
        guard type == .autoRenewableSubscription, let quantity, quantity > 1 || multiSeatInfo != nil else { return nil }
        return quantity == 1 ? "1 seat" : "\(quantity) seats"
    }

    /// The amount charged, if Apple states one.
    fileprivate var paid: Money? {
        guard let price, price > 0, let currency else { return nil }
        return Money(milliunits: price, currency: currency)
    }

    fileprivate var offerWords: String {
        let named = offerIdentifier.map { " `\($0)`" } ?? ""
        switch offerType {
        case nil: return ""
        case .introductory?:
            return offerDiscountType == .freeTrial ? " with a free trial" : " with the introductory offer"
        case .promotional?: return " with the offer\(named)"
        case .offerCode?: return " with the offer code\(named)"
        case .winBack?: return " with the win-back offer\(named)"
        case .retention?: return " with the retention offer\(named)"
        case let unknown?: return " with an offer of type \(unknown.rawValue)\(named)"
        }
    }

    /// - Parameter isRefund: whether it is known to be one.
    fileprivate func revocationWords(isRefund: Bool) -> String {
        switch revocationType {
        case .familyRevoke?: return "access to \(name) through Family Sharing ended"
        case _ where inAppOwnershipType == .assigned, .assignmentRevoke?:
            return "the seat that gave access to \(name) was taken away"
        case .refundProrated?:
            let part = revocationPercentage.map { " \($0 / 1_000) % of" } ?? " a part of"
            return "Apple refunded\(part) \(name)\(reasonWords)"
        default:
            guard isOwned == false else {
                return isRefund ? "Apple refunded \(name)\(reasonWords)" : "Apple took back \(name)"
            }
            return "access to \(name) through Family Sharing ended"
        }
    }

    private var reasonWords: String { revocationReason == 1 ? " because of an issue in the app" : "" }
}

extension Recorded<Transaction> {
    fileprivate var revocationWords: String { payload.revocationWords(isRefund: isRefund == true) }
}

extension ExpirationIntent {
    fileprivate var words: String? {
        switch self {
        case .customerCancelled: "auto-renew was off"
        case .billingError: "the payment failed"
        case .priceIncreaseNotConsented: "a higher price was not accepted"
        case .productNotAvailable: "the product was no longer for sale"
        default: nil
        }
    }
}

extension Timeline {
    /// Renewal turned off and on, changes of product and of seats, and failed payments: what differs between one renewal info of a
    /// subscription and the next. Dated by Apple's signature, the first that shows it.
    var renewalEntries: [TimelineEntry] {
        let originals = Set(history.purchases.rows.map(\.payload.originalTransactionId))
        return originals.sorted().flatMap { original -> [TimelineEntry] in
            var previous: RenewalInfo?
            return renewalInfos[original, default: []].flatMap { info in
                defer { previous = info }
                return [
                    renewal(info, after: previous), product(info, after: previous), payment(info, after: previous),
                    seats(info, after: previous),
                ].compactMap(\.self)
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
            let words = previous == nil ? "is off (first seen on this date)" : "was turned off"
            return TimelineEntry(.cancelled, at: info.signedDate, "auto-renew of `\(info.productId)` \(words)")
        case .on:
            guard previous != nil else { return nil }
            return TimelineEntry(.resumed, at: info.signedDate, "auto-renew of `\(info.productId)` was turned on again")
        default: return nil
        }
    }

    private func product(_ info: RenewalInfo, after previous: RenewalInfo?) -> TimelineEntry? {
        let (pending, before) = (info.pendingProduct, previous?.pendingProduct)
        guard pending != before else { return nil }
        if let pending {
            return TimelineEntry(
                .productChange, at: info.signedDate,
                "the next renewal will be `\(pending)` instead of `\(info.productId)`")
        }
        guard let before, info.productId != before, info.status == .on else { return nil }
        return TimelineEntry(
            .productChange, at: info.signedDate,
            "the change to `\(before)` was undone: `\(info.productId)` continues"
        )
    }

    /// The first renewal info has nothing to compare with: its seats are usually those just bought.
    private func seats(_ info: RenewalInfo, after previous: RenewalInfo?) -> TimelineEntry? {
        guard let previous, let next = info.renewalQuantity, next != previous.renewalQuantity else { return nil }
        let before = previous.renewalQuantity.map { " instead of \($0)" } ?? ""
        return TimelineEntry(
            .seats, at: info.signedDate,
            "the next renewal of `\(info.productId)` will be for \(next) \(next == 1 ? "seat" : "seats")\(before)")
    }

    private func payment(_ info: RenewalInfo, after previous: RenewalInfo?) -> TimelineEntry? {
        guard info.isInBillingRetryPeriod == true, previous?.isInBillingRetryPeriod != true else { return nil }
        let grace = info.gracePeriodExpiresDate.map { "; access continues until \($0.minute)" } ?? ""
        return TimelineEntry(
            .paymentFailed, at: info.signedDate,
            "the renewal of `\(info.productId)` could not be charged; Apple will try again\(grace)")
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
