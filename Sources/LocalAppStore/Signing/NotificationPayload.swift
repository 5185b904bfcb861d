import OfferModel

/// A notification spelled as Apple's `responseBodyV2DecodedPayload`: the fields a local one has.
struct NotificationPayload: Encodable {
    let notificationType: NotificationType
    let subtype: NotificationSubtype?
    let notificationUUID: String
    let version: String?
    let signedDate: Instant
    let data: Data?

    init(_ notification: AppStoreNotification) {
        notificationType = notification.notificationType
        subtype = notification.subtype
        notificationUUID = notification.notificationUUID
        version = notification.version
        signedDate = notification.signedDate
        data = notification.data.map(Data.init)
    }

    struct Data: Encodable {
        let appAppleId: Int64?
        let bundleId: BundleId?
        let environment: String?
        let signedTransactionInfo: String?
        let signedRenewalInfo: String?
        let status: SubscriptionStatus?

        init(_ data: NotificationData) {
            appAppleId = data.appAppleId
            bundleId = data.bundleId
            environment = data.environment
            signedTransactionInfo = data.signedTransactionInfo
            signedRenewalInfo = data.signedRenewalInfo
            status = data.status
        }
    }
}
