/// What an unquoted scalar means to YAML readers of one version or another.
///
/// Where text is wanted, anything that some reader takes for a number, a boolean or nothing must be quoted: `1e5` is a
/// group to one tool and a hundred thousand to the next.
enum PlainScalar {
    case text
    case number
    case boolean
    case null

    init(_ text: String) {
        switch text.lowercased() {
        case "true", "false", "yes", "no", "on", "off": self = .boolean
        case "null", "~": self = .null
        case ".nan", ".inf", "+.inf", "-.inf": self = .number
        default: self = Self.isNumber(text) ? .number : .text
        }
    }

    var kind: String {
        switch self {
        case .text: "text"
        case .number: "a number"
        case .boolean: "a boolean"
        case .null: "nothing"
        }
    }

    /// A JSON number; `nil` for every other spelling.
    static func number(_ text: String) -> Double? {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        guard let whole = takeDigits(&rest), whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest) != nil else { return nil }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard takeDigits(&rest) != nil else { return nil }
        }
        guard rest.isEmpty, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.isEmpty ? nil : digits
    }

    /// Numbers of YAML 1.1 and 1.2: signs, underscores, other bases, base 60, missing digits around the point.
    private static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text.lowercased()).utf8
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard rest.contains(where: { (0x30...0x39).contains($0) }) else { return false }
        let other = Substring(rest.dropFirst(2)).utf8
        if rest.starts(with: "0x".utf8) { return !other.isEmpty && other.allSatisfy(isHexDigit) }
        if rest.starts(with: "0o".utf8) || rest.starts(with: "0b".utf8) {
            return !other.isEmpty && other.allSatisfy { (0x30...0x37).contains($0) || $0 == UInt8(ascii: "_") }
        }
        guard let first = rest.first, (0x30...0x39).contains(first) || first == UInt8(ascii: ".") else { return false }
        let mantissa = rest.prefix { (0x30...0x39).contains($0) || "._:".utf8.contains($0) }
        guard mantissa.filter({ $0 == UInt8(ascii: ".") }).count <= 1 else { return false }
        var exponent = rest.dropFirst(mantissa.count)
        guard exponent.first == UInt8(ascii: "e") else { return exponent.isEmpty }
        exponent.removeFirst()
        if exponent.first == UInt8(ascii: "-") || exponent.first == UInt8(ascii: "+") { exponent.removeFirst() }
        return !exponent.isEmpty && exponent.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || byte == UInt8(ascii: "_")
    }
}
