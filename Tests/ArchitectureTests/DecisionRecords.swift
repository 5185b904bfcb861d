/// The form of `docs/decisions`.
enum DecisionRecords {
    static let headings = ["## Context", "## Decision", "## Rejected", "## Consequences"]

    /// The faults of the records, the template and the index among them.
    static func violations(in files: [SourceFile]) -> [String] {
        let index = files.first { name($0) == "README.md" }?.text ?? ""
        let records = files.filter { !["README.md", "template.md"].contains(name($0)) }.sorted { $0.path < $1.path }
        return records.enumerated().flatMap { position, record in
            let number = padded(position + 1)
            var found: [String] = []
            if !name(record).hasPrefix(number + "-") { found.append("\(record): expected the number \(number)") }
            if !record.text.hasPrefix("# \(name(record).prefix(4)). ") { found.append("\(record): no numbered title") }
            if sections(of: record.text) != headings { found.append("\(record): sections are not \(headings)") }
            if hasEmptySection(record.text) { found.append("\(record): an empty section") }
            if !index.contains("(\(name(record)))") { found.append("\(record): not in README.md") }
            return found
        }
    }

    private static func name(_ file: SourceFile) -> String {
        String(file.path.split(separator: "/").last ?? "")
    }

    private static func padded(_ number: Int) -> String {
        String(repeating: "0", count: max(0, 4 - String(number).count)) + String(number)
    }

    private static func sections(of text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map(String.init)
    }

    private static func hasEmptySection(_ text: String) -> Bool {
        let lines = text.split(separator: "\n")
        return lines.indices.contains { index in
            lines[index].hasPrefix("## ") && (index + 1 == lines.count || lines[index + 1].hasPrefix("## "))
        }
    }
}
