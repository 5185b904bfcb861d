/// Apple's signed app transaction: proof that an Apple Account has the app, even without a purchase.
public struct AppTransaction: Sendable, Hashable {
    /// The app.
    public var bundleId: BundleId
    /// Apple's number of the app; absent outside Production.
    public var appAppleId: Int64?
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// When the app was first obtained.
    public var originalPurchaseDate: Instant?
    /// The version first obtained.
    public var originalApplicationVersion: String?
    /// The version that asked for this.
    public var applicationVersion: String?
    /// When Apple made it; the payload's signing date.
    public var receiptCreationDate: Instant
    /// The environment named inside the signed payload (Apple's `receiptType`); checked, never chosen from.
    public var receiptType: String?

    /// An app transaction with the fields every one of them has; the others start absent.
    public init(bundleId: BundleId, receiptCreationDate: Instant) {
        self.bundleId = bundleId
        self.receiptCreationDate = receiptCreationDate
    }
}
