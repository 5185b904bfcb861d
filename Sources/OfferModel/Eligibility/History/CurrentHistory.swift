/// The current view of a history: one row per purchase, renewal info and app transaction.
///
/// The same for any order and any repetition of the rows (invariant 7).
struct CurrentHistory: Sendable {
    let purchases: Purchases
    /// By `originalTransactionId`. Renewal info does not name its app: one takes effect only through a transaction of
    /// its subscription (docs/design.md#history-and-state).
    let renewalInfos: [TransactionId: Recorded<RenewalInfo>]
    /// By `originalTransactionId`, the newest that a notification has told the status of, see
    /// ``RenewalInfo/notifiedStatus``.
    let notified: [TransactionId: Recorded<RenewalInfo>]
    /// By the date Apple made them, then by id.
    let appTransactions: [Recorded<AppTransaction>]

    init(_ history: History) {
        var ids = IdentifierIndexMap<IdentifierKind.Transaction>(capacity: history.transactions.count)
        purchases = Purchases(
            history.transactions.inOrderOfPurchase(
                newest(
                    history.transactions, signed: \.payload.signedDate, of: \.payload.originalTransactionId
                ) { ids.place(of: $0.payload.transactionId) }))
        var originals = IdentifierIndexMap<IdentifierKind.Transaction>(capacity: history.renewalInfos.count)
        let infos = newest(history.renewalInfos, signed: \.payload.signedDate) {
            originals.place(of: $0.payload.originalTransactionId)
        }
        renewalInfos = Dictionary(
            infos.map { (history.renewalInfos[$0].payload.originalTransactionId, history.renewalInfos[$0]) }
        ) { first, _ in first }
        // Of equal dates grace counts: what is not known is not refused.
        notified = Dictionary(
            history.renewalInfos.filter { $0.payload.notifiedStatus != nil }
                .map { ($0.payload.originalTransactionId, $0) }
        ) { first, second in
            let (known, other) = (first.payload, second.payload)
            guard known.signedDate == other.signedDate else {
                return known.signedDate < other.signedDate ? second : first
            }
            return known.notifiedStatus == .billingGracePeriod ? first : second
        }
        var apps = IndexMap<AppTransactionId?>()
        appTransactions = newest(history.appTransactions, signed: \.payload.receiptCreationDate) {
            apps.place(of: $0.payload.appTransactionId)
        }
        .map { history.appTransactions[$0] }
        .sorted {
            ($0.payload.receiptCreationDate, $0.payload.appTransactionId ?? "")
                < ($1.payload.receiptCreationDate, $1.payload.appTransactionId ?? "")
        }
    }
}

extension CurrentHistory {
    /// By purchase date, as ``Recorded/wasBought(before:)`` says.
    var transactions: [Recorded<Transaction>] { purchases.rows }
}

extension Recorded<Transaction> {
    /// The order of purchases. Of equal dates an upgraded period comes before what replaced it, then the longer period is
    /// the later one, and the id settles the rest.
    func wasBought(before other: Recorded) -> Bool {
        if payload.purchaseDate != other.payload.purchaseDate {
            return payload.purchaseDate < other.payload.purchaseDate
        }
        if payload.isUpgraded != other.payload.isUpgraded { return payload.isUpgraded }
        let (own, others) = (
            payload.expiresDate ?? payload.purchaseDate, other.payload.expiresDate ?? other.payload.purchaseDate
        )
        return own != others ? own < others : payload.transactionId.wasGiven(before: other.payload.transactionId)
    }
}

extension TransactionId {
    /// Whether Apple gave this number out earlier, as far as numbers tell: they grow.
    func wasGiven(before other: TransactionId) -> Bool {
        let (length, others) = (rawValue.utf8.count, other.rawValue.utf8.count)
        return length != others ? length < others : self < other
    }
}

extension [Recorded<Transaction>] {
    /// Those at some places, by purchase date, as `wasBought(before:)` says. Dates are sorted instead of the rows: to
    /// move a row counts its references.
    fileprivate func inOrderOfPurchase(_ places: [Int]) -> [Recorded<Transaction>] {
        var order = places.map { place in
            let bought = self[place].payload.purchaseDate
            return (bought: bought, place: place)
        }
        order.sort { left, right in
            left.bought != right.bought
                ? left.bought < right.bought : self[left.place].wasBought(before: self[right.place])
        }
        return order.map { self[$0.place] }
    }
}

/// The places of one row of each key, in the order in which the keys arrived.
///
/// - Parameters:
///   - owner: the subscription that a row is of, where rows of one key may be of several.
///   - place: the place of a row's key among those met; the next one if it was not met before.
private func newest<Payload>(
    _ rows: [Recorded<Payload>], signed: (Recorded<Payload>) -> Instant,
    of owner: (Recorded<Payload>) -> TransactionId? = { _ in nil }, place: (Recorded<Payload>) -> Int
) -> [Int] {
    var newest: [Int] = []
    newest.reserveCapacity(rows.count)
    for row in rows.indices {
        let place = place(rows[row])
        if place == newest.count {
            newest.append(row)
        } else if rows[newest[place]].isOutranked(by: rows[row], signed: signed, of: owner) {
            newest[place] = row
        }
    }
    return newest
}

extension Recorded {
    /// Proven data outranks the rest; then the newer signature, the greater subscription and the greater bytes.
    ///
    /// Subscriptions come before bytes, because rows read from facts hold no bytes. Equal bytes mean the same data, so
    /// what remains only makes the provenance shown independent of arrival.
    fileprivate func isOutranked(
        by other: Recorded, signed: (Recorded) -> Instant, of owner: (Recorded) -> TransactionId?
    ) -> Bool {
        if provenance.isProven != other.provenance.isProven { return other.provenance.isProven }
        let (own, others) = (signed(self), signed(other))
        if own != others { return own < others }
        if let mine = owner(self), let theirs = owner(other), mine != theirs { return mine < theirs }
        if payloadBytes != other.payloadBytes { return payloadBytes.lexicographicallyPrecedes(other.payloadBytes) }
        return (other.provenance.rawValue, other.sequence) < (provenance.rawValue, sequence)
    }
}
