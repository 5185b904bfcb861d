import OfferModel

/// When a customer was first seen: the earliest of the date the app was obtained, the first purchase, and the date we
/// first stored them (docs/design.md#decisions).
struct FirstSeen: Sendable {
    let date: Instant
    /// How the row that shows it reached us; absent for our own record.
    let provenance: Provenance?
    let transactionId: TransactionId?
    /// Whether an app transaction says when the app was obtained; without one, that may have been earlier.
    let isObtainedKnown: Bool

    /// `nil` for somebody of whom nothing is known.
    init?(_ history: CurrentHistory, purchases: OwnPurchases, firstStoredAt: Instant?) {
        let obtained = history.appTransactions.compactMap { row in
            row.payload.originalPurchaseDate.map { (date: $0, provenance: row.provenance) }
        }
        .min { ($0.date, $0.provenance.rawValue) < ($1.date, $1.provenance.rawValue) }
        let bought = purchases.first
        let dates = [obtained?.date, bought?.date, firstStoredAt].compactMap(\.self)
        guard let earliest = dates.min() else { return nil }
        date = earliest
        isObtainedKnown = obtained != nil
        if let obtained, obtained.date == earliest {
            provenance = obtained.provenance
            transactionId = nil
        } else if let bought, bought.date == earliest {
            provenance = history.transactions[bought.row].provenance
            transactionId = history.transactions[bought.row].payload.transactionId
        } else {
            provenance = nil
            transactionId = nil
        }
    }
}
