/// The types that the code declares, with the names of their members, read by its indentation.
///
/// Types of one name are one, extensions count, and a member of a protocol belongs to the protocol alone.
struct DeclaredMembers {
    private(set) var members: [Substring: Set<Substring>] = [:]

    /// Those of `Sources` and `Tests`, read once.
    static let ofThisRepository = Result { DeclaredMembers(try ["Sources", "Tests"].flatMap(Repository().files)) }

    private static let types: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "extension"]
    private static let names: Set<Substring> = ["let", "var", "func", "typealias", "associatedtype", "case"]
    private static let step = 4

    init(_ files: [SourceFile]) {
        for file in files where file.path.hasSuffix(".swift") { read(file.text) }
    }

    /// Whether a path such as `Type.member` or `Type.Nested.member` leads from a type to its member at every step.
    func declare(_ path: [Substring]) -> Bool {
        guard let first = path.first, members[first] != nil else { return false }
        return zip(path, path.dropFirst()).allSatisfy { members[$0]?.contains($1) == true }
    }

    private mutating func read(_ text: String) {
        var open: [(type: Substring, indent: Int)] = []
        var listsCases = false
        for line in text.split(separator: "\n") {
            let indent = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            let isMember = open.last.map { $0.indent + Self.step == indent } ?? (indent == 0)
            let goesOn = listsCases && open.last.map { $0.indent + 2 * Self.step == indent } == true
            // Code within members is deeper.
            guard isMember || goesOn || indent <= open.last?.indent ?? 0 else { continue }
            var code = line.dropFirst(indent)
            guard let first = code.first, first != "#", first != "{", first != "/" else { continue }
            while let last = open.last, indent <= last.indent { open.removeLast() }
            if first == "@" { code = Self.outsideParentheses(code) }
            listsCases = (code.hasPrefix("case ") || goesOn) && code.hasSuffix(",")
            let parent = open.last?.type
            if goesOn, let parent {
                members[parent]?.formUnion(Self.words(Self.outsideParentheses(code)))
            } else if let type = declaredType(code) {
                if let parent { members[parent]?.insert(type) }
                open.append((type, indent))
                members[type, default: []].formUnion(code.split(separator: "{").dropFirst().flatMap(Self.named))
            } else if let parent {
                members[parent]?.formUnion(Self.named(code))
            }
        }
    }

    /// The last name of the type that a line declares or extends.
    private func declaredType(_ code: Substring) -> Substring? {
        let words = code.prefix { $0 != "{" }.split { $0 == " " || $0 == ":" || $0 == "<" }
        guard let keyword = words.firstIndex(where: Self.types.contains), words.count > keyword + 1,
            !["func", "var", "let"].contains(words[keyword + 1])
        else { return nil }
        return words[keyword + 1].split(separator: ".").last
    }

    /// The names that one line declares.
    private static func named(_ code: Substring) -> [Substring] {
        let words = words(outsideParentheses(code.prefix { $0 != "=" && $0 != "{" }))
        if code.hasPrefix("init") || words.contains("init") { return ["init"] }
        guard let keyword = words.firstIndex(where: names.contains) else { return [] }
        let declared = words[(keyword + 1)...]
        switch words[keyword] {
        case "case": return Array(declared)
        case "let", "var":
            let list = outsideParentheses(code.prefix { $0 != "=" && $0 != "{" }).split(separator: ",")
            return Array(declared.prefix(1)) + list.dropFirst().compactMap { Self.words($0).first }
        default: return Array(declared.prefix(1))
        }
    }

    private static func words(_ code: Substring) -> [Substring] {
        code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private static func outsideParentheses(_ code: Substring) -> Substring {
        guard code.contains("(") else { return code }
        var depth = 0
        return Substring(
            code.filter { character in
                if character == "(" { depth += 1 }
                defer { if character == ")" { depth -= 1 } }
                return depth == 0
            })
    }
}

/// The members that pages and comments name in backticks.
enum NamedMembers {
    /// Where a text names a member by its type: `Type.member`, or ``Type/member``.
    ///
    /// - Parameter inTables: whether `.member` alone counts, of the type named last in the same line.
    static func paths(in text: String, inTables: Bool = false) -> [[Substring]] {
        text.split(separator: "\n").filter { $0.utf8.contains(UInt8(ascii: "`")) }.flatMap { line -> [[Substring]] in
            let links = line.matches(of: /``([A-Z]\w*(?:\/\w+)+)[^`]*``/).map { $0.output.1.split(separator: "/") }
            var last: Substring?
            return links
                + line.replacing("``", with: "`").matches(of: /`([A-Z]\w*)?((?:\.\w+)*)[^`]*`/).compactMap { match in
                    let members = match.output.2.split(separator: ".")
                    let type = match.output.1 ?? (inTables ? last : nil)
                    last = match.output.1 ?? last
                    guard let type, let member = members.first, !files.contains(member) else { return nil }
                    return [type] + members
                }
        }
    }

    /// The comments of Swift code.
    static func comments(of code: String) -> String {
        guard code.utf8.contains(UInt8(ascii: "`")) else { return "" }
        return code.split(separator: "\n").compactMap { line in
            guard line.utf8.contains(UInt8(ascii: "`")) else { return nil }
            return line.firstRange(of: "//").map { String(line[$0.upperBound...]) }
        }.joined(separator: "\n")
    }

    /// How the name of a file ends, which is no member.
    private static let files: Set<Substring> = [
        "c", "csv", "hang", "json", "md", "part", "plist", "py", "resolved", "sh", "sql", "storekit", "swift", "toml",
        "txt", "yaml", "yml",
    ]
}
