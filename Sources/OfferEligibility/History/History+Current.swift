public import OfferModel

extension History {
    /// The current view of every transaction, by purchase date: what counts of all rows (docs/design.md#history-and-state).
    public var currentTransactions: [Recorded<Transaction>] {
        CurrentHistory(self).transactions
    }
}
