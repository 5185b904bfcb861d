public import OfferModel

/// Proves a ledger: the chain of events, the checkpoints, the rows, the state that the events make of them, and the
/// totals that they add up to.
///
/// It reads one snapshot a page at a time, so its memory does not grow with the ledger.
public struct LedgerVerification: Sendable {
    public enum CheckpointVerdict: Sendable, Hashable {
        case valid
        case unknownKey
        case invalid
    }

    public typealias CheckpointJudge = @Sendable (AuditCheckpoint) -> CheckpointVerdict

    private let digest: any Digest
    private let key: (any KeyedDigest)?
    private let judge: CheckpointJudge?

    /// - Parameters:
    ///   - key: the key of digests that the configuration names, if it names one.
    ///   - judge: the judge of signatures; without one they are not looked at.
    public init(digest: any Digest, key: (any KeyedDigest)?, judge: CheckpointJudge?) {
        self.digest = digest
        self.key = key
        self.judge = judge
    }

    /// - Parameter progress: called now and then with how much of the work is done, in thousandths.
    /// - Throws: ``BrokenRow`` for the first row that is not as it should be; ``UnknownDigestKey``; ``StoreError``.
    public func verify(
        _ transaction: any StoreTransaction, progress: @escaping (_ thousandths: Int) -> Void = { _ in }
    ) throws -> LedgerReport {
        var report = LedgerReport()
        try StoredNumberCheck(transaction).run()
        try UnseenCheck(transaction: transaction).run()
        let total = try AuditHead.read(transaction).sequence
        func tell(_ events: Int64) { progress(Int(events.saturatingMultiplied(by: 500) / max(1, total))) }
        let erased = try ChainCheck(
            transaction: transaction, digest: digest, judge: judge, progress: tell
        ).run(&report)
        try RowCheck(
            transaction: transaction, digests: try digests(transaction), erasures: erased,
            progress: { tell(total + $0) }
        ).run(&report)
        try CounterCheck(transaction: transaction).run()
        return report
    }

    /// Keyed digests by the name under which events record their key.
    private func digests(_ transaction: any StoreTransaction) throws -> (String) throws -> LedgerDigests {
        let salted = digest.keyed(by: try SaltedDigest.salt(transaction), name: SaltedDigest.name)
        let (digest, key) = (digest, key)
        return { name in
            if name == salted.name { return LedgerDigests(digest: digest, keyed: salted) }
            guard let key, key.name == name else { throw UnknownDigestKey(name: name) }
            return LedgerDigests(digest: digest, keyed: key)
        }
    }
}

/// Rows were recorded under a digest key that the configuration does not name, so they cannot be checked.
public struct UnknownDigestKey: Error, Sendable, Hashable {
    public let name: String
}

/// A row that is not what the audit says of it.
public struct BrokenRow: Error, Sendable, Hashable, Encodable {
    public let table: String
    /// The row's key: its `sequence`, `number` or id.
    public let key: String
    public let detail: String

    init(_ table: String, _ key: StoredValue, _ detail: String) {
        self.table = table
        self.key = key.shown
        self.detail = detail
    }
}

public struct LedgerReport: Sendable, Hashable {
    public internal(set) var events: Int64 = 0
    public internal(set) var head: [UInt8] = []
    /// How many rows of each table are covered.
    public internal(set) var rows: [String: Int64] = [:]
    public internal(set) var checkpoints: Int64 = 0
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

/// Finds what reading a row does not show, so that no digest could: rows under numbers that the service never gives,
/// and texts that go on after a NUL.
///
/// Both can be put in with the `sqlite3` tool. Events and rows are read by number from 1; a text is read up to its
/// first NUL, but compared whole by SQL, so that an issued offer could be kept from its limit.
struct UnseenCheck {
    let transaction: any StoreTransaction

