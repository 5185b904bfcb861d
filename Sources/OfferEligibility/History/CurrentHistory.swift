import OfferModel

/// The current view of a history: one row per transaction, renewal info and app transaction.
///
/// The same for any order and any repetition of the rows (invariant 7).
struct CurrentHistory: Sendable {
    /// By purchase date, then by id.
    let transactions: [Recorded<Transaction>]
    /// By `originalTransactionId`; only those that belong to a transaction of the history, because renewal info does
    /// not name its app (DESIGN §5.1).
    let renewalInfos: [TransactionId: Recorded<RenewalInfo>]
    /// By the date Apple made them, then by id.
    let appTransactions: [Recorded<AppTransaction>]

    init(_ history: History) {
        transactions = newest(history.transactions, by: { $0.payload.transactionId }, signed: { $0.payload.signedDate })
            .sorted { $0.wasBought(before: $1) }
        var originals = Places<TransactionId>()
        for row in transactions { _ = originals.place(of: row.payload.originalTransactionId) }
        let known = Set(originals.keys)
        let infos = newest(
            history.renewalInfos, by: { $0.payload.originalTransactionId }, signed: { $0.payload.signedDate })
        renewalInfos = Dictionary(
            infos.filter { known.contains($0.payload.originalTransactionId) }
                .map { ($0.payload.originalTransactionId, $0) }
        ) { first, _ in first }
        appTransactions = newest(
            history.appTransactions, by: { $0.payload.appTransactionId }, signed: { $0.payload.receiptCreationDate }
        )
        .sorted {
            ($0.payload.receiptCreationDate, $0.payload.appTransactionId ?? "")
                < ($1.payload.receiptCreationDate, $1.payload.appTransactionId ?? "")
        }
    }
}

extension Recorded<Transaction> {
    /// The order of purchases; the longer period is the later one, and the id settles equal dates.
    func wasBought(before other: Recorded) -> Bool {
        if payload.purchaseDate != other.payload.purchaseDate {
            return payload.purchaseDate < other.payload.purchaseDate
        }
        let (own, others) = (
            payload.expiresDate ?? payload.purchaseDate, other.payload.expiresDate ?? other.payload.purchaseDate
        )
        return own != others ? own < others : payload.transactionId < other.payload.transactionId
    }
}

/// One row of each key, in the order in which the keys arrived.
private func newest<Payload, Key: Hashable>(
    _ rows: [Recorded<Payload>], by key: (Recorded<Payload>) -> Key, signed: (Recorded<Payload>) -> Instant
) -> [Recorded<Payload>] {
    var places: [Key: Int] = [:]
    places.reserveCapacity(rows.count)
    var newest: [Recorded<Payload>] = []
    newest.reserveCapacity(rows.count)
    for row in rows {
        let key = key(row)
        // A key is rarely met twice, so its place is taken before anybody asks whether it had one.
        guard let place = places.updateValue(newest.count, forKey: key) else {
            newest.append(row)
            continue
        }
        places[key] = place
        if newest[place].isOutranked(by: row, signed: signed) { newest[place] = row }
    }
    return newest
}

extension Recorded {
    /// Proven data outranks the rest; then the newer signature, then the greater bytes.
    ///
    /// Equal bytes mean the same data, so what remains only makes the provenance shown independent of arrival.
    fileprivate func isOutranked(by other: Recorded, signed: (Recorded) -> Instant) -> Bool {
        if provenance.isProven != other.provenance.isProven { return other.provenance.isProven }
        let (own, others) = (signed(self), signed(other))
        if own != others { return own < others }
        if payloadBytes != other.payloadBytes { return payloadBytes.lexicographicallyPrecedes(other.payloadBytes) }
        return (other.provenance.rawValue, other.sequence) < (provenance.rawValue, sequence)
    }
}
