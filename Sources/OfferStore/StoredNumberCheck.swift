import OfferModel

/// Finds numbers that the service never writes in the rows that every request depends on, before a request meets them.
///
/// Every other row is held to the same bounds when it is read (``InputBounds/storedIntegers``).
public struct StoredNumberCheck {
    private let transaction: any StoreTransaction

    /// The rows as this transaction sees them.
    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Looks at the least and the greatest number of each column; those of long tables have an index.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``, naming the column and the number.
    public func run() throws {
        for (table, column) in Self.columns {
            let row = try transaction.row(
                Statement(
                    "SELECT (SELECT MIN(\(column)) FROM \(table)), (SELECT MAX(\(column)) FROM \(table))"))
            for case .integer(let number) in row?.values ?? [] where !InputBounds.storedIntegers.contains(number) {
                throw StoreError.corrupt("`\(table).\(column)` is `\(number)`, which the service never writes")
            }
        }
    }

    private static let columns = [
        ("store_state", "sequence"), ("store_state", "last_instant"), ("store_state", "newest_signed_date"),
        ("audit_event", "sequence"), ("audit_checkpoint", "number"), ("audit_checkpoint", "event_sequence"),
        ("offer_counter", "amount"), ("redemption_counter", "amount"),
        ("issued_offer", "sequence"), ("signing", "sequence"), ("refusal", "sequence"), ("scope", "generation"),
    ]
}
