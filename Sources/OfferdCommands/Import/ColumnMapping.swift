import AppStoreData
import JSON
import OfferApplication
import OfferModel
import OfferSigning

/// The meaning of the columns of one kind of CSV file.
protocol ColumnMapping: Sendable {
    /// Every column it knows, including those it ignores.
    var columns: [String] { get }
    /// Columns by other names that apps give them.
    var synonyms: [String: String] { get }
    var needed: [String] { get }
    /// Columns that are taken for a needed one that the file lacks, which is said.
    var standIns: [String: String] { get }
    var name: ColumnMappingName { get }

    func hints(_ missing: String) -> [String]

    /// A purchase as JSON in Apple's spelling (docs/import.md).
    func purchase(_ row: CSVRow) throws(ImportRefusal) -> [UInt8]
}

/// The mappings, by the names of `--mapping`.
enum ColumnMappingName: String, CaseIterable {
    case apple
    case revenuecat
    case subscriptions

    func columns(in scope: Scope) -> any ColumnMapping {
        switch self {
        case .apple: AppleColumns()
        case .revenuecat: RevenueCatColumns(environment: scope.environment)
        case .subscriptions: SubscriptionColumns()
        }
    }
}

extension ColumnMapping {
    var synonyms: [String: String] { [:] }
    var standIns: [String: String] { [:] }

    func hints(_ missing: String) -> [String] { [] }
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
        case "true", "t", "yes", "1": return true
        case "false", "f", "no", "0": return false
        default: throw wrong(text, column, "true or false")
        }
    }

    static func date(_ text: String, _ column: String) throws(ImportRefusal) -> Instant {
        if let instant = try sinceEpoch(text, column) ?? Instant(iso8601: text) { return instant }
        throw wrong(text, column, "a time in milliseconds or seconds since 1970, or like 2026-11-20T08:00:00Z")
    }

    /// A time as databases write it, in UTC if it has no offset: `2026-11-20 08:00:00.123456+00`.
    static func timestamp(_ text: String, _ column: String) throws(ImportRefusal) -> Instant {
        if let instant = try sinceEpoch(text, column) ?? Instant(iso8601: isoTimestamp(text)) { return instant }
        throw wrong(text, column, "a time like 2026-11-20 08:00:00, or in milliseconds or seconds since 1970")
    }

    /// Milliseconds or seconds, which cannot be mistaken for each other: what is read as seconds would, as milliseconds,
    /// be before 1974.
    private static func sinceEpoch(_ text: String, _ column: String) throws(ImportRefusal) -> Instant? {
        guard !isRounded(text) else {
            throw wrong(text, column, "exact: \(rounded)")
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Int64(parts[0]) else { return nil }
        let isSeconds = seconds.contains(whole)
        guard parts.count > 1 else { return Instant(milliseconds: isSeconds ? whole * 1_000 : whole) }
        let fraction = parts[1]
        guard isSeconds, areDigits(fraction),
            let milliseconds = Int64(String((fraction + "00").prefix(3)))
        else { return nil }
        return Instant(milliseconds: whole * 1_000 + milliseconds)
    }

    private static let seconds: Range<Int64> = 1_000_000_000..<100_000_000_000

    private static let rounded = "a spreadsheet has rounded it, so export it again and do not open it in one"

    /// A long number as a spreadsheet writes it: `4.30001E+14`.
    static func isRounded(_ text: String) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard parts.count == 2, parts[0].first.map(isDigit) == true else { return false }
        let fraction = parts[0].dropFirst()
        guard fraction.isEmpty || fraction.first == "." || fraction.first == "," else { return false }
        let exponent = parts[1].first == "+" ? parts[1].dropFirst() : parts[1]
        return fraction.dropFirst().allSatisfy(isDigit) && areDigits(exponent)
    }

    static func areDigits(_ text: some StringProtocol) -> Bool { !text.isEmpty && text.allSatisfy(isDigit) }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    /// An id of Apple's as it is.
    ///
    /// - Throws: for one that a program took for a number and wrote otherwise.
    static func identifier(_ text: String, _ column: String) throws(ImportRefusal) -> String {
        guard !isRounded(text) else {
            throw wrong(text, column, "an id: \(rounded)")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count != 2 || !areDigits(parts[0]) || !areDigits(parts[1]) else {
            throw wrong(text, column, "an id: a program has made a decimal of it, so export it again as text")
        }
        return text
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
        case identifier
        case integer
        case bool
        case date
    }

    private struct Column {
        var member: StaticString
        var form: Form
        var name: String
    }

    /// In the order of their names.
    private static func members(_ forms: KeyValuePairs<Form, [StaticString]>, within object: String = "") -> [Column] {
        forms.flatMap { form, members in
            members.map { Column(member: $0, form: form, name: object + $0.description) }
        }.sorted { $0.name < $1.name }
    }

    let name = ColumnMappingName.apple
    let columns = (Self.transaction + Self.renewalInfo).map(\.name)
    let needed = ["transactionId", "originalTransactionId", "productId", "purchaseDate"]
    let synonyms = UsualNames.of([
        "originalTransactionId": UsualNames.originalTransactionId, "transactionId": UsualNames.transactionId,
        "productId": UsualNames.productId, "customerId": UsualNames.customerId,
        "purchaseDate": ["purchase_date_ms", "purchased_at"], "originalPurchaseDate": ["original_purchase_date_ms"],
        "expiresDate": ["expires_date_ms", "expires_at", "expiration_date"],
        "revocationDate": ["revocation_date_ms", "cancellation_date", "cancellation_date_ms", "refunded_at"],
        "signedDate": ["signed_date_ms"],
        "renewalInfo.gracePeriodExpiresDate": ["grace_period_expires_date", "grace_period_expires_date_ms"],
    ])

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
        let name = row.name(of: column.name)
        switch column.form {
        case .text: json.member(column.member, text)
        case .identifier: json.member(column.member, try CellValue.identifier(text, name))
        case .integer: json.member(column.member, try CellValue.integer(text, name))
        case .bool: json.member(column.member, try CellValue.bool(text, name))
        case .date: json.member(column.member, try CellValue.date(text, name).milliseconds)
        }
    }

    private static let transaction = members([
        .text: [
            "appAccountToken", "billingPlanType", "bundleId", "currency", "customerId", "environment",
            "inAppOwnershipType", "offerDiscountType", "offerIdentifier", "offerPeriod", "productId", "revocationType",
            "storefront", "storefrontId", "transactionReason", "type",
        ],
        .identifier: [
            "appTransactionId", "originalTransactionId", "subscriptionGroupIdentifier", "transactionId",
            "webOrderLineItemId",
        ],
        .integer: ["offerType", "price", "quantity", "revocationPercentage", "revocationReason"],
        .bool: ["isUpgraded"],
        .date: ["expiresDate", "originalPurchaseDate", "purchaseDate", "revocationDate", "signedDate"],
    ])

    private static let renewalInfo = members(
        [
            .text: ["autoRenewProductId", "currency", "offerDiscountType", "offerIdentifier", "offerPeriod"],
            .integer: [
                "autoRenewStatus", "expirationIntent", "offerType", "priceIncreaseStatus", "renewalPrice",
                "renewalQuantity",
            ],
            .bool: ["isInBillingRetryPeriod"],
            .date: ["gracePeriodExpiresDate", "recentSubscriptionStartDate", "renewalDate", "signedDate"],
        ], within: "renewalInfo.")
}

