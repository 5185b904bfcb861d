/// Comma-separated values by RFC 4180: lines end with CR LF, a cell with a comma, a quote or a line break is quoted.
///
/// A spreadsheet takes a text that begins with `=`, `+`, `-`, `@`, a tab or a CR for a formula, and names come from
/// elsewhere: such a text gets an apostrophe in front (OWASP: CSV Injection). Numbers stay as they are.
enum CSVTable {
    enum Cell: Sendable, Hashable {
        case empty
        /// Digits, a sign and a decimal point, made by this program or checked by the server.
        case number(String)
        case text(String)

        /// A value that is not known is an empty cell.
        static func number(_ value: (some CustomStringConvertible)?) -> Cell {
            value.map { .number($0.description) } ?? .empty
        }

        static func text(_ value: (some CustomStringConvertible)?) -> Cell {
            value.map { .text($0.description) } ?? .empty
        }
    }

    static func line(_ cells: [Cell]) -> String {
        cells.map(written).joined(separator: ",") + "\r\n"
    }

    private static func written(_ cell: Cell) -> String {
        switch cell {
        case .empty: ""
        case .number(let number): isNumber(number) ? number : written(.text(number))
        case .text(let text): quoted(text)
        }
    }

    private static func quoted(_ text: String) -> String {
        let formula: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]
        let safe = text.unicodeScalars.first.map(formula.contains) == true ? "'" + text : text
        let isPlain = safe.unicodeScalars.allSatisfy { !["\"", ",", "\r", "\n"].contains($0) }
        return isPlain ? safe : "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }

    private static func isNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    }
}
