import JSON
import OfferApplication
import OfferModel
import OfferSigning

/// RevenueCat's scheduled export of transactions, versions 3 to 7.
///
/// Its rows have no subscription group (the catalog tells it) and no renewal info; what it notes of a subscription's
/// end replaces it, as far as it goes.
struct RevenueCatColumns: ColumnMapping {
    /// That of the import: a development environment has no export of its own and takes any.
    let environment: AppStoreEnvironment

    let name = ColumnMappingName.revenuecat
    let needed = [
        "store", "store_transaction_id", "original_store_transaction_id", "product_identifier", "start_time",
    ]

    let columns = [
        "auto_resume_time", "billing_issues_detected_at", "commission_percentage", "country", "country_source",
        "custom_subscriber_attributes", "effective_end_time", "end_time", "entitlement_identifiers", "experiment_id",
        "experiment_variant", "experiments", "first_seen_time", "grace_period_end_time", "is_auto_renewable",
        "is_in_intro_offer_period", "is_sandbox", "is_trial_conversion", "is_trial_period", "offer", "offer_type",
        "original_store_transaction_id", "ownership_type", "platform", "presented_offering",
        "price_in_purchased_currency",
        "price_in_usd", "product_display_name", "product_duration", "product_identifier",
        "purchase_price_in_purchased_currency", "purchase_price_in_usd", "purchased_currency",
        "rc_last_seen_app_user_id_alias", "rc_original_app_user_id", "refunded_at", "renewal_number",
        "reserved_subscriber_attributes", "start_time", "store", "store_transaction_id", "takehome_percentage",
        "tax_percentage", "unsubscribe_detected_at", "updated_at",
    ]

    func hints(_ missing: String) -> [String] {
        ["if the file is RevenueCat's export of transactions, select `\(missing)` among the columns of the export"]
    }

    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8] {
        let store = row["store"] ?? ""
        guard store == "app_store" || store == "mac_app_store" else {
            throw ImportRefusal(
                .otherStore, "`store` is \(ImportRefusal.quoted(store)), and only the App Store's purchases count")
        }
        try checkEnvironment(row)
        let started = try row.time("start_time")
        let ends = try row.time("end_time")
        var json = JSONWriter.beginObject(.hexadecimal)
        if let name = Self.customerId(row) { json.member("customerId", name) }
        json.member("currency", row["purchased_currency"])
        json.member("expiresDate", ends)
        json.member("inAppOwnershipType", row["ownership_type"])
        try addOffer(row, to: &json)
        json.member("originalTransactionId", try row.identifier("original_store_transaction_id"))
        let (paid, listed) = (
            try row.amount("purchase_price_in_purchased_currency"), try row.amount("price_in_purchased_currency")
        )
        if let price = paid ?? listed { json.member("price", price) }
        json.member("productId", row["product_identifier"])
        json.member("purchaseDate", started)
        if let started, let renewal = try renewalInfo(row, from: started, to: ends) {
            json.member("renewalInfo", object: renewal)
        }
        json.member("revocationDate", try row.time("refunded_at"))
        json.member("signedDate", try row.time("updated_at"))
        json.member("transactionId", try row.identifier("store_transaction_id"))
        if try isAutoRenewable(row) { json.member("type", TransactionType.autoRenewableSubscription.rawValue) }
        return json.endObject()
    }

    /// Dated within its period, so that a later period's is newer whatever was changed in an old row.
    private func renewalInfo(
        _ row: CSVRow, from started: Instant, to ends: Instant?
    ) throws(ImportRefusal) -> [UInt8]? {
        guard let ends, try isAutoRenewable(row) else { return nil }
        let cancelled = try row.time("unsubscribe_detected_at")
        let failed = try row.time("billing_issues_detected_at")
        let grace = try row.time("grace_period_end_time")
        var json = JSONWriter.beginObject(.hexadecimal)
        json.member("autoRenewStatus", cancelled == nil ? 1 : 0)
        if failed != nil { json.member("gracePeriodExpiresDate", grace) }
        if failed != nil { json.member("isInBillingRetryPeriod", true) }
        let noticed = [started, cancelled.map { min($0, ends) } ?? started, failed ?? started].max() ?? started
        // A period may be charged for before it begins.
        json.member("signedDate", min(noticed, try row.time("updated_at") ?? noticed).milliseconds)
        return json.endObject()
    }

    private func addOffer(_ row: CSVRow, to json: inout JSONWriter) throws(ImportRefusal) {
        let isTrial = try row.flag("is_trial_period")
        let isIntroductory = try row.flag("is_in_intro_offer_period")
        var type: TransactionOfferType? = isTrial || isIntroductory ? .introductory : nil
        if let word = row["offer_type"] {
            guard let known = Self.offerTypes[word.lowercased()] else {
                throw CellValue.wrong(word, "offer_type", "a kind of offer that docs/import.md names")
            }
            type = known
        }
        if isTrial { json.member("offerDiscountType", OfferDiscountType.freeTrial.rawValue) }
        if let type {
            if type != .introductory { json.member("offerIdentifier", row["offer"]) }
            json.member("offerType", Int64(type.rawValue))
        }
    }

    private static let offerTypes: [String: TransactionOfferType] = [
        "introductory": .introductory, "introductory_offer": .introductory, "intro_offer": .introductory,
        "free_trial": .introductory, "trial": .introductory, "promotional": .promotional,
        "promotional_offer": .promotional, "offer_code": .offerCode, "promo_code": .offerCode, "win_back": .winBack,
        "winback": .winBack, "win_back_offer": .winBack, "retention": .retention, "retention_offer": .retention,
    ]

    /// The app's own name, if it has given one: RevenueCat's anonymous names mean nothing to the app.
    private static func customerId(_ row: CSVRow) -> String? {
        ["rc_last_seen_app_user_id_alias", "rc_original_app_user_id"].lazy
            .compactMap { row[$0] }.first { !$0.hasPrefix("$RCAnonymousID:") }
    }

    private func checkEnvironment(_ row: CSVRow) throws(ImportRefusal) {
        guard environment != .localTesting, row["is_sandbox"] != nil else { return }
        let isSandbox = try row.flag("is_sandbox")
        guard isSandbox != (environment == .sandbox) else { return }
        throw ImportRefusal(
            .wrongEnvironment, "`is_sandbox` is `\(isSandbox)`, and the import is for \(environment.rawValue)")
    }

    private func isAutoRenewable(_ row: CSVRow) throws(ImportRefusal) -> Bool {
        guard row["is_auto_renewable"] != nil else { return true }
        return try row.flag("is_auto_renewable")
    }
}
