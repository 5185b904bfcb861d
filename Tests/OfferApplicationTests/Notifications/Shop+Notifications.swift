import Foundation
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport

extension Shop {
    /// Signs members as Apple signs a payload.
    func signed(_ payload: [String: Any]) throws -> String {
        try root.sign(payload: Array(try JSONSerialization.data(withJSONObject: payload, options: .sortedKeys)))
    }

    /// A notification of the sandbox app about one part, signed now.
    ///
    /// - Parameters:
    ///   - members: of the part, beside the app and the environment.
    ///   - changes: of the notification itself.
    func notification(
        _ type: String, _ subtype: String? = nil, uuid: String = "00000000-0000-4000-8000-000000000001",
        part: String = "data", with members: [String: Any] = [:], changes: [String: Any] = [:]
    ) throws -> String {
        let own: [String: Any] =
            part == "externalPurchaseToken"
            ? ["bundleId": "com.example.pro", "externalPurchaseId": "SANDBOX_1"]
            : ["bundleId": "com.example.pro", "environment": "Sandbox"]
        var notification: [String: Any] = [
            "notificationType": type, "notificationUUID": uuid, "version": "2.0",
            "signedDate": clock.now.milliseconds, part: own.merging(members) { $1 },
        ]
        notification["subtype"] = subtype
        return try signed(notification.merging(changes) { $1 })
    }

    /// The notification of a row, with everything signed in it.
    func notification(_ row: NotificationRow) throws -> String {
        var members: [String: Any] = [:]
        members["signedTransactionInfo"] = try row.transaction(now: clock.now).map(signed)
        members["signedRenewalInfo"] = try row.renewalInfo(now: clock.now).map(signed)
        if row.part == "appData" {
            members["signedAppTransactionInfo"] = try signed([
                "bundleId": "com.example.pro", "receiptType": "Sandbox", "appTransactionId": "app-1",
                "receiptCreationDate": clock.now.milliseconds, "originalPurchaseDate": clock.now.milliseconds,
            ])
        }
        if row.part == "summary" { members["productId"] = "monthly" }
        return try notification(row.type, row.subtype, part: row.part, with: members)
    }
}

extension Workbench {
    static let sandbox = Scope(bundleId: "com.example.pro", environment: .sandbox)

    /// Takes a notification in as the App Store delivers it.
    @discardableResult
    func notify(
        _ signedPayload: String, of scope: Scope = Workbench.sandbox, source: NotificationSource = .delivered
    ) async throws -> NotificationBody {
        try await useCases.notifications.ingest(
            signedPayload, of: scope, source: source, author: .appStore(requestId: nil))
    }
}
