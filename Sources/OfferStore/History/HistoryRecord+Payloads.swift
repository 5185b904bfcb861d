import OfferModel

extension Transaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_transaction",
        columns: ["transaction_id", "original_transaction_id", "signed_date", "purchase_date", "expires_date"],
        viewKey: "transaction_id", viewDate: "signed_date", otherDates: ["purchase_date"],
        owner: ("original_transaction_id", "originalTransactionId"))

    var viewKey: String? { transactionId.rawValue }
    var owner: ProvenIdentifier? { .originalTransactionId(originalTransactionId) }
    var viewDate: Instant {
        get { signedDate }
        set { signedDate = newValue }
    }

    var columnValues: [StoredValue] {
        [
            transactionId.storedValue, originalTransactionId.storedValue, signedDate.storedValue,
            purchaseDate.storedValue, expiresDate.storedValue,
        ]
    }
}

extension RenewalInfo: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_renewal_info",
        columns: ["original_transaction_id", "signed_date", "app_transaction_id", "app_account_token"],
        viewKey: "original_transaction_id", viewDate: "signed_date",
        owner: ("original_transaction_id", "originalTransactionId"), needsProvenOwner: true)

    var viewKey: String? { originalTransactionId.rawValue }
    var owner: ProvenIdentifier? { .originalTransactionId(originalTransactionId) }
    var viewDate: Instant {
        get { signedDate }
        set { signedDate = newValue }
    }

    var columnValues: [StoredValue] {
        [
            originalTransactionId.storedValue, signedDate.storedValue, appTransactionId.storedValue,
            appAccountToken.storedValue,
        ]
    }

    /// When an offer was first shown as the next one is evidence for its redemption; what a notification said of grace
    /// holds until another one says otherwise.
    var isEvidence: Bool { offerType != nil || notifiedStatus != nil }

    mutating func code(with coder: inout some RecordCoder) throws {
        try visit(&coder)
        try coder.field(&notifiedStatus)
    }
}

extension AppTransaction: HistoryRecord {
    static let sql = HistorySQL(
        table: "history_app_transaction", columns: ["app_transaction_id", "receipt_creation_date"],
        viewKey: "app_transaction_id", viewDate: "receipt_creation_date",
        owner: ("app_transaction_id", "appTransactionId"))

    var viewKey: String? { appTransactionId?.rawValue }
    var owner: ProvenIdentifier? { appTransactionId.map { .appTransactionId($0) } }
    var viewDate: Instant {
        get { receiptCreationDate }
        set { receiptCreationDate = newValue }
    }

    var columnValues: [StoredValue] { [appTransactionId.storedValue, receiptCreationDate.storedValue] }
}
