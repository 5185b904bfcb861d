public import OfferModel

/// How much a store holds.
public struct StoreCensus: Sendable, Hashable {
    /// Customers, merged ones included.
    public var customers: Int
    /// Transactions, renewal infos and app transactions, every version of each.
    public var history: Int
    /// Catalog revisions.
    public var catalogRevisions: Int
    /// Issued offers.
    public var issuedOffers: Int
    /// Signatures.
    public var signatures: Int
    /// Decisions.
    public var decisions: Int
    /// The latest instant a transaction was committed at.
    public var lastInstant: Instant?

    /// Counts everything, which reads the smallest index of each table from end to end.
    ///
    /// - Throws: ``StoreError``.
    public static func read(_ transaction: any StoreTransaction) throws -> StoreCensus {
        func count(_ table: String) throws -> Int {
            try transaction.row(Statement("SELECT COUNT(*) FROM \(table)"))?.value(0) ?? 0
        }
        let history = ["history_transaction", "history_renewal_info", "history_app_transaction"]
        return StoreCensus(
            customers: try count("customer"), history: try history.map(count).reduce(0, +),
            catalogRevisions: try count("catalog_revision"), issuedOffers: try count("issued_offer"),
            signatures: try count("signature"), decisions: try count("decision"),
            lastInstant: try transaction.row(Statement("SELECT last_instant FROM store_state WHERE id = 1"))?.value(0))
    }
}
