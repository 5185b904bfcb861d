import JSON
import OfferApplication
import OfferModel
import OfferSigning

/// A table with one row a subscription: its latest period and its status, as apps with a database of their own keep it.
///
/// It knows nothing of earlier periods, so rules about what was paid have little to go by.
struct SubscriptionColumns: ColumnMapping {
    let name = ColumnMappingName.subscriptions
    let needed = ["original_transaction_id", "product_id", "current_period_start"]

    let columns = [
        "app_account_token", "auto_renew", "billing_issue_at", "cancel_at_period_end", "canceled_at", "created_at",
        "currency", "current_period_end", "current_period_start", "environment", "grace_period", "grace_period_end",
        "id", "is_in_billing_retry", "is_trial", "offer_identifier", "offer_type", "original_transaction_id", "price",
        "product_id", "refunded_at", "status", "store", "subscription_group_identifier", "transaction_id", "trial_end",
        "trial_start", "updated_at", "user_id",
    ]

    let synonyms = UsualNames.of([
        "app_account_token": ["apple_app_account_token"],
        "auto_renew": ["auto_renew_enabled", "auto_renew_status", "is_auto_renew", "will_auto_renew", "will_renew"],
        "canceled_at": ["cancelled_at", "unsubscribed_at"],
        "current_period_end": [
            "current_period_ends_at", "ends_at", "end_date", "expiration_at", "expiration_date", "expires",
            "expires_at", "expires_date", "expires_date_ms", "expiry_date", "period_end", "subscription_expires_at",
            "valid_until",
        ],
        "current_period_start": [
            "current_period_started_at", "period_start", "purchase_date", "purchase_date_ms", "purchased_at",
            "renewed_at", "start_date", "started_at", "starts_at",
        ],
        "grace_period": ["in_grace_period", "is_in_grace_period"],
        "grace_period_end": [
            "grace_expires_at", "grace_period_end_date", "grace_period_ends_at", "grace_period_expires_at",
            "grace_period_expires_date", "grace_period_expires_date_ms", "grace_until",
        ],
        "is_in_billing_retry": ["in_billing_retry", "is_in_billing_retry_period"],
        "is_trial": ["is_trial_period"],
        "original_transaction_id": UsualNames.originalTransactionId, "product_id": UsualNames.productId,
        "status": ["subscription_status"], "subscription_group_identifier": ["subscription_group_id"],
        "transaction_id": UsualNames.transactionId,
        "trial_end": ["trial_ends_at"], "trial_start": ["trial_started_at"], "user_id": UsualNames.customerId,
    ])

    /// A table with one row a subscription and one id has that of the subscription, which stays the same.
    let standIns = ["original_transaction_id": "transaction_id"]

