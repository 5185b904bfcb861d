import OfferApplication

/// One record of delimiter-separated values by RFC 4180.
enum CSVRecord {
    /// Whether every quoted field ends; if not, the record goes on in the next line.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        bytes.count { $0 == quote }.isMultiple(of: 2)
    }

    static func fields(_ bytes: [UInt8], by delimiter: UInt8 = comma) throws(ImportRefusal) -> [String] {
        var fields: [String] = []
        var index = 0
        while true {
            let isQuoted = index < bytes.count && bytes[index] == quote
            let field =
                isQuoted ? try quoted(bytes, from: &index) : plain(bytes, from: &index, upTo: delimiter)
            guard let text = String(validating: field, as: UTF8.self) else {
                throw ImportRefusal(.malformed, "field \(fields.count + 1) is not UTF-8 text")
            }
            fields.append(text)
            guard index < bytes.count else { return fields }
            guard bytes[index] == delimiter else {
                throw ImportRefusal(
                    .malformed, "field \(fields.count) has a quote in the middle; write it doubled, in quotes")
            }
            index += 1
        }
    }

    /// Up to the next delimiter; a quote in it ends it early, which the caller finds.
    private static func plain(_ bytes: [UInt8], from index: inout Int, upTo delimiter: UInt8) -> [UInt8] {
        let start = index
        while index < bytes.count, bytes[index] != delimiter, bytes[index] != quote { index += 1 }
        return Array(bytes[start..<index])
    }

    private static func quoted(_ bytes: [UInt8], from index: inout Int) throws(ImportRefusal) -> [UInt8] {
        var field: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte != quote {
                field.append(byte)
            } else if index < bytes.count, bytes[index] == quote {
                field.append(quote)
                index += 1
            } else {
                return field
            }
        }
        throw ImportRefusal(.malformed, "a quoted field does not end")
    }

    private static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
}

/// The columns of a record, by their fields.
struct CSVColumns {
    let delimiter: UInt8
    /// Where the mapping's columns are.
    let places: [String: Int]
    /// The file's own names of columns that it has by another name.
    let names: [String: String]
}

struct CSVRow {
    let columns: CSVColumns
    let fields: [String]

    /// A column's text; `nil` if it is empty or the file has no such column.
    subscript(column: String) -> String? {
        guard let place = columns.places[column], !fields[place].isEmpty else { return nil }
        return fields[place]
    }

    func name(of column: String) -> String { columns.names[column] ?? column }
}
