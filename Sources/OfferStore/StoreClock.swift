public import OfferModel

/// The store's own order of events, and the latest instant that anything was committed at (DESIGN §5.5).
public struct StoreClock {
    private let transaction: any StoreTransaction

    /// The clock as this transaction sees it.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The latest instant a transaction was committed at; `nil` in a new database.
    ///
    /// - Throws: ``StoreError``.
    public func lastInstant() throws -> Instant? {
        try state().value(0)
    }

    /// The number of the newest event.
    ///
    /// - Throws: ``StoreError``.
    public func newestSequence() throws -> Int64 {
        try state().value(1)
    }

    /// Notes that this transaction happens at an instant; an earlier one than already noted changes nothing.
    ///
    /// - Throws: ``StoreError``.
    public func advance(to now: Instant) throws {
        try transaction.execute(
            Statement(
                "UPDATE store_state SET last_instant = ?1 WHERE id = 1 AND (last_instant IS NULL OR last_instant < ?1)",
                now))
    }

    /// Takes the next number in the store-wide order.
    ///
    /// - Throws: ``StoreError``.
    func nextSequence() throws -> Int64 {
        let row = try transaction.row(
            Statement("UPDATE store_state SET sequence = sequence + 1 WHERE id = 1 RETURNING sequence"))
        guard let row else { throw StoreError.corrupt("the row of `store_state` is missing") }
        return try row.value(0)
    }

    private func state() throws -> StoredRow {
        let row = try transaction.row(Statement("SELECT last_instant, sequence FROM store_state WHERE id = 1"))
        guard let row else { throw StoreError.corrupt("the row of `store_state` is missing") }
        return row
    }
}
