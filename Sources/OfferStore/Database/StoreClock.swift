public import OfferModel

/// The store's own order of events, and the latest instant that anything was committed at (docs/design.md#time).
public struct StoreClock {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    public func lastInstant() throws -> Instant? {
        try marks().lastInstant
    }

    public func marks() throws -> ClockMarks {
        try state().marks
    }

    public func newestSequence() throws -> Int64 {
        try state().sequence
    }

    /// Notes that this transaction happens at an instant; an earlier one than already noted changes nothing.
    public func advance(to now: Instant) throws {
        try change { $0.marks.lastInstant = max($0.marks.lastInstant ?? now, now) }
    }

    /// Notes that data dated so was verified to Apple's own root; an earlier date than already noted changes nothing.
    public func noteSigned(at date: Instant) throws {
        try change { $0.marks.newestSignedDate = max($0.marks.newestSignedDate ?? date, date) }
    }

    /// Writes something that nothing depends on, to see whether it can be.
    public func tryWriting(at now: Instant) throws {
        try transaction.execute("UPDATE store_state SET tried_at = ?1 WHERE id = 1", now)
    }

    /// Forgets later instants than this: a clock had run ahead.
    public func reset(to now: Instant) throws {
        try change { $0.marks.lastInstant = $0.marks.lastInstant.map { min($0, now) } }
    }

    func nextSequence() throws -> Int64 {
        try change { $0.sequence += 1 }.sequence
    }

    /// The row of `store_state`, but for what nothing depends on. No other statement reads or changes it while a
    /// transaction writes: it may be newer in the transaction's memory than in the table.
    struct State: Hashable {
        var marks: ClockMarks
        var sequence: Int64
    }

    private func state() throws -> State {
        if let known = transaction.memory?.contents.clock { return known }
        let row: (Instant?, Instant?, Int64)? = try transaction.first(
            "SELECT last_instant, newest_signed_date, sequence FROM store_state WHERE id = 1")
        guard let row else { throw StoreError.corrupt("the row of `store_state` is missing") }
        let state = State(marks: ClockMarks(lastInstant: row.0, newestSignedDate: row.1), sequence: row.2)
        transaction.memory?.contents.clock = state
        return state
    }

    @discardableResult
    private func change(_ change: (inout State) -> Void) throws -> State {
        let before = try state()
        var state = before
        change(&state)
        guard state != before else { return state }
        if let memory = transaction.memory, memory.takesChanges {
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
            state.marks.lastInstant, state.sequence, state.marks.newestSignedDate)
    }
}

public struct ClockMarks: Sendable, Hashable {
    public var lastInstant: Instant?
    /// The newest date of stored data that was verified to Apple's own root.
    public var newestSignedDate: Instant?

    public init(lastInstant: Instant? = nil, newestSignedDate: Instant? = nil) {
        self.lastInstant = lastInstant
        self.newestSignedDate = newestSignedDate
    }
}
