import Foundation
import OfferModel
import Testing

/// One type of notification, what is known before it comes, and what must be known after it: a row of
/// `notification-types.json`.
///
/// `@20` is 20 days after the notification; a member that is `null` is taken out. `before` absent means a monthly
/// subscription bought ten days ago, `null` nothing at all.
struct NotificationRow: Sendable, CustomTestStringConvertible {
    /// Where the rows that are known before are dated, in days.
    private static let signedBefore = "@-9"

    let type: String
    let subtype: String?
    /// Whether Apple has no such type yet.
    let isInvented: Bool
    /// The member of the notification that names the app.
    let part: String
    let outcome: NotificationOutcome
    private let json: Data

    var testDescription: String { subtype.map { "\(type) / \($0)" } ?? type }

    static let all: [NotificationRow] = {
        guard let url = Bundle.module.url(forResource: "Fixtures/notification-types", withExtension: "json"),
            let data = try? Data(contentsOf: url),
            let rows = (try? JSONSerialization.jsonObject(with: data)) as? [[String: Any]]
        else { return [] }
        return rows.compactMap(NotificationRow.init)
    }()

    private init?(_ row: [String: Any]) {
        guard let type = row["type"] as? String,
            let outcome = (row["outcome"] as? String).flatMap(NotificationOutcome.init),
            let json = try? JSONSerialization.data(withJSONObject: row)
        else { return nil }
        self.type = type
        self.outcome = outcome
        self.json = json
        subtype = row["subtype"] as? String
        isInvented = row["isInvented"] as? Bool ?? false
        part = row["part"] as? String ?? "data"
    }

    private var row: [String: Any] {
        ((try? JSONSerialization.jsonObject(with: json)) as? [String: Any]) ?? [:]
    }

    /// A value of the row that must hold afterwards; `nil` for `null`.
    func expected<Value>(_ name: String, as: Value.Type) -> Value? { row[name] as? Value }

    /// Whether the row says anything about it.
    func speaks(of name: String) -> Bool { row[name] != nil }

    /// A moment of the row, seen from the notification's.
    func instant(_ name: String, now: Instant) -> Instant? {
        (row[name] as? String).flatMap { Self.instant($0, now: now) }
    }

    /// What is known before, as payloads.
    func before(now: Instant) -> (transaction: [String: Any], renewalInfo: [String: Any])? {
        if row["before"] is NSNull { return nil }
        let before = row["before"] as? [String: Any] ?? [:]
        return (
            transaction: Self.resolved(
                Self.transaction, [before["transaction"], ["signedDate": Self.signedBefore]], now: now),
            renewalInfo: Self.resolved(
                Self.renewalInfo, [before["renewalInfo"], ["signedDate": Self.signedBefore]], now: now)
        )
    }

    /// The transaction that comes with the notification.
    func transaction(now: Instant) -> [String: Any]? {
        payload("transaction", Self.transaction, now: now)
    }

    /// The renewal info that comes with it.
    func renewalInfo(now: Instant) -> [String: Any]? {
        payload("renewalInfo", Self.renewalInfo, now: now)
    }

    private func payload(_ name: String, _ base: [String: Any], now: Instant) -> [String: Any]? {
        guard let changes = row[name] else { return nil }
        let before = (row["before"] as? [String: Any])?[name]
        return Self.resolved(base, [before, changes, ["signedDate": "@0"]], now: now)
    }

    private static func resolved(_ base: [String: Any], _ changes: [Any?], now: Instant) -> [String: Any] {
        var payload = base
        for case let change as [String: Any] in changes { payload.merge(change) { $1 } }
        return payload.compactMapValues { value -> Any? in
            if value is NSNull { return nil }
            guard let text = value as? String, let instant = instant(text, now: now) else { return value }
            return instant.milliseconds
        }
    }

    private static func instant(_ text: String, now: Instant) -> Instant? {
        guard text.hasPrefix("@"), let days = Int64(text.dropFirst()) else { return nil }
        return now.adding(milliseconds: days * Instant.Duration.day)
    }

    private static var transaction: [String: Any] {
        [
            "transactionId": "1001", "originalTransactionId": "1001", "bundleId": "com.example.pro",
            "productId": "monthly", "subscriptionGroupIdentifier": "21500001", "purchaseDate": "@-10",
            "originalPurchaseDate": "@-10", "expiresDate": "@20", "quantity": 1,
            "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", "transactionReason": "PURCHASE",
            "environment": "Sandbox", "appTransactionId": "app-1", "price": 9_990, "currency": "USD",
        ]
    }

    private static var renewalInfo: [String: Any] {
        [
            "originalTransactionId": "1001", "productId": "monthly", "autoRenewProductId": "monthly",
            "autoRenewStatus": 1, "isInBillingRetryPeriod": false, "renewalDate": "@20", "renewalPrice": 9_990,
            "currency": "USD", "environment": "Sandbox", "appTransactionId": "app-1",
        ]
    }
}