    func hints(_ missing: String) -> [String] {
        guard missing == "original_transaction_id" else { return [] }
        return [
            "offers are kept by Apple's ids: without one let the app send its transactions to `POST /v1/transactions`"
        ]
    }

    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8] {
        if let store = row["store"], !Self.appStores.contains(store.lowercased()) {
            throw ImportRefusal(
                .otherStore, "`store` is \(ImportRefusal.quoted(store)), and only the App Store's purchases count")
        }
        for column in needed where row[column] == nil {
            throw ImportRefusal(.malformed, "the row has no `\(row.name(of: column))`")
        }
        let (status, graceEnds) = try standing(row)
        let started = try row.time("current_period_start")
        let updated = try row.time("updated_at")
        let isMarked = try row.flag("is_trial")
        let isTrial = status == .trialing || isMarked
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("appAccountToken", row["app_account_token"])
        json.member("currency", row["currency"])
        json.member("customerId", row["user_id"])
        json.member("environment", row["environment"].map(Self.environment))
        let end = isTrial && row["current_period_end"] == nil ? "trial_end" : "current_period_end"
        json.member("expiresDate", try row.time(end))
        try addOffer(row, isTrial: isTrial, to: &json)
        json.member("originalPurchaseDate", try row.time("created_at"))
        json.member("originalTransactionId", try row.identifier("original_transaction_id"))
        if let price = try row.amount("price") { json.member("price", price) }
        json.member("productId", row["product_id"])
        json.member("purchaseDate", started)
        json.member("renewalInfo", object: try renewalInfo(row, status, graceEnds))
        var refunded = try row.time("refunded_at")
        if status == .refunded, refunded == nil { refunded = try row.time("canceled_at") ?? updated ?? started }
        json.member("revocationDate", refunded)
        json.member("signedDate", updated)
        json.member("subscriptionGroupIdentifier", try row.identifier("subscription_group_identifier"))
        let own = try row.identifier("transaction_id")
        json.member("transactionId", own ?? row["original_transaction_id"])
        json.member("type", TransactionType.autoRenewableSubscription.rawValue)
        return json.endObject()
    }

    private enum Status {
        case active
        case trialing
        case grace
        case retry
        case cancelled
        case expired
        case refunded
    }

    /// The status by its column and by those for a failed payment, and in grace until when access lasts.
    private func standing(_ row: CSVRow) throws(ImportRefusal) -> (Status?, graceEnds: Instant?) {
        var status = try status(row)
        var column = "status"
        var ends = try row.time("grace_period_end")
        if let text = row["grace_period"] {
            if let isInGrace = try? CellValue.bool(text, "grace_period") {
                if isInGrace { (status, column) = (.grace, "grace_period") }
            } else if ends == nil {
                ends = try row.time("grace_period")
            }
        }
        let isRetrying = try row.flag("is_in_billing_retry")
        if isRetrying, status != .grace { status = .retry }
        guard status == .grace, ends == nil else { return (status, ends) }
        throw ImportRefusal(
            .invalidValue,
            "`\(row.name(of: column))` is \(ImportRefusal.quoted(row[column] ?? "")), and nothing says until when access "
                + "lasts: give that in a column `grace_period_end`")
    }

    private func status(_ row: CSVRow) throws(ImportRefusal) -> Status? {
        guard let word = row["status"] else { return nil }
        switch word.lowercased() {
        // Numbers are the App Store Server API's.
        case "active", "subscribed", "1": return .active
        case "trialing", "trial", "in_trial": return .trialing
        case "grace_period", "in_grace_period", "grace", "billing_grace_period", "4": return .grace
        case "past_due", "billing_retry", "in_billing_retry", "billing_retry_period", "unpaid", "3": return .retry
        case "canceled", "cancelled": return .cancelled
        case "expired", "inactive", "ended", "lapsed", "2": return .expired
        case "refunded", "revoked", "5": return .refunded
        default: throw CellValue.wrong(word, row.name(of: "status"), "a status that docs/import.md names")
        }
    }

    private func renewalInfo(
        _ row: CSVRow, _ status: Status?, _ graceEnds: Instant?
    ) throws(ImportRefusal) -> [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        if let renews = try renews(row, status) { json.member("autoRenewStatus", renews ? 1 : 0) }
        let isFailing = status == .retry || status == .grace
        if isFailing { json.member("gracePeriodExpiresDate", graceEnds) }
        if status != nil { json.member("isInBillingRetryPeriod", isFailing) }
        return json.endObject()
    }

    /// Its own columns say it, else a cancellation, else the status; a period that just ended leaves it open.
    private func renews(_ row: CSVRow, _ status: Status?) throws(ImportRefusal) -> Bool? {
        if row["auto_renew"] != nil { return try row.flag("auto_renew") }
        if row["cancel_at_period_end"] != nil { return try !row.flag("cancel_at_period_end") }
        if try row.time("canceled_at") != nil { return false }
        switch status {
        case .cancelled, .expired, .refunded: return false
        case .active, .trialing, .grace, .retry: return true
        case nil: return nil
        }
    }

    private func addOffer(_ row: CSVRow, isTrial: Bool, to json: inout JSONWriter) throws(ImportRefusal) {
        if isTrial { json.member("offerDiscountType", OfferDiscountType.freeTrial.rawValue) }
        if let type = row["offer_type"] {
            json.member("offerIdentifier", row["offer_identifier"])
            json.member("offerType", try CellValue.integer(type, "offer_type"))
        } else if isTrial {
            json.member("offerType", Int64(TransactionOfferType.introductory.rawValue))
        }
    }

    private static let appStores: Set<String> = ["app_store", "appstore", "apple", "ios"]

    private static func environment(_ word: String) -> String {
        AppStoreEnvironment.allCases.map(\.rawValue).first { $0.lowercased() == word.lowercased() } ?? word
    }
}
