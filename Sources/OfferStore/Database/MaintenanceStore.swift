public import OfferModel

/// When an operator's work on the database last succeeded: it runs in processes of its own, and a server shows its age.
///
/// A backup does not hold its own instant, so that a restored database is as old as the backup before it.
public struct MaintenanceStore {
    public enum Work: Sendable, Hashable {
        case backup
        /// The ledger was proven.
        case proof
    }

    public struct Marks: Sendable, Hashable {
        /// Absent if the work was never done.
        public var backedUpAt: Instant?
        public var provenAt: Instant?

        public init(backedUpAt: Instant? = nil, provenAt: Instant? = nil) {
            self.backedUpAt = backedUpAt
            self.provenAt = provenAt
        }
    }

    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Notes that work has succeeded. The newest note holds, also one before the last: a clock may have run ahead.
    public func note(_ work: Work, at instant: Instant) throws {
        let column =
            switch work {
            case .backup: "backed_up_at"
            case .proof: "proven_at"
            }
        try transaction.execute("UPDATE store_state SET \(column) = ?1 WHERE id = 1", instant)
    }

    public func marks() throws -> Marks {
        let row: (Instant?, Instant?)? = try transaction.first(
            "SELECT backed_up_at, proven_at FROM store_state WHERE id = 1")
        guard let row else { throw StoreError.corrupt("the row of `store_state` is missing") }
        return Marks(backedUpAt: row.0, provenAt: row.1)
    }
}
