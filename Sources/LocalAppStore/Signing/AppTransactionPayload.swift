import OfferModel

/// An app transaction spelled as Apple's `JWSAppTransactionDecodedPayload`: the fields a local one has.
struct AppTransactionPayload: Encodable {
    let receiptType: String?
    let bundleId: BundleId
    let appAppleId: Int64?
    let appTransactionId: AppTransactionId?
    let applicationVersion: String?
    let originalApplicationVersion: String?
    let originalPurchaseDate: Instant?
    let receiptCreationDate: Instant

    init(_ appTransaction: AppTransaction) {
        receiptType = appTransaction.receiptType
        bundleId = appTransaction.bundleId
        appAppleId = appTransaction.appAppleId
        appTransactionId = appTransaction.appTransactionId
        applicationVersion = appTransaction.applicationVersion
        originalApplicationVersion = appTransaction.originalApplicationVersion
        originalPurchaseDate = appTransaction.originalPurchaseDate
        receiptCreationDate = appTransaction.receiptCreationDate
    }
}
