import OfferModel

/// Reads `customer.owns.<productId>` and `customer.purchases.<productId>`: facts of one product outside subscription
/// groups.
///
/// Presence decides at once; what is absent, and counts that could be greater, need a complete history (invariant 3).
struct ProductFactReader {
    private let subject: Subject
    /// By purchase date.
    private let rows: [Recorded<Transaction>]

    init(subject: Subject, product: ProductId) {
        self.subject = subject
        rows = (subject.past.otherPurchases[product] ?? []).map { subject.history.transactions[$0] }
    }

    /// What was shared is owned too, as in ``PurchasedProduct/isOwned``.
    var owned: Fact {
        if let kept = rows.last(where: \.isKept) {
            return Fact(.known(.boolean(true)), from: kept, change: .any(.transactionReceived))
        }
        return Fact(
            incompleteness.map(Fact.Knowledge.undetermined) ?? .known(.boolean(false)), from: rows.last,
            change: .any(.transactionReceived))
    }

    /// A refund takes a purchase away and its reversal brings it back, so the count may also shrink.
    var purchases: Fact {
        let kept = rows.filter(\.isKept)
        let own = kept.filter { $0.isOwned == true }
        let doubt = kept.contains { $0.isOwned == nil } ? .valueUnknown : incompleteness
        return Fact(.number(Double(own.count), doubt: doubt), from: own.last, change: .any(.transactionReceived))
    }

    private var incompleteness: ReasonCode? { subject.isComplete ? nil : .historyIncomplete }
}
