/// Columns of text, aligned on the left unless they are of numbers, two blanks apart; a missing value is `–`.
struct TextTable: Sendable {
    private let header: [String]
    private let alignedRight: Set<Int>
    private var rows: [[String]] = []

    /// An empty table with its column names.
    ///
    /// - Parameter alignedRight: the columns of numbers, from 0.
    init(_ header: [String], alignedRight: Set<Int> = []) {
        self.header = header
        self.alignedRight = alignedRight
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
        let texts = all.map { line($0, widths) }
        return texts.enumerated().map { $0.offset == 0 ? palette.paint($0.element, .quiet) : $0.element }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = cells.indices
            .map { column in
                let blanks = String(repeating: " ", count: max(0, widths[column] - cells[column].count))
                return alignedRight.contains(column) ? blanks + cells[column] : cells[column] + blanks
            }
            .joined(separator: "  ")
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
