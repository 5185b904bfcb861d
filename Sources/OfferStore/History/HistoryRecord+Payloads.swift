import OfferModel

extension Transaction: HistoryRecord {
    static let sql = HistorySQL(
        .historyTransaction, viewKey: "transaction_id", viewDate: "signed_date", otherDates: ["purchase_date"],
        owner: ("original_transaction_id", "originalTransactionId"))

    var viewKey: String? { transactionId.rawValue }
    var owner: ProvenIdentifier? { .originalTransactionId(originalTransactionId) }
    var viewDate: Instant {
        get { signedDate }
        set { signedDate = newValue }
    }

    mutating func visit(columns: inout some ColumnVisitor) throws {
        try columns("transaction_id", &transactionId)
        try columns("original_transaction_id", &originalTransactionId)
        try columns("signed_date", &signedDate)
        try columns("purchase_date", &purchaseDate)
        try columns("expires_date", &expiresDate)
    }
}

extension RenewalInfo: HistoryRecord {
    static let sql = HistorySQL(
        .historyRenewalInfo, viewKey: "original_transaction_id", viewDate: "signed_date",
        owner: ("original_transaction_id", "originalTransactionId"), needsProvenOwner: true)

    var viewKey: String? { originalTransactionId.rawValue }
    var owner: ProvenIdentifier? { .originalTransactionId(originalTransactionId) }
    var viewDate: Instant {
        get { signedDate }
        set { signedDate = newValue }
    }

    mutating func visit(columns: inout some ColumnVisitor) throws {
        try columns("original_transaction_id", &originalTransactionId)
        try columns("signed_date", &signedDate)
        try columns("app_transaction_id", &appTransactionId)
        try columns("app_account_token", &appAccountToken)
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
        .historyAppTransaction, viewKey: "app_transaction_id", viewDate: "receipt_creation_date",
        owner: ("app_transaction_id", "appTransactionId"))

    var viewKey: String? { appTransactionId?.rawValue }
    var owner: ProvenIdentifier? { appTransactionId.map { .appTransactionId($0) } }
    var viewDate: Instant {
        get { receiptCreationDate }
        set { receiptCreationDate = newValue }
    }

    mutating func visit(columns: inout some ColumnVisitor) throws {
        try columns("app_transaction_id", &appTransactionId, ("" as ColumnRules).required)
        try columns("receipt_creation_date", &receiptCreationDate)
    }
}
