/// Apple's transactions as purchases: one row a purchase, even if Apple reported it under several ids.
///
/// Developers report one purchase with two `transactionId`s and one `webOrderLineItemId`, which Apple calls the key of a
/// purchase. A restored product has a new id too, and the `originalTransactionId` of its purchase. Whatever the newest
/// copy says holds for the purchase, a refund under one id or its reversal under another included
/// (docs/eligibility.md#purchases-and-copies).
public struct Purchases: Sendable {
    /// By purchase date, as ``Recorded/wasBought(before:)`` says.
    public let rows: [Recorded<Transaction>]
    /// Every id of the purchases that have several, by the id that its row has.
    private let idsOfCopies: [TransactionId: [TransactionId]]

    /// - Parameter transactions: one row an id, by purchase date.
    init(_ transactions: [Recorded<Transaction>]) {
        guard transactions.needsGrouping else {
            rows = transactions
            idsOfCopies = [:]
            return
        }
        var ids: [TransactionId: [TransactionId]] = [:]
        let purchases = transactions.groupedByPurchase.compactMap { copies -> Recorded<Transaction>? in
            guard copies.count > 1 else { return copies.first }
            let purchase = copies.max { $0.isOutranked(byCopy: $1) }?.standingFor(copies)
            if let id = purchase?.payload.transactionId { ids[id] = copies.map(\.payload.transactionId) }
            return purchase
        }
        rows = ReplacedPeriods(in: purchases.sorted { $0.wasBought(before: $1) }).rows
        idsOfCopies = ids
    }

    /// Every id that Apple reported the purchase under.
    public func ids(of purchase: Recorded<Transaction>) -> [TransactionId] {
        idsOfCopies[purchase.payload.transactionId] ?? [purchase.payload.transactionId]
    }

    /// The purchase that has this id among others.
    public func purchase(_ id: TransactionId) -> Recorded<Transaction>? {
        let shown = idsOfCopies.first { $0.value.contains(id) }?.key ?? id
        return rows.first { $0.payload.transactionId == shown }
    }
}

extension [Recorded<Transaction>] {
    /// Whether there may be copies of a purchase, or a period that another one replaced: something overlaps, was
    /// restored, or was cancelled by what may have been an upgrade. Few histories have any.
    fileprivate var needsGrouping: Bool {
        var subscriptions = IndexMap<TransactionId>()
        var ends: [Instant] = []
        for row in self {
            guard let expires = row.payload.expiresDate else {
                if row.isRestored { return true }
                continue
            }
            if row.payload.revocationDate != nil, !row.provenance.isProven { return true }
            let subscription = subscriptions.place(of: row.payload.originalTransactionId)
            if subscription == ends.count { ends.append(.distantPast) }
            let bought = row.payload.purchaseDate
            if bought < ends[subscription] || expires <= bought { return true }
            ends[subscription] = expires
        }
        return false
    }

    /// The copies of each purchase: what has a line item first, because the rest may be a copy of that.
    fileprivate var groupedByPurchase: [[Recorded<Transaction>]] {
        var purchases: [[Recorded<Transaction>]] = []
        var places: [PurchaseKey: Int] = [:]
        for row in filter({ $0.lineItem != nil }) + filter({ $0.lineItem == nil }) {
            let keys = row.purchaseKeys
            let place =
                keys.known.lazy.compactMap { places[$0] }.first { purchases[$0].first.map(row.overlaps) ?? true }
                ?? purchases.count
            if place == purchases.count { purchases.append([]) }
            purchases[place].append(row)
            for key in keys.own where places[key] == nil { places[key] = place }
        }
        return purchases
    }
}

/// The key that two copies of a purchase have in common.
private enum PurchaseKey: Hashable {
    case id(TransactionId)
    case lineItem(String, ProductId, of: TransactionId)
    case restored(ProductId, of: TransactionId)
    case begins(Instant, ProductId, of: TransactionId)
}

extension Recorded<Transaction> {
    /// The key of the purchase of a subscription; Xcode writes `0` for all.
    fileprivate var lineItem: String? {
        guard let item = payload.webOrderLineItemId, !item.isEmpty, item != "0", isSubscription else { return nil }
        return item
    }

    /// Whether seats were added in its period: then each transaction of the period is a purchase of its own, whatever line
    /// item it has (Apple: `additionalTransactionReason`).
    fileprivate var addsSeats: Bool { payload.additionalTransactionReason == .seatAddition }

    fileprivate var isRestored: Bool {
        payload.type == .nonConsumable && payload.transactionId != payload.originalTransactionId
    }

    /// By which keys another copy of its purchase is known, and by which they know this one.
    fileprivate var purchaseKeys: (known: [PurchaseKey], own: [PurchaseKey]) {
        let (original, product) = (payload.originalTransactionId, payload.productId)
        if payload.type == .nonConsumable {
            let key = PurchaseKey.restored(product, of: original)
            return ([key], [key])
        }
        guard isSubscription else {
            let key = PurchaseKey.id(payload.transactionId)
            return ([key], [key])
        }
        // No two periods of a product begin at the same moment.
        let period = PurchaseKey.begins(payload.purchaseDate, product, of: original)
        guard let item = lineItem.map({ PurchaseKey.lineItem($0, product, of: original) }) else {
            return ([period], [period])
        }
        return (addsSeats ? [period] : [item], [item, period])
    }

    /// Whether both can be the same period: a line item that periods after each other have in common is none of Apple's.
    fileprivate func overlaps(_ other: Recorded) -> Bool {
        guard let ends = payload.expiresDate, let otherEnds = other.payload.expiresDate,
            payload.purchaseDate != other.payload.purchaseDate
        else { return true }
        return payload.purchaseDate < otherEnds && other.payload.purchaseDate < ends
    }

    /// Whether another copy of the purchase outranks it: proven data before the rest, then the newer signature.
    fileprivate func isOutranked(byCopy other: Recorded) -> Bool {
        if provenance.isProven != other.provenance.isProven { return other.provenance.isProven }
        if payload.signedDate != other.payload.signedDate { return payload.signedDate < other.payload.signedDate }
        if isKept != other.isKept { return isKept }
        if payload.isUpgraded != other.payload.isUpgraded { return other.payload.isUpgraded }
        return payload.transactionId.wasGiven(before: other.payload.transactionId)
    }

    /// This newest copy as the row of the purchase, with the same id whichever copy is the newest.
    fileprivate func standingFor(_ copies: [Recorded]) -> Recorded {
        let equals = copies.filter { $0.provenance.isProven == provenance.isProven }.map(\.payload)
        var purchase = payload
        purchase.subscriptionGroupIdentifier =
            payload.subscriptionGroupIdentifier ?? equals.lazy.compactMap(\.subscriptionGroupIdentifier).min()
        purchase.purchaseDate = equals.reduce(payload.purchaseDate) { min($0, $1.purchaseDate) }
        let first = equals.map(\.transactionId).min { $0.wasGiven(before: $1) }
        let isOriginal = equals.contains { $0.transactionId == payload.originalTransactionId }
        purchase.transactionId = isOriginal ? payload.originalTransactionId : first ?? payload.transactionId
        return with(purchase)
    }

    func with(_ changed: Transaction) -> Recorded {
        Recorded(payload: changed, payloadBytes: payloadBytes, provenance: provenance, sequence: sequence)
    }
}
