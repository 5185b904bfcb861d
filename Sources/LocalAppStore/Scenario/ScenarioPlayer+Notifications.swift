import OfferModel
import OpenSSLCrypto

// What the App Store tells, and when.
extension ScenarioPlayer {
    /// Tells of a subscription as it stands, with its latest transaction unless another is meant.
    mutating func notify(
        _ index: Int, _ type: NotificationType, _ subtype: NotificationSubtype? = nil, at instant: Instant,
        transaction place: Int? = nil
    ) {
        let date = max(instant, subscriptions[index].lastSigned.adding(milliseconds: 1))
        subscriptions[index].lastSigned = date
        var notification = notification(type, subtype, at: date)
        notification.data?.status = subscriptions[index].status(at: date)
        var transaction = (place ?? subscriptions[index].transactions.last).map { transactions[$0] }
        transaction?.signedDate = date
        notifications.append(
            PlayedNotification(
                notification, transaction: transaction,
                renewalInfo: subscriptions[index].renewalInfo(of: scenario, signedAt: date)))
    }

    mutating func play(_ step: ScenarioStep.Test, _ path: String) throws(ScenarioError) {
        let instant = step.at.instant(now: now)
        try happen(at: instant, path)
        notifications.append(PlayedNotification(notification(.test, nil, at: instant)))
    }

    /// Tells of what time alone has brought until then: the end after a cancellation, the end of grace.
    mutating func settle(before instant: Instant) {
        for index in subscriptions.indices {
            let subscription = subscriptions[index]
            guard !subscription.isRevoked, subscription.endedBecause == nil else { continue }
            if let graceEnds = subscription.failedPayment?.graceEnds, graceEnds < instant,
                subscription.failedPayment?.graceIsOver == false
            {
                subscriptions[index].failedPayment?.graceIsOver = true
                notify(index, .gracePeriodExpired, at: graceEnds.adding(milliseconds: 1))
            }
            if !subscription.autoRenews, !subscription.hasLapsed, subscription.expiresDate < instant {
                subscriptions[index].hasLapsed = true
                notify(index, .expired, .voluntary, at: subscription.expiresDate.adding(milliseconds: 1))
            }
        }
    }

    private mutating func notification(
        _ type: NotificationType, _ subtype: NotificationSubtype?, at date: Instant
    ) -> AppStoreNotification {
        var notification = AppStoreNotification(
            notificationType: type, notificationUUID: nextNotificationUUID(), signedDate: date)
        notification.subtype = subtype
        notification.version = "2.0"
        var data = NotificationData()
        data.bundleId = scenario.bundleId
        data.environment = scenario.environment.rawValue
        data.appAppleId = scenario.environment == .sandbox ? nil : scenario.appAppleId
        notification.data = data
        return notification
    }

    /// Ids follow from the scenario alone, from the step and its place in it: played again, it gives the same ones.
    private mutating func nextNotificationUUID() -> String {
        notificationsOfStep += 1
        let name = [
            "notification", scenario.bundleId.rawValue, scenario.environment.rawValue, idPrefix, stepPath,
            String(notificationsOfStep),
        ]
        let digest = OpenSSLDigest().sha256(Array(name.joined(separator: "\n").utf8))
        return LowercaseUUID(version4From: Array(digest.prefix(16))).description
    }
}
