import Foundation

/// Columns of text, aligned on the left unless they are numbers, two spaces apart; a missing value is `–`.
package struct TextTable: Sendable {
    private let header: [String]
    private let alignedRight: Set<Int>
    private let rows: [[String]]

    /// - Parameter alignedRight: the columns of numbers, from 0.
    package init(_ header: [String], alignedRight: Set<Int> = [], rows: [[String?]]) {
        self.header = header
        self.alignedRight = alignedRight
        self.rows = rows.map { $0.map { ($0 ?? "–").printable } }
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The header and the rows, without trailing spaces.
    package func lines(_ palette: Palette) -> [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let texts = all.map { line($0, widths) }
        return [palette.paint(texts[0], .quiet)] + texts.dropFirst()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column in
            cells[column].padded(to: widths[column], onTheLeft: alignedRight.contains(column))
        }
        let text = padded.joined(separator: "  ")
        return String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
    }
}

/// One thing as lines `name  value`, aligned; what has no value is left out.
package struct FieldList: Sendable {
    private var fields: [(name: String, value: String)] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        if let value { fields.append((name, value.printable)) }
    }

    package func lines(_ palette: Palette) -> [String] {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let spaces = field.name.padded(to: width + 2).dropFirst(field.name.count)
            return palette.paint(field.name, .quiet) + spaces + field.value
        }
    }
}

extension String {
    /// The text in one line and without control characters.
    ///
    /// Identifiers and messages come from elsewhere: printed raw, an escape sequence in a customer's name could rewrite
    /// what support sees.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isControl) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(Self.isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Bidirectional controls reorder the text around them.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }

    package func padded(to width: Int, onTheLeft: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - count))
        return onTheLeft ? spaces + self : self + spaces
    }
}

extension BinaryInteger {
    /// `1 page`, `2 pages`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Encodable {
    package func jsonText(isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
