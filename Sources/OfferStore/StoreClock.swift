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

    /// What the wall clock must not be far behind.
    ///
    /// - Throws: ``StoreError``.
    public func marks() throws -> ClockMarks {
        let row = try state()
        return ClockMarks(lastInstant: try row.value(0), newestSignedDate: try row.value(2))
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

    /// Notes that data dated so was verified to Apple's own root; an earlier date than already noted changes nothing.
    ///
    /// - Throws: ``StoreError``.
    public func noteSigned(at date: Instant) throws {
        try transaction.execute(
            Statement(
                """
                UPDATE store_state SET newest_signed_date = ?1
                WHERE id = 1 AND (newest_signed_date IS NULL OR newest_signed_date < ?1)
                """, date))
    }

    /// Writes something that nothing depends on, to see whether it can be.
    ///
    /// - Throws: ``StoreError``.
    public func tryWriting(at now: Instant) throws {
        try transaction.execute(Statement("UPDATE store_state SET tried_at = ?1 WHERE id = 1", now))
    }

    /// Forgets later instants than this: a clock had run ahead.
    ///
    /// - Throws: ``StoreError``.
    public func reset(to now: Instant) throws {
        try transaction.execute(
            Statement("UPDATE store_state SET last_instant = ?1 WHERE id = 1 AND last_instant > ?1", now))
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
        let row = try transaction.row(
            Statement("SELECT last_instant, sequence, newest_signed_date FROM store_state WHERE id = 1"))
        guard let row else { throw StoreError.corrupt("the row of `store_state` is missing") }
        return row
    }
}

/// The latest times a store knows of (DESIGN §5.5).
public struct ClockMarks: Sendable, Hashable {
    /// The latest instant a transaction was committed at.
    public var lastInstant: Instant?
    /// The newest date of stored data that was verified to Apple's own root.
    public var newestSignedDate: Instant?

    /// The marks of a store.
    public init(lastInstant: Instant? = nil, newestSignedDate: Instant? = nil) {
        self.lastInstant = lastInstant
        self.newestSignedDate = newestSignedDate
    }
}