enum UsualNames {
    static let originalTransactionId = [
        "original_transaction_id", "original_store_transaction_id", "store_original_transaction_id",
        "vendor_original_transaction_id", "apple_original_transaction_id", "app_store_original_transaction_id",
        "ios_original_transaction_id", "original_transaction", "orig_transaction_id", "original_txn_id",
    ]
    static let transactionId = [
        "transaction_id", "store_transaction_id", "vendor_transaction_id", "apple_transaction_id",
        "app_store_transaction_id", "ios_transaction_id", "latest_transaction_id", "last_transaction_id",
        "apple_latest_transaction_id",
    ]
    static let productId = [
        "product_id", "product_identifier", "store_product_id", "vendor_product_id", "apple_product_id",
        "app_store_product_id", "ios_product_id", "sku",
    ]
    static let customerId = ["user_id", "customer_user_id", "app_user_id", "customer_id", "account_id", "uid"]

    /// Each name with the column that it means.
    static func of(_ names: [String: [String]]) -> [String: String] {
        names.reduce(into: [:]) { all, names in
            for name in names.value { all[name] = names.key }
        }
    }
}

extension CSVRow {
    private func value<Value>(
        _ column: String, _ read: (String, String) throws(ImportRefusal) -> Value
    ) throws(ImportRefusal) -> Value? {
        guard let text = self[column] else { return nil }
        return try read(text, name(of: column))
    }

    func time(_ column: String) throws(ImportRefusal) -> Instant? { try value(column, CellValue.timestamp) }

    func identifier(_ column: String) throws(ImportRefusal) -> String? { try value(column, CellValue.identifier) }

    /// An absent flag is false.
    func flag(_ column: String) throws(ImportRefusal) -> Bool { try value(column, CellValue.bool) ?? false }

    /// An amount in thousandths. Where commas do not separate fields they may separate decimals, as in `3,99`.
    func amount(_ column: String) throws(ImportRefusal) -> Int64? {
        guard let text = self[column] else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let isLocal =
            columns.delimiter != CSVRecord.comma && parts.count == 2 && (1...2).contains(parts[1].count)
            && parts.allSatisfy(CellValue.areDigits)
        return try CellValue.milliunits(isLocal ? text.replacing(",", with: ".") : text, name(of: column))
    }
}
