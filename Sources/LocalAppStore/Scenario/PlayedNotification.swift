public import OfferModel

/// A notification that the App Store would send, before anything is signed.
public struct PlayedNotification: Sendable, Hashable {
    /// What it says; the signed texts inside of its data are still absent.
    public var notification: AppStoreNotification
    /// The transaction it is about, as it was then.
    public var transaction: Transaction?
    /// The subscription's renewal info, as it was then.
    public var renewalInfo: RenewalInfo?

    init(_ notification: AppStoreNotification, transaction: Transaction? = nil, renewalInfo: RenewalInfo? = nil) {
        self.notification = notification
        self.transaction = transaction
        self.renewalInfo = renewalInfo
    }
}
