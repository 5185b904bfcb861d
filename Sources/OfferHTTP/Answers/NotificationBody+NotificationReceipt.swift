import OfferAPI
import OfferApplication

extension NotificationBody {
    init(_ receipt: NotificationReceipt) {
        self.init(
            notificationUUID: receipt.notificationUUID, notificationType: receipt.type, subtype: receipt.subtype,
            outcome: receipt.outcome, repeated: receipt.isRepeat)
    }
}
