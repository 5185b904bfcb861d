import OfferModel
import OfferSigning

extension ExpectedClaims {
    /// Each part that says whose it is must say this app's; Apple sends exactly one, and where there is none, nothing
    /// says whose the notification is.
    func check(_ notification: AppStoreNotification) throws(SignedDataRefusal) {
        guard
            notification.data != nil || notification.summary != nil || notification.externalPurchaseToken != nil
                || notification.appData != nil
        else {
            throw SignedDataRefusal(
                .wrongBundleId,
                "a notification of the type `\(notification.notificationType.rawValue)` names no app, expected "
                    + "`\(bundleId)`")
        }
        if let data = notification.data {
            try check(data.bundleId, data.appAppleId, data.environment, in: "data")
        }
        if let summary = notification.summary {
            try check(summary.bundleId, summary.appAppleId, summary.environment, in: "summary")
        }
        if let token = notification.externalPurchaseToken {
            try check(token.bundleId, token.appAppleId, in: "externalPurchaseToken")
            try check(environment: token.environment?.rawValue, member: "externalPurchaseToken.externalPurchaseId")
        }
        if let appData = notification.appData {
            try check(appData.bundleId, appData.appAppleId, appData.environment, in: "appData")
        }
    }

    private func check(
        _ bundleId: BundleId?, _ appAppleId: Int64?, _ environment: String?, in part: String
    ) throws(SignedDataRefusal) {
        try check(bundleId, appAppleId, in: part)
        try check(environment: environment, member: "\(part).environment")
    }

    /// In Production Apple names the app by its number too, and its own libraries refuse what does not.
    private func check(
        _ found: BundleId?, _ appAppleId: Int64?, in part: String
    ) throws(SignedDataRefusal) {
        guard let found else {
            throw SignedDataRefusal(.wrongBundleId, "`\(part).bundleId` is absent, expected `\(bundleId)`")
        }
        try check(bundleId: found, member: "\(part).bundleId")
        guard appAppleId != nil || environment != .production else {
            throw SignedDataRefusal(.wrongAppAppleId, "`\(part).appAppleId` is absent")
        }
        try check(appAppleId: appAppleId, member: "\(part).appAppleId")
    }
}
