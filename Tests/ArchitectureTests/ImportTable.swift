/// The imports that each target may have: the table of docs/design.md#layers, whole, so that a new target is held to it
/// from its first file.
struct ImportTable {
    /// Modules of Swift itself that need no listing.
    static let everywhere: Set<String> = ["Synchronization"]

    static let design = ImportTable(page: Repository().file("docs/design.md")?.text ?? "")

    let allowed: [String: Set<String>]

    /// Reads the rows below `| Target |`: targets in backticks, what they hold, our modules, others. The page leaves
    /// out the `Offer` with which many of our names begin.
    init(page: String) {
        let rows = page.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("| Target |") }
            .dropFirst(2)
            .prefix { $0.hasPrefix("|") }.map { $0.split(separator: "|").map(String.init) }.filter { $0.count == 4 }
        func targets(_ row: [String]) -> [String] { row[0].matches(of: /`(\w+)`/).map { String($0.output.1) } }
        let all = Set(rows.flatMap(targets))
        allowed = rows.reduce(into: [:]) { allowed, row in
            let names = "\(row[2]),\(row[3])".matches(of: /\w+/).map { String($0.output) }
            for target in targets(row) {
                allowed[target] = Set(names.map { all.contains("Offer" + $0) ? "Offer" + $0 : $0 })
            }
        }
    }

    /// The folders that are no target of the table.
    func unknownTargets(among folders: [String]) -> [String] {
        folders.filter { allowed[$0] == nil }
    }

    /// Imports that the table does not allow, as `path:line: reason`.
    func violations(in file: SourceFile) -> [String] {
        guard let permitted = allowed[file.target] else { return ["\(file.path): unknown target `\(file.target)`"] }
        return Self.imports(of: file.text).compactMap { line, module in
            guard !permitted.contains(module), !Self.everywhere.contains(module) else { return nil }
            return "\(file.path):\(line): \(file.target) may not import \(module)"
        }
    }

    /// A text in which the import of a module that only Linux has, and of its counterpart where there is none, is one
    /// import at most: of `libc`. `FoundationEssentials` is allowed everywhere. By itself none of the four is allowed.
    private static func withoutChoices(_ text: String) -> String {
        let choice = #/#if canImport\((\w+)\)\n    ((?:public |package )?import )\1\n#else\n    \2(\w+)\n#endif/#
        return text.replacing(choice) { match -> Substring in
            switch (match.1, match.3) {
            case ("FoundationEssentials", "Foundation"): "\n\n\n\n"
            case ("Glibc", "Darwin"): "\nimport libc\n\n\n"
            default: text[match.range]
            }
        }
    }

    /// The imported modules with their lines, whatever attributes, access level or kind stand around them.
    static func imports(of text: String) -> [(line: Int, module: String)] {
        let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
        return withoutChoices(text).split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            var words = line.split(whereSeparator: { " \t;".contains($0) })[...]
            while let word = words.first, word.hasPrefix("@") || levels.contains(word) { words.removeFirst() }
            guard words.first == "import" else { return nil }
            words.removeFirst()
            if let word = words.first, kinds.contains(word) { words.removeFirst() }
            guard let module = words.first?.split(separator: ".").first else { return nil }
            return (index + 1, String(module))
        }
    }
}
