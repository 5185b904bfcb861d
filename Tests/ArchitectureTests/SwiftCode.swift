/// Swift text without comments and without what stands inside string literals, line by line.
///
/// A reader for checks of style, not a parser: the text of a multi-line literal is dropped, `#"` literals are read as
/// ordinary ones.
struct SwiftCode {
    let lines: [String]

    init(_ text: String) {
        var lines: [String] = []
        var isInLongLiteral = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(Self.code(of: line, isInLongLiteral: &isInLongLiteral))
        }
        self.lines = lines
    }

    private static func code(of line: Substring, isInLongLiteral: inout Bool) -> String {
        var code = ""
        var isInLiteral = false
        var rest = line
        while let character = rest.first {
            if rest.hasPrefix("\"\"\"") {
                isInLongLiteral.toggle()
                code += "\"\""
                rest = rest.dropFirst(3)
                continue
            }
            rest.removeFirst()
            if isInLongLiteral { continue }
            if isInLiteral {
                if character == "\\" {
                    rest = rest.dropFirst()
                } else if character == "\"" {
                    isInLiteral = false
                    code.append(character)
                }
                continue
            }
            if character == "/", rest.first == "/" { break }
            isInLiteral = character == "\""
            code.append(character)
        }
        return code
    }

    /// The lines, counted from 1, on which the word is used and not part of a longer one.
    ///
    /// A word that names a member (`printer.print(`) or is being declared (`func print(`) is not used.
    func uses(of word: String) -> [Int] {
        lines.enumerated().filter { _, line in
            line.ranges(of: word).contains { range in
                let before = line[..<range.lowerBound]
                guard let last = before.last else { return true }
                return !(last.isLetter || last.isNumber || "_.`".contains(last)) && !before.hasSuffix("func ")
            }
        }.map { $0.offset + 1 }
    }

    /// The lines of calls whose argument list holds no string literal.
    func callsWithoutText(of function: String) -> [Int] {
        uses(of: function + "(").filter { line in
            let text = lines[(line - 1)...].joined(separator: "\n")
            guard let start = text.firstRange(of: function + "(")?.upperBound else { return false }
            var depth = 1
            let arguments = text[start...].prefix { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth > 0
            }
            return !arguments.contains("\"")
        }
    }
}
