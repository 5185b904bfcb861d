/// Rules of every committed text.
enum TextRules {
    // Both are put together here, so that this file does not hold what it looks for.
    private static let keyMark = "PRIVATE" + " KEY"
    /// How a P-256 key begins in Base64: PKCS#8 and SEC 1.
    private static let keyBeginnings = ["MIGHAgEAMBMGByqG" + "SM49AgEG", "MHcCAQEE" + "I"]
    private static let machinePlaces = ["work", "root", "tmp", "opt", "home", "Users"]

    /// The lines where private key text begins: a `BEGIN` line with data after it, or the first bytes of a key.
    static func privateKeys(in text: String) -> [Int] {
        guard text.contains(keyMark) || keyBeginnings.contains(where: text.contains) else { return [] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.indices.filter { index in
            if keyBeginnings.contains(where: lines[index].contains) { return true }
            guard let mark = lines[index].firstRange(of: keyMark), lines[index].contains("BEGIN") else { return false }
            let sameLine = lines[index][mark.upperBound...]
            return ([String(sameLine)] + lines[(index + 1)...].prefix(3)).contains(where: holdsBase64)
        }.map { $0 + 1 }
    }

    /// The lines that cite what a reader of the repository does not have: a document of another place, the number of an
    /// issue, or a heading of docs/design.md that is not there.
    static func missingSources(in text: String, headings: Set<String>) -> [Int] {
        // A regex literal in the closure would be compiled for each line, and most lines need neither.
        let issue = /\b[Ii]ssue [0-9]+\b/
        let anchor = /design\.md#([a-z-]+)/
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { _, line in
            if line.contains("DESIGN" + " §") || line.contains("facts" + " §") { return true }
            if line.contains("ssue "), line.firstMatch(of: issue) != nil { return true }
            return line.contains("design.md#")
                && line.matches(of: anchor).contains { !headings.contains(String($0.output.1)) }
        }.map { $0.offset + 1 }
    }

    /// Whether a line holds a run of at least 40 Base64 characters with both cases and a digit, as key data does.
    private static func holdsBase64(_ line: String) -> Bool {
        line.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0))) }.contains { run in
            run.count >= 40 && run.contains(where: \.isUppercase) && run.contains(where: \.isLowercase)
                && run.contains(where: \.isNumber)
        }
    }

    /// The lines that name a place of one particular machine.
    static func machinePaths(in text: String) -> [Int] {
        // Most files name none of the places.
        let machinePlaces = machinePlaces.filter { text.contains("/\($0)/") }
        if machinePlaces.isEmpty { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { _, line in
            machinePlaces.contains { place in
                line.ranges(of: "/\(place)/").contains { range in
                    guard let before = line[..<range.lowerBound].last else { return true }
                    return !(before.isLetter || before.isNumber || "._-/}*<>".contains(before))
                }
            }
        }.map { $0.offset + 1 }
    }
}
