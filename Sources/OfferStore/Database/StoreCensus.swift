public import OfferModel

public struct StoreCensus: Sendable, Hashable {
    public var customers: Int
    /// Transactions, renewal infos and app transactions, every version of each.
    public var history: Int
    public var catalogRevisions: Int
    public var issuedOffers: Int
    public var signatures: Int
    public var decisions: Int
    public var lastInstant: Instant?

    /// Counts everything, which reads the smallest index of each table from end to end.
    public static func read(_ transaction: any StoreTransaction) throws -> StoreCensus {
        func count(_ table: String) throws -> Int {
            try transaction.first("SELECT COUNT(*) FROM \(table)") ?? 0
        }
        let lastInstant: Instant?? = try transaction.first("SELECT last_instant FROM store_state WHERE id = 1")
        let history = ["history_transaction", "history_renewal_info", "history_app_transaction"]
        return StoreCensus(
            customers: try count("customer"), history: try history.map(count).reduce(0, +),
            catalogRevisions: try count("catalog_revision"), issuedOffers: try count("issued_offer"),
            signatures: try count("signature"), decisions: try count("decision"),
            lastInstant: lastInstant ?? nil)
    }
}

/// Finds numbers that the service never writes in the rows that every request depends on, before a request meets them.
///
/// Every other row is held to the same bounds when it is read (``InputBounds/storedIntegers``).
public struct StoredNumberCheck {
    private let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Looks at the least and the greatest number of each column; those of long tables have an index.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``, naming the column and the number.
    public func run() throws {
        for (table, column) in Self.columns {
            let row = try transaction.row(
                "SELECT (SELECT MIN(\(column)) FROM \(table)), (SELECT MAX(\(column)) FROM \(table))")
            for case .integer(let number) in row?.values ?? [] where !InputBounds.storedIntegers.contains(number) {
                throw StoreError.corrupt("`\(table).\(column)` is `\(number)`, which the service never writes")
            }
        }
    }

    private static let columns = [
        ("store_state", "sequence"), ("store_state", "last_instant"), ("store_state", "newest_signed_date"),
        ("store_state", "backed_up_at"), ("store_state", "proven_at"),
        ("audit_event", "sequence"), ("audit_checkpoint", "number"), ("audit_checkpoint", "event_sequence"),
        ("offer_counter", "amount"), ("redemption_counter", "amount"),
        ("issued_offer", "sequence"), ("signing", "sequence"), ("refusal", "sequence"), ("scope", "generation"),
    ]
}
