public import OfferModel

extension History {
    /// The current view of every transaction, by purchase date: what counts of all rows (DESIGN §5.1).
    public var currentTransactions: [Recorded<Transaction>] {
        CurrentHistory(self).transactions
    }
}
