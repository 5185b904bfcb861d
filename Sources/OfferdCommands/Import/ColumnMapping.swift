import AppStoreData
import JSON
import OfferApplication
import OfferModel
import OfferSigning

/// What the columns of one kind of CSV file mean.
protocol ColumnMapping: Sendable {
    /// Every column it knows, including those it ignores.
    var columns: [String] { get }
    /// Columns by other names that apps give them.
    var synonyms: [String: String] { get }
    /// Columns that a purchase needs.
    var needed: [String] { get }

    /// A purchase as JSON in Apple's spelling (docs/import.md).
    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8]
}

extension ColumnMapping {
    var synonyms: [String: String] { [:] }
}

struct PurchaseReader {
    let scope: Scope
    private let reader: ImportedTransactionReader

    init(scope: Scope, exportedAt: Instant?) {
        self.scope = scope
        reader = ImportedTransactionReader(bundleId: scope.bundleId, exportedAt: exportedAt)
    }

    func read(_ json: [UInt8]) throws(ImportRefusal) -> ImportedHistory {
        do throws(SignedDataRefusal) {
            let imported = try reader.read(json)
            return ImportedHistory(
                transactions: [imported.transaction], renewalInfos: imported.renewalInfo.map { [$0] } ?? [],
                customerId: imported.customerId)
        } catch {
            throw ImportRefusal(error.member == nil ? .malformed : .invalidValue, error.detail)
        }
    }
}

enum CellValue {
    static func integer(_ text: String, _ column: String) throws(ImportRefusal) -> Int64 {
        guard let number = Int64(text) else { throw wrong(text, column, "a whole number") }
        return number
    }

    static func bool(_ text: String, _ column: String) throws(ImportRefusal) -> Bool {
        switch text.lowercased() {
        case "true", "t", "1": return true
        case "false", "f", "0": return false
        default: throw wrong(text, column, "true or false")
        }
    }

    static func date(_ text: String, _ column: String) throws(ImportRefusal) -> Instant {
        if let milliseconds = Int64(text) { return Instant(milliseconds: milliseconds) }
        guard let instant = Instant(iso8601: text) else {
            throw wrong(text, column, "a time in milliseconds or like 2026-11-20T08:00:00Z")
        }
        return instant
    }

    /// A time as databases write it, in UTC if it has no offset: `2026-11-20 08:00:00.123456+00`.
    static func timestamp(_ text: String, _ column: String) throws(ImportRefusal) -> Instant {
        if let instant = Instant(iso8601: isoTimestamp(text)) { return instant }
        throw wrong(text, column, "a time like 2026-11-20 08:00:00")
    }

    /// An amount of money in thousandths: `3.99` is 3,990.
    static func milliunits(_ text: String, _ column: String) throws(ImportRefusal) -> Int64 {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        let isDecimal = parts.allSatisfy { part in part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard parts.count <= 2, isDecimal, parts[0].count <= 12, let whole = Int64(parts[0]), fraction.count <= 18,
            let thousandths = Int64(String((fraction + "000").prefix(3)))
        else { throw wrong(text, column, "an amount such as 3.99") }
        return whole * 1_000 + thousandths
    }

    static func wrong(_ text: String, _ column: String, _ form: String) -> ImportRefusal {
        ImportRefusal(.invalidValue, "`\(column)` is \(ImportRefusal.quoted(text)) and not \(form)")
    }

    /// `T` between date and time, at most three decimals, an offset with minutes.
    private static func isoTimestamp(_ text: String) -> String {
        var text = text.hasSuffix(" UTC") ? text.dropLast(4) : text[...]
        guard text.utf8.count >= 19 else { return String(text) }
        let day = text.prefix(10)
        text = text.dropFirst(11)
        let clock = text.prefix(8)
        text = text.dropFirst(8)
        var fraction = ""
        if text.first == "." {
            let digits = text.dropFirst().prefix { ("0"..."9").contains($0) }
            fraction = "." + digits.prefix(3)
            text = text.dropFirst(1 + digits.count)
        }
        let offset = text.isEmpty ? "Z" : text.utf8.count == 3 ? text + ":00" : text
        return "\(day)T\(clock)\(fraction)\(offset)"
    }
}

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
        Column("renewalQuantity", .integer, within: "renewalInfo."),
        Column("signedDate", .date, within: "renewalInfo."),
    ]
}

extension CSVRow {
    func time(_ column: String) throws(ImportRefusal) -> Instant? {
        guard let text = self[column] else { return nil }
        return try CellValue.timestamp(text, name(of: column))
    }

    /// An absent flag is false.
    func flag(_ column: String) throws(ImportRefusal) -> Bool {
        guard let text = self[column] else { return false }
        return try CellValue.bool(text, name(of: column))
    }
}
