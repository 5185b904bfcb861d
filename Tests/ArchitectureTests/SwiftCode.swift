/// Swift text without comments and without what stands inside string literals, line by line; interpolated code is kept.
///
/// A reader for checks of style, not a parser: the text of a multi-line literal is dropped, `#"` literals are read as
/// ordinary ones.
struct SwiftCode {
    let lines: [String]

    /// The nesting that the reader is in, below the file itself.
    private enum Nesting: Equatable {
        case literal
        case longLiteral
        /// Interpolated code, with the parentheses that it has open.
        case interpolation(Int)
    }

    init(_ text: String) {
        var nesting: [Nesting] = []
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let code = Self.code(of: line, &nesting)
            // Only a long literal goes on in the next line.
            if let literal = nesting.firstIndex(of: .literal) { nesting.removeSubrange(literal...) }
            return code
        }
    }

    private static func code(of line: Substring, _ nesting: inout [Nesting]) -> String {
        var code = ""
        var rest = line
        while let character = rest.first {
            if rest.hasPrefix("\"\"\""), nesting.last != .literal {
                if nesting.last == .longLiteral { nesting.removeLast() } else { nesting.append(.longLiteral) }
                code += "\"\""
                rest = rest.dropFirst(3)
                continue
            }
            rest.removeFirst()
            switch nesting.last {
            case .literal, .longLiteral:
                if character == "\\" {
                    if rest.first == "(" {
                        nesting.append(.interpolation(0))
                        code.append("(")
                    }
                    rest = rest.dropFirst()
                } else if character == "\"", nesting.last == .literal {
                    nesting.removeLast()
                    code.append(character)
                }
                continue
            case .interpolation(let open) where character == "(" || character == ")":
                nesting.removeLast()
                if character == "(" || open > 0 {
                    nesting.append(.interpolation(character == "(" ? open + 1 : open - 1))
                }
            case .interpolation, nil: break
            }
            if character == "/", rest.first == "/" { break }
            if character == "\"" { nesting.append(.literal) }
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
