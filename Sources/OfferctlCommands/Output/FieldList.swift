/// One thing as lines `name  value`, aligned; what has no value is left out.
struct FieldList: Sendable {
    private var fields: [(name: String, value: String)] = []

    /// Adds a line.
    mutating func add(_ name: String, _ value: String?) {
        if let value { fields.append((name, value.printable)) }
    }

    /// The lines.
    func lines(_ palette: Palette) -> [String] {
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let blanks = String(repeating: " ", count: max(0, width - field.name.count + 2))
            return palette.paint(field.name, .quiet) + blanks + field.value
        }
    }
}
