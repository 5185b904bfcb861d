import OfferModel

extension AppTransaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_app_transaction", columns: ["app_transaction_id", "receipt_creation_date"],
        viewKey: "app_transaction_id", viewDate: "receipt_creation_date",
        owner: ("app_transaction_id", "appTransactionId"))

    static var empty: AppTransaction { AppTransaction(bundleId: "", receiptCreationDate: Instant(milliseconds: 0)) }

    var viewKey: String? { appTransactionId?.rawValue }
    var owner: ProvenIdentifier? { appTransactionId.map { .appTransactionId($0) } }
    var viewDate: Instant {
        get { receiptCreationDate }
        set { receiptCreationDate = newValue }
    }

    var columnValues: [StoredValue] { [appTransactionId.storedValue, receiptCreationDate.storedValue] }

    mutating func code(with coder: inout some FactsCoder) throws {
        try coder.field(&bundleId)
        try coder.field(&appAppleId)
        try coder.field(&appTransactionId)
        try coder.field(&originalPurchaseDate)
        try coder.field(&originalApplicationVersion)
        try coder.field(&applicationVersion)
        try coder.field(&receiptType)
    }
}
