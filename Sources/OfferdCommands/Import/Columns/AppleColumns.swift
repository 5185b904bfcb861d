import JSON
import OfferApplication
import OfferModel
import OfferSigning

/// Apple's own names of a transaction's members, and those of its renewal info behind `renewalInfo.`.
struct AppleColumns: ColumnMapping {
    private enum Form {
        case text
        case integer
        case bool
        case date
    }

    private struct Column {
        var member: StaticString
        var form: Form
        var name: String

        init(_ member: StaticString, _ form: Form, within object: String = "") {
            self.member = member
            self.form = form
            name = object + member.description
        }
    }

    let columns = (Self.transaction + Self.renewalInfo).map(\.name)
    let needed = ["transactionId", "originalTransactionId", "productId", "purchaseDate"]

    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8] {
        var json = JSONWriter.beginObject(.hexadecimal)
        for column in Self.transaction { try Self.add(column, row, to: &json) }
        var renewal = JSONWriter.beginObject(.hexadecimal)
        var hasRenewal = false
        for column in Self.renewalInfo where row[column.name] != nil {
            try Self.add(column, row, to: &renewal)
            hasRenewal = true
        }
        if hasRenewal { json.member("renewalInfo", object: renewal.endObject()) }
        return json.endObject()
    }

    private static func add(
        _ column: Column, _ row: CSVRow, to json: inout JSONWriter
    ) throws(ImportRefusal) {
        guard let text = row[column.name] else { return }
        switch column.form {
        case .text: json.member(column.member, text)
        case .integer: json.member(column.member, try CellValue.integer(text, column.name))
        case .bool: json.member(column.member, try CellValue.bool(text, column.name))
        case .date: json.member(column.member, try CellValue.date(text, column.name).milliseconds)
        }
    }

    private static let transaction: [Column] = [
        Column("appAccountToken", .text), Column("appTransactionId", .text), Column("billingPlanType", .text),
        Column("bundleId", .text), Column("currency", .text), Column("customerId", .text),
        Column("environment", .text), Column("expiresDate", .date), Column("inAppOwnershipType", .text),
        Column("isUpgraded", .bool), Column("offerDiscountType", .text), Column("offerIdentifier", .text),
        Column("offerPeriod", .text), Column("offerType", .integer), Column("originalPurchaseDate", .date),
        Column("originalTransactionId", .text), Column("price", .integer), Column("productId", .text),
        Column("purchaseDate", .date), Column("quantity", .integer), Column("revocationDate", .date),
        Column("revocationPercentage", .integer), Column("revocationReason", .integer),
        Column("revocationType", .text), Column("signedDate", .date), Column("storefront", .text),
        Column("storefrontId", .text), Column("subscriptionGroupIdentifier", .text), Column("transactionId", .text),
        Column("transactionReason", .text), Column("type", .text), Column("webOrderLineItemId", .text),
    ]

    private static let renewalInfo: [Column] = [
        Column("autoRenewProductId", .text, within: "renewalInfo."),
        Column("autoRenewStatus", .integer, within: "renewalInfo."),
        Column("currency", .text, within: "renewalInfo."),
        Column("expirationIntent", .integer, within: "renewalInfo."),
        Column("gracePeriodExpiresDate", .date, within: "renewalInfo."),
        Column("isInBillingRetryPeriod", .bool, within: "renewalInfo."),
        Column("offerDiscountType", .text, within: "renewalInfo."),
        Column("offerIdentifier", .text, within: "renewalInfo."),
        Column("offerPeriod", .text, within: "renewalInfo."),
        Column("offerType", .integer, within: "renewalInfo."),
        Column("priceIncreaseStatus", .integer, within: "renewalInfo."),
        Column("recentSubscriptionStartDate", .date, within: "renewalInfo."),
        Column("renewalDate", .date, within: "renewalInfo."),
        Column("renewalPrice", .integer, within: "renewalInfo."),
        Column("signedDate", .date, within: "renewalInfo."),
    ]
}
