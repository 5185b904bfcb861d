/// Columns of text, aligned on the left, two blanks apart; a missing value is `–`.
struct TextTable: Sendable {
    private let header: [String]
    private var rows: [[String]] = []

    /// An empty table with its column names.
    init(_ header: [String]) {
        self.header = header
    }

    /// Whether it has no rows.
    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row with one cell a column.
    mutating func add(_ cells: [String?]) {
        rows.append(cells.map { ($0 ?? "–").printable })
    }

    /// The header and the rows as lines without trailing blanks.
    func lines(_ palette: Palette) -> [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let texts = all.map { Self.line($0, widths) }
        return texts.enumerated().map { $0.offset == 0 ? palette.paint($0.element, .quiet) : $0.element }
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = zip(cells, widths)
            .map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
            .joined(separator: "  ")
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
