import CommandLineSupport
import OfferApplication
import OfferModel
import OfferSigning

/// The first record of a CSV file: what separates its fields, and which column is where.
struct CSVHeader {
    let columns: CSVColumns
    /// Notes about the columns, each on one line.
    private(set) var notices: [String] = []
    private let count: Int

    init(_ bytes: [UInt8], of path: String, mapping: any ColumnMapping, ignored: Set<String>) throws {
        try Self.requireCSV(bytes, of: path)
        let known = ColumnNames(mapping)
        let (delimiter, names) = try Self.split(bytes, of: path, known: known)
        var places: [String: Int] = [:]
        var unknown: [String] = []
        for (place, name) in names.enumerated() where !ignored.contains(name) {
            guard let column = known.column(name) else {
                if !name.isEmpty { unknown.append(name) }
                continue
            }
            guard let other = places.updateValue(place, forKey: column).map({ names[$0] }) else { continue }
            guard other != name else {
                throw CommandFailure(.usage, "`\(path)` has the column \(ImportRefusal.quoted(name)) twice")
            }
            throw CommandFailure(
                .usage,
                "the columns \(ImportRefusal.quoted(other)) and \(ImportRefusal.quoted(name)) of `\(path)` mean "
                    + "the same",
                hints: ["pass one over with `--ignore-column \(OneLine.of(name, atMost: 100))`"])
        }
        for (missing, other) in mapping.standIns where places[missing] == nil {
            guard let place = places[other] else { continue }
            places[missing] = place
            notices.append(
                "`\(path)` has no `\(missing)`, so \(ImportRefusal.quoted(names[place])) is taken for it: if it is the "
                    + "id of the latest renewal instead, import nothing and export `\(missing)`")
        }
        for name in mapping.needed where places[name] == nil {
            throw CommandFailure(
                .usage, "`\(path)` has no column `\(name)`",
                hints: ExportProduct.hints(columns: names, mapping: mapping, missing: name, unknown: unknown))
        }
        columns = CSVColumns(delimiter: delimiter, places: places, names: places.mapValues { names[$0] })
        count = names.count
        guard !unknown.isEmpty else { return }
        let shown = unknown.prefix(Self.mostShown).map(ImportRefusal.quoted).joined(separator: ", ")
        let more = unknown.count > Self.mostShown ? " and \(unknown.count - Self.mostShown) more" : ""
        notices.append("ignored \(unknown.count.counted("column")) of `\(path)`: \(shown)\(more)")
    }

    func row(of fields: [String]) throws(ImportRefusal) -> CSVRow {
        guard fields.count == count else {
            throw ImportRefusal(.malformed, "the line has \(fields.count) fields and the header \(count)")
        }
        return CSVRow(columns: columns, fields: fields)
    }

    private static let mostShown = 20
}

extension CSVHeader {
    /// - Throws: what the file is instead of CSV with lines that end in LF or CRLF.
    private static func requireCSV(_ bytes: [UInt8], of path: String) throws {
        if bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") {
            throw CommandFailure(
                .usage, "`\(path)` holds JSON and not CSV", hints: ["read it with `--format jsonl`"])
        }
        if bytes.contains(0x0D) {
            throw CommandFailure(
                .usage, "the lines of `\(path)` end in CR alone",
                hints: ["write LF: `tr '\\r' '\\n' < \(path) > lines.csv`"])
        }
    }

    /// The delimiter that gives the most columns that mean something, else the most columns.
    private static func split(
        _ bytes: [UInt8], of path: String, known: ColumnNames
    ) throws -> (delimiter: UInt8, names: [String]) {
        var best: (delimiter: UInt8, names: [String], known: Int)?
        for delimiter in delimiters {
            guard let fields = try? CSVRecord.fields(bytes, by: delimiter) else { continue }
            let names = fields.map(ColumnNames.trimmed)
            let count = names.count { known.column($0) != nil }
            if let best, (best.known, best.names.count) >= (count, names.count) { continue }
            best = (delimiter, names, count)
        }
        if let best { return (best.delimiter, best.names) }
        do throws(ImportRefusal) {
            return (CSVRecord.comma, try CSVRecord.fields(bytes))
        } catch {
            throw CommandFailure(.usage, "the header of `\(path)` cannot be read: \(error.detail)")
        }
    }

    private static let delimiters = [CSVRecord.comma, UInt8(ascii: ";"), UInt8(ascii: "\t")]

    /// Whether a line only names the delimiter, as Excel writes it: `sep=;`.
    static func namesDelimiter(_ bytes: [UInt8]) -> Bool {
        bytes.count == 5 && bytes.starts(with: Array("sep=".utf8)) && bytes.last.map { delimiters.contains($0) } == true
    }
}

/// Finds a mapping's columns by name: upper and lower case and what is neither letter nor digit do not matter.
struct ColumnNames {
    private let columns: [String: String]

    init(_ mapping: any ColumnMapping) {
        let own = mapping.columns.map { (Self.key($0), $0) }
        let others = mapping.synonyms.map { (Self.key($0.key), $0.value) }
        columns = Dictionary(own + others) { first, _ in first }
    }

    func column(_ name: String) -> String? { columns[Self.key(name)] }

    static func key(_ name: String) -> String {
        String(
            decoding: name.utf8.filter { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
            }, as: UTF8.self
        ).lowercased()
    }

    static func trimmed(_ name: String) -> String {
        String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Recognises by its columns the product that a file came from.
enum ExportProduct {
    static func hints(
        columns: [String], mapping: any ColumnMapping, missing: String, unknown: [String]
    ) -> [String] {
        let keys = Set(columns.map(ColumnNames.key))
        if let product = products.first(where: { keys.isSuperset(of: $0.columns) && $0.mapping != mapping.name }) {
            return [product.hint]
        }
        let fitting = ColumnMappingName.allCases.filter { name in
            let other = name.columns(in: Scope(bundleId: "", environment: .production))
            let known = ColumnNames(other)
            let found = Set(columns.compactMap(known.column))
            // Without a status it may have a row for each renewal, and the id of each.
            let standing = found.contains("status") ? other.standIns.filter { found.contains($0.value) }.map(\.key) : []
            return name != mapping.name && found.union(standing).isSuperset(of: other.needed)
        }
        let guess = Suggestion.nearest(to: missing, among: unknown)
            .map { "is it \(ImportRefusal.quoted($0))? rename it" }
        if let name = fitting.first {
            return (guess.map { [$0] } ?? []) + ["these are the columns of `--mapping \(name.rawValue)`"]
        }
        return (guess.map { [$0] } ?? []) + mapping.hints(missing) + [
            "docs/import.md has the columns of every mapping and their other names"
        ]
    }

    /// Each with the mapping that reads it, if any does.
    private static let products: [(columns: Set<String>, mapping: ColumnMappingName?, hint: String)] = [
        (["rcoriginalappuserid"], .revenuecat, "these are RevenueCat's columns: use `--mapping revenuecat`"),
        (
            ["profileid", "eventtype", "eventdatetime"], nil,
            "these are Adapty's events, which do not tell when a period began: fetch the history of their "
                + "`original_transaction_id`s from Apple with `offerd backfill --ids`"
        ),
        (
            ["customerid", "currentperiodstartutc"], nil,
            "these are Stripe's subscriptions, none of which was bought in the App Store"
        ),
    ]
}
