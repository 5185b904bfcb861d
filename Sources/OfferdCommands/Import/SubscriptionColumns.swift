import JSON
import OfferApplication
import OfferModel
import OfferSigning

/// A table with one row a subscription: its latest period and its status, as apps with a database of their own keep it.
///
/// It knows nothing of earlier periods, so rules about what was paid have little to go by.
struct SubscriptionColumns: ColumnMapping {
    let needed = ["original_transaction_id", "product_id", "current_period_start"]

    let columns = [
        "app_account_token", "auto_renew", "billing_issue_at", "cancel_at_period_end", "canceled_at", "created_at",
        "currency", "current_period_end", "current_period_start", "environment", "grace_period_end", "id",
        "is_trial", "offer_identifier", "offer_type", "original_transaction_id", "price", "product_id", "refunded_at",
        "status",
        "store", "transaction_id", "trial_end", "trial_start", "updated_at", "user_id",
    ]

    let synonyms = [
        "auto_renew_enabled": "auto_renew", "auto_renew_status": "auto_renew", "cancelled_at": "canceled_at",
        "expires_at": "current_period_end", "expires_date": "current_period_end",
        "grace_period_ends_at": "grace_period_end", "is_trial_period": "is_trial",
        "purchase_date": "current_period_start", "purchased_at": "current_period_start",
        "trial_ends_at": "trial_end", "trial_started_at": "trial_start", "will_renew": "auto_renew",
    ]

    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8] {
        if let store = row["store"], !Self.appStores.contains(store.lowercased()) {
            throw ImportRefusal(
                .otherStore, "`store` is \(ImportRefusal.quoted(store)), and only the App Store's purchases count")
        }
        for column in needed where row[column] == nil {
            throw ImportRefusal(.malformed, "the row has no `\(row.name(of: column))`")
        }
        let status = try status(row)
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
        json.member("originalTransactionId", row["original_transaction_id"])
        if let price = row["price"] { json.member("price", try CellValue.milliunits(price, "price")) }
        json.member("productId", row["product_id"])
        json.member("purchaseDate", started)
        json.member("renewalInfo", object: try renewalInfo(row, status))
        var refunded = try row.time("refunded_at")
        if status == .refunded, refunded == nil { refunded = try row.time("canceled_at") ?? updated ?? started }
        json.member("revocationDate", refunded)
        json.member("signedDate", updated)
        json.member("transactionId", row["transaction_id"] ?? row["original_transaction_id"])
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

    private func status(_ row: CSVRow) throws(ImportRefusal) -> Status? {
        guard let word = row["status"] else { return nil }
        switch word.lowercased() {
        case "active": return .active
        case "trialing", "trial", "in_trial": return .trialing
        case "grace_period", "in_grace_period": return .grace
        case "past_due", "billing_retry", "in_billing_retry", "unpaid": return .retry
        case "canceled", "cancelled": return .cancelled
        case "expired", "inactive", "ended": return .expired
        case "refunded", "revoked": return .refunded
        default: throw CellValue.wrong(word, "status", "a status that docs/import.md names")
        }
    }

    private func renewalInfo(_ row: CSVRow, _ status: Status?) throws(ImportRefusal) -> [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        if let renews = try renews(row, status) { json.member("autoRenewStatus", renews ? 1 : 0) }
        let isFailing = status == .retry || status == .grace
        if isFailing { json.member("gracePeriodExpiresDate", try row.time("grace_period_end")) }
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
