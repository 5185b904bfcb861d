import Foundation
package import OfferAPI

/// Columns of text, aligned on the left unless they are numbers, two spaces apart; a missing value is `–`.
package struct TextTable: Sendable {
    private let header: [String]
    private let alignedRight: Set<Int>
    private let optional: Set<Int>
    private let endsInDetail: Bool
    private let rows: [[String]]

    /// - Parameters:
    ///   - alignedRight: the columns of numbers, from 0.
    ///   - optional: the columns to leave out where the table does not fit.
    ///   - endsInDetail: whether the last column may go below its row.
    package init(
        _ header: [String], alignedRight: Set<Int> = [], optional: Set<Int> = [], endsInDetail: Bool = false,
        rows: [[String?]]
    ) {
        self.header = header
        self.alignedRight = alignedRight
        self.optional = optional
        self.endsInDetail = endsInDetail
        self.rows = rows.map { $0.map { ($0 ?? "–").printable } }
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The header and the rows, without trailing spaces. Where they do not fit, columns without a value are left out,
    /// then the last column goes below its row, then the optional columns are left out, then all cells go below each
    /// other.
    package func lines(_ palette: Palette, indent: Int = 0) -> [String] {
        let filled = header.indices.filter { column in rows.contains { $0[column] != "–" } }
        let needed = filled.filter { !optional.contains($0) }
        if let lines = fitting(Array(header.indices), palette, indent) { return lines }
        for columns in [filled, needed] {
            guard let lines = fitting(columns, palette, indent) ?? detailed(columns, palette, indent) else { continue }
            let missing = filled.filter { !columns.contains($0) }.map { header[$0] }
            let note = "not shown: \(missing.joined(separator: ", ")); `-o wide` shows every column"
            return lines
                + (missing.isEmpty ? [] : ["", String(repeating: " ", count: indent) + palette.paint(note, .quiet)])
        }
        let blocks = rows.map { row -> [String] in
            var fields = FieldList()
            for column in filled where row[column] != "–" { fields.add(header[column], row[column]) }
            return fields.lines(palette, indent: indent)
        }
        return Array(blocks.joined(separator: [""]))
    }

    private func fitting(_ columns: [Int], _ palette: Palette, _ indent: Int) -> [String]? {
        let texts = texts(columns)
        if let width = palette.width, texts.contains(where: { $0.columns + indent > width }) { return nil }
        let spaces = String(repeating: " ", count: indent)
        return [spaces + palette.paint(texts[0], .quiet)] + texts.dropFirst().map { spaces + $0 }
    }

    /// With the last column below each row.
    private func detailed(_ columns: [Int], _ palette: Palette, _ indent: Int) -> [String]? {
        guard endsInDetail, let last = columns.last, last == header.count - 1,
            let lines = fitting(columns.dropLast(), palette, indent)
        else { return nil }
        let details = rows.map { $0[last] == "–" ? [] : palette.wrap($0[last], indent: indent + 4) }
        return [lines[0]] + zip(lines.dropFirst(), details).flatMap { [$0] + $1 }
    }

    private func texts(_ columns: [Int]) -> [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
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

    package mutating func add(_ name: String, _ values: [String]) {
        add(name, values.isEmpty ? nil : values.joined(separator: ", "))
    }

    package func lines(_ palette: Palette, indent: Int = 0) -> [String] {
        let width = (fields.map(\.name.columns).max() ?? 0) + 2
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

    /// The columns it takes at a terminal, where East Asian characters and emoji take two and colours none.
    package var columns: Int {
        var isEscape = false
        return reduce(into: 0) { columns, character in
            isEscape = isEscape || character == "\u{1B}"
            if !isEscape { columns += character.columns }
            if character == "m" { isEscape = false }
        }
    }

    /// Lines of at most `width` columns, at least one, broken at spaces, and within a Japanese sentence: a longer word,
    /// such as an id, stays whole.
    package func wrapped(to width: Int?) -> [String] {
        guard let width, columns > width else { return [self] }
        var lines = [""]
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            for (index, piece) in word.pieces.enumerated() {
                let last = lines.count - 1
                let gap = index == 0 && !lines[last].isEmpty ? " " : ""
                if lines[last].isEmpty || (lines[last] + gap + piece).columns <= width {
                    lines[last] += gap + piece
                } else {
                    lines[last].removeLast(lines[last].reversed().prefix { $0 == " " }.count)
                    lines.append(piece)
                }
            }
        }
        return lines
    }

    package func padded(to width: Int, onTheLeft: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - columns))
        return onTheLeft ? spaces + self : self + spaces
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case ..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return 2
        default:
            let properties = scalar.properties
            if properties.isEmojiPresentation { return 2 }
            return [.format, .nonspacingMark, .enclosingMark].contains(properties.generalCategory) ? 0 : 1
        }
    }
}

extension Substring {
    /// The parts of a word between which a line may end: a Japanese sentence has no spaces. An id stays whole.
    fileprivate var pieces: [String] {
        guard contains("。") else { return [String(self)] }
        var pieces = [""]
        var wasWide = false
        for character in self {
            let isWide = character.columns == 2
            if isWide && wasWide && !"、。，．！？）」』】ーっゃゅょッャュョ".contains(character) { pieces.append("") }
            pieces[pieces.count - 1].append(character)
            wasWide = isWide
        }
        return pieces
    }
}

extension Palette {
    /// A sentence in lines that fit, each after `indent` spaces.
    package func wrap(_ sentence: String, indent: Int) -> [String] {
        sentence.wrapped(to: width.map { $0 - indent }).map { String(repeating: " ", count: indent) + $0 }
    }

    /// A text whose lines all fit: what is too long goes on below its first word, or below the text behind a mark.
    package func wrap(_ text: String) -> String {
        guard let width else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            guard String(line).columns > width else { return [String(line)] }
            let words = line.drop { $0 == " " }
            let first = words.prefix { $0 != " " }
            let text = String(first).columns == 1 ? words.dropFirst(first.count + 1) : words
            let start = line.prefix(line.count - text.count)
            let hanging = String(repeating: " ", count: String(start).columns)
            let parts = String(text).wrapped(to: width - hanging.count)
            return [start + parts[0]] + parts.dropFirst().map { hanging + $0 }
        }
        return lines.joined(separator: "\n")
    }
}

extension Encodable {
    package func jsonText(isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension WireValue {
    package func jsonText(isPretty: Bool = true) throws -> String {
        let json = try WireJSON.encode(self)
        return String(decoding: isPretty ? Self.spread(json) : json, as: UTF8.self)
    }

    /// Compact JSON on several lines, as Foundation's encoder lays it out.
    private static func spread(_ json: [UInt8]) -> [UInt8] {
        var (text, depth, isText, isEscaped) = ([UInt8](), 0, false, false)
        func line() -> [UInt8] { Array("\n".utf8) + Array(repeating: UInt8(ascii: " "), count: depth * 2) }
        for (index, byte) in json.enumerated() {
            if isText || byte == UInt8(ascii: "\"") {
                text.append(byte)
                if !isEscaped, byte == UInt8(ascii: "\"") { isText.toggle() }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                let isEmpty = json[index + 1] == byte + 2
                text += [byte] + (isEmpty ? Array("\n".utf8) : line())
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                text += line() + [byte]
            case UInt8(ascii: ","): text += [byte] + line()
            case UInt8(ascii: ":"): text += Array(" : ".utf8)
            default: text.append(byte)
            }
        }
        return text
    }
}
