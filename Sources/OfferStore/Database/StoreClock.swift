public import OfferModel

/// The store's own order of events, and the latest instant that anything was committed at (docs/design.md#time).
public struct StoreClock {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// The latest instant a transaction was committed at; `nil` in a new database.
    public func lastInstant() throws -> Instant? {
        try state().lastInstant
    }

    /// What the wall clock must not be far behind.
    public func marks() throws -> ClockMarks {
        let state = try state()
        return ClockMarks(lastInstant: state.lastInstant, newestSignedDate: state.newestSignedDate)
    }

    public func newestSequence() throws -> Int64 {
        try state().sequence
    }

    /// Notes that this transaction happens at an instant; an earlier one than already noted changes nothing.
    public func advance(to now: Instant) throws {
        try change { $0.lastInstant = max($0.lastInstant ?? now, now) }
    }

    /// Notes that data dated so was verified to Apple's own root; an earlier date than already noted changes nothing.
    public func noteSigned(at date: Instant) throws {
        try change { $0.newestSignedDate = max($0.newestSignedDate ?? date, date) }
    }

    /// Writes something that nothing depends on, to see whether it can be.
    public func tryWriting(at now: Instant) throws {
        try transaction.execute("UPDATE store_state SET tried_at = ?1 WHERE id = 1", now)
    }

    /// Forgets later instants than this: a clock had run ahead.
    public func reset(to now: Instant) throws {
        try change { $0.lastInstant = $0.lastInstant.map { min($0, now) } }
    }

    /// Takes the next number in the store-wide order.
    func nextSequence() throws -> Int64 {
        try change { $0.sequence += 1 }.sequence
    }
}

extension StoreClock {
    /// The row of `store_state`, but for what nothing depends on. No other statement reads or changes it while a
    /// transaction writes: it may be newer in the transaction's memory than in the table.
    struct State: Hashable {
        var lastInstant: Instant?
        var sequence: Int64
        var newestSignedDate: Instant?
    }

    private func state() throws -> State {
        if let known = transaction.memory?.contents.clock { return known }
        let row = try transaction.row("SELECT last_instant, sequence, newest_signed_date FROM store_state WHERE id = 1")
        guard let row else { throw StoreError.corrupt("the row of `store_state` is missing") }
        let state = State(
            lastInstant: try row.value(0), sequence: try row.value(1), newestSignedDate: try row.value(2))
        transaction.memory?.contents.clock = state
        return state
    }

    @discardableResult
    private func change(_ change: (inout State) -> Void) throws -> State {
        let before = try state()
        var state = before
        change(&state)
        guard state != before else { return state }
        if let memory = transaction.memory {
            memory.contents.clock = state
            memory.contents.isClockChanged = true
        } else {
            try write(state)
        }
        return state
    }

    func write(_ state: State) throws {
        try transaction.execute(
            "UPDATE store_state SET last_instant = ?1, sequence = ?2, newest_signed_date = ?3 WHERE id = 1",
            state.lastInstant, state.sequence, state.newestSignedDate)
    }
}

/// The latest times a store knows of (docs/design.md#time).
public struct ClockMarks: Sendable, Hashable {
    public var lastInstant: Instant?
    /// The newest date of stored data that was verified to Apple's own root.
    public var newestSignedDate: Instant?

    public init(lastInstant: Instant? = nil, newestSignedDate: Instant? = nil) {
        self.lastInstant = lastInstant
        self.newestSignedDate = newestSignedDate
    }
}
