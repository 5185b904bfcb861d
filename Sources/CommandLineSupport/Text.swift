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

    /// The header and the rows, without trailing spaces. Where they do not fit, columns without a value are left out, then
    /// the cells of a row are put below each other.
    ///
    /// - Parameter indent: the spaces before each line.
    package func lines(_ palette: Palette, indent: Int = 0) -> [String] {
        let spaces = String(repeating: " ", count: indent)
        let filled = header.indices.filter { column in rows.contains { $0[column] != "–" } }
        let choices = [Array(header.indices), filled].map(texts)
        let fitting = choices.first { texts in
            palette.width.map { width in texts.allSatisfy { $0.count + indent <= width } } ?? true
        }
        guard let fitting else {
            let blocks = rows.map { row -> [String] in
                var fields = FieldList()
                for column in filled where row[column] != "–" { fields.add(header[column], row[column]) }
                return fields.lines(palette, indent: indent)
            }
            return Array(blocks.joined(separator: [""]))
        }
        return [spaces + palette.paint(fitting[0], .quiet)] + fitting.dropFirst().map { spaces + $0 }
    }

    private func texts(_ columns: [Int]) -> [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { line($0, widths, columns) }
    }

    private func line(_ cells: [String], _ widths: [Int], _ columns: [Int]) -> String {
        let padded = columns.map { column in
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

    /// - Parameter indent: the spaces before each line.
    package func lines(_ palette: Palette, indent: Int = 0) -> [String] {
        let width = (fields.map(\.name.count).max() ?? 0) + 2
        let spaces = String(repeating: " ", count: indent)
        let hanging = String(repeating: " ", count: indent + width)
        return fields.flatMap { field in
            let values = field.value.wrapped(to: palette.width.map { $0 - indent - width })
            let gap = field.name.padded(to: width).dropFirst(field.name.count)
            return [spaces + palette.paint(field.name, .quiet) + gap + values[0]]
                + values.dropFirst().map { hanging + $0 }
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

    /// Lines of at most `width` characters, at least one, broken at spaces only: a longer word, such as an id, stays whole.
    package func wrapped(to width: Int?) -> [String] {
        guard let width, count > width else { return [self] }
        var lines = [""]
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let last = lines.count - 1
            if lines[last].isEmpty {
                lines[last] = String(word)
            } else if lines[last].count + 1 + word.count <= width {
                lines[last] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    package func padded(to width: Int, onTheLeft: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - count))
        return onTheLeft ? spaces + self : self + spaces
    }
}

extension Palette {
    /// The text in lines that fit, each after `indent` spaces.
    package func wrap(_ text: String, indent: Int) -> [String] {
        text.wrapped(to: width.map { $0 - indent }).map { String(repeating: " ", count: indent) + $0 }
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
