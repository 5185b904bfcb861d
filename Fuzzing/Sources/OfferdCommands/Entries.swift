public import OfferApplication
public import OfferModel

// What this module keeps to itself, for the target of the fuzzer.

extension ImportedHistory {
    /// Reads a line of JSON Lines.
    public init(jsonLine: [UInt8], scope: Scope) throws(ImportRefusal) {
        self = try PurchaseReader(scope: scope, exportedAt: nil).read(jsonLine)
    }

    /// Reads a record of CSV by its header; the columns are Apple's names, RevenueCat's, or those of subscriptions.
    public init(header: [UInt8], record: [UInt8], mapping: Int, scope: Scope) throws(ImportRefusal) {
        let mappings: [any ColumnMapping] = [
            AppleColumns(), RevenueCatColumns(environment: scope.environment), SubscriptionColumns(),
        ]
        let (names, fields) = (try CSVRecord.fields(header), try CSVRecord.fields(record))
        guard names.count == fields.count else { throw ImportRefusal(.malformed, "another number of fields") }
        let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        let row = CSVRow(
            columns: CSVColumns(delimiter: CSVRecord.comma, places: places, names: [:]), fields: fields)
        self = try PurchaseReader(scope: scope, exportedAt: nil).read(mappings[mapping % mappings.count].purchase(row))
    }
}
