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
        let current = newest(history.transactions, by: \.transactionId, signed: \.signedDate)
        transactions = current.values.sorted { $0.payload.purchaseOrder < $1.payload.purchaseOrder }
        let known = Set(transactions.map(\.payload.originalTransactionId))
        renewalInfos = newest(history.renewalInfos, by: \.originalTransactionId, signed: \.signedDate)
            .filter { known.contains($0.key) }
        appTransactions = newest(history.appTransactions, by: \.appTransactionId, signed: \.receiptCreationDate)
            .values.sorted {
                ($0.payload.receiptCreationDate, $0.payload.appTransactionId ?? "")
                    < ($1.payload.receiptCreationDate, $1.payload.appTransactionId ?? "")
            }
    }
}

extension Transaction {
    /// Sorts by what was bought later; the id settles equal dates.
    var purchaseOrder: (Instant, Instant, TransactionId) {
        (purchaseDate, expiresDate ?? purchaseDate, transactionId)
    }
}

private func newest<Payload, Key: Hashable>(
    _ rows: [Recorded<Payload>], by key: (Payload) -> Key, signed: (Payload) -> Instant
) -> [Key: Recorded<Payload>] {
    Dictionary(rows.map { (key($0.payload), $0) }) { first, second in
        first.isOutranked(by: second, signed: signed) ? second : first
    }
}

extension Recorded {
    /// Proven data outranks the rest; then the newer signature, then the greater bytes.
    ///
    /// Equal bytes mean the same data, so what remains only makes the provenance shown independent of arrival.
    fileprivate func isOutranked(by other: Recorded, signed: (Payload) -> Instant) -> Bool {
        if provenance.isProven != other.provenance.isProven { return other.provenance.isProven }
        let (own, others) = (signed(payload), signed(other.payload))
        if own != others { return own < others }
        if payloadBytes != other.payloadBytes { return payloadBytes.lexicographicallyPrecedes(other.payloadBytes) }
        return (other.provenance.rawValue, other.sequence) < (provenance.rawValue, sequence)
    }
}