    /// - Throws: ``BrokenRow`` for the first such row.
    func run() throws {
        try check("audit_event", key: "sequence", isNumbered: true, columns: Table.auditEvent.columns.map(\.name))
        for table in LedgerTable.all {
            try check(
                table.name, key: table.key, isNumbered: table.key == "sequence" || table.key == "number",
                columns: table.table.columns.map(\.name).filter { $0 != table.key })
        }
    }

    private func check(
        _ table: String, key: String, isNumbered: Bool, columns: [String]
    ) throws {
        if isNumbered {
            try refuse(table, key, where: "\(key) < 1", "the service numbers rows from 1; it was put in")
        }
        let goesOn = columns.compactMap { transaction.goesOnAfterNUL($0) }
        if !goesOn.isEmpty {
            try refuse(
                table, key, where: goesOn.joined(separator: " OR "),
                "a text of it goes on after U+0000, which the service never writes; the row was changed")
        }
    }

    private func refuse(_ table: String, _ key: String, where condition: String, _ detail: String) throws {
        let row = try transaction.row("SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY 1 LIMIT 1")
        if let row { throw BrokenRow(table, row.values[0], detail) }
    }
}

/// Proves that the totals under limits for all customers are the sums of issued offers and redemptions.
///
/// The audit has no events for counters: they follow from rows, which are proven before. A row of an issued offer that
/// ever counted as a use, or cost anything, has its counter; one that a grant gave may have it.
struct CounterCheck {
    let transaction: any StoreTransaction

    /// - Throws: ``BrokenRow`` for the first counter that is another, missing, or put in.
    func run() throws {
        try compare(
            "offer_counter", key: "scope_id || '/' || offer_id || '/' || unit", of: "scope_id, offer_id, unit",
            // Of what grants gave, only a redemption beyond the first counts; that it was one once, no row says.
            isDue: "CASE MAX(due) WHEN 2 THEN 1 WHEN 1 THEN MAX(stored) ELSE 0 END",
            """
            SELECT scope_id, offer_id, 'places' AS unit, SUM(places) AS sum,
                MAX(CASE WHEN grant_id IS NULL THEN 2 ELSE 1 END) AS due
            FROM issued_offer GROUP BY scope_id, offer_id
            UNION ALL
            SELECT scope_id, offer_id, cost_currency, SUM(places * cost),
                MAX(CASE WHEN cost = 0 THEN 0 WHEN grant_id IS NULL THEN 2 ELSE 1 END)
            FROM issued_offer WHERE cost_currency IS NOT NULL GROUP BY scope_id, offer_id, cost_currency
            """)
        let place = "scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id"
        try compare(
            "redemption_counter", key: place.replacing(", ", with: " || '/' || "), of: place,
            // One that has come down to nothing stays, and says the same as none.
            isDue: "MAX(stored)",
            """
            SELECT \(place), COUNT(*) AS sum, 1 AS due FROM redemption WHERE issued_offer_id IS NULL GROUP BY \(place)
            """)
    }

    private func compare(
        _ table: String, key: String, of columns: String, isDue: String, _ derived: String
    ) throws {
        let row = try transaction.row(
            """
            SELECT CAST(\(key) AS TEXT), MAX(stored), CAST(SUM(amount) AS TEXT), CAST(SUM(sum) AS TEXT) FROM (
                SELECT \(columns), amount, 0 AS sum, 1 AS stored, 0 AS due FROM \(table)
                UNION ALL
                SELECT \(columns), 0, sum, 0, due FROM (\(derived)) AS derived
            ) AS counted GROUP BY \(columns) HAVING SUM(amount) <> SUM(sum) OR MAX(stored) <> \(isDue) ORDER BY 1 LIMIT 1
            """)
        guard let row else { return }
        let (isStored, amount, sum) = (
            try row.value(1, as: Bool.self), try row.value(2, as: String.self), try row.value(3, as: String.self)
        )
        throw BrokenRow(
            table, row.values[0],
            isStored
                ? "it says \(amount), and what it counts adds up to \(sum)"
                : "it is missing; what it counts adds up to \(sum)")
    }
}
