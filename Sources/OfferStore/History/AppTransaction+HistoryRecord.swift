import OfferModel

extension AppTransaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_app_transaction",
        columns: [
            "bundle_id", "app_apple_id", "app_transaction_id", "original_purchase_date",
            "original_application_version", "application_version", "receipt_creation_date", "receipt_type",
        ],
        viewKey: "app_transaction_id", viewDate: "receipt_creation_date",
        owner: ("app_transaction_id", "appTransactionId"))

    var viewKey: String? { appTransactionId?.rawValue }
    var viewDate: Instant { receiptCreationDate }

    var columnValues: [StoredValue] {
        [
            bundleId.storedValue, appAppleId.storedValue, appTransactionId.storedValue,
            originalPurchaseDate.storedValue, originalApplicationVersion.storedValue, applicationVersion.storedValue,
            receiptCreationDate.storedValue, receiptType.storedValue,
        ]
    }

    init(reading row: inout RowReader) throws {
        let bundleId: BundleId = try row.next()
        let appAppleId: Int64? = try row.next()
        let appTransactionId: AppTransactionId? = try row.next()
        let originalPurchaseDate: Instant? = try row.next()
        let originalApplicationVersion: String? = try row.next()
        let applicationVersion: String? = try row.next()
        self.init(bundleId: bundleId, receiptCreationDate: try row.next())
        self.appAppleId = appAppleId
        self.appTransactionId = appTransactionId
        self.originalPurchaseDate = originalPurchaseDate
        self.originalApplicationVersion = originalApplicationVersion
        self.applicationVersion = applicationVersion
        receiptType = try row.next()
    }
}
