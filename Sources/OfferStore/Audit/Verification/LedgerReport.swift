/// A row that is not what the audit says of it.
public struct BrokenRow: Error, Sendable, Hashable {
    /// The table.
    public let table: String
    /// The row's key: its `sequence`, `number` or id.
    public let key: String
    /// What differs, for people.
    public let detail: String

    init(_ table: String, _ key: StoredValue, _ detail: String) {
        self.table = table
        self.key = key.shown
        self.detail = detail
    }
}

/// What was proven of a ledger without a broken row.
public struct LedgerReport: Sendable, Hashable {
    /// How many events the chain has.
    public internal(set) var events: Int64 = 0
    /// The newest event's hash.
    public internal(set) var head: [UInt8] = []
    /// How many rows of each table are covered.
    public internal(set) var rows: [String: Int64] = [:]
    /// How many checkpoints there are.
    public internal(set) var checkpoints: Int64 = 0
    /// The newest checkpoint.
    public internal(set) var newestCheckpoint: AuditCheckpoint?
    /// How many events follow what it signs, its own not counted.
    public internal(set) var unsignedEvents: Int64 = 0
    /// How many events took their digests with the random bytes in the database after the service had told of a key.
    public internal(set) var saltedEvents: Int64 = 0
}

extension StoredValue {
    /// The value for people; not for what could be personal.
    var shown: String {
        switch self {
        case .null: "null"
        case .integer(let integer): String(integer)
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
