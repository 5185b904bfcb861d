/// A document to be written: the same tree gives YAML and JSON.
indirect enum OutputNode {
    case text(String)
    /// A number or a boolean, spelled as JSON does.
    case literal(String)
    case list([OutputNode])
    case mapping([(key: String, value: OutputNode)])

    static func number(_ value: Int) -> OutputNode { .literal(String(value)) }

    static func number(_ value: Double) -> OutputNode {
        .literal(Int64(exactly: value).map { String($0) } ?? String(value))
    }

    static func texts(_ values: some Sequence<String>) -> OutputNode { .list(values.map { .text($0) }) }

    /// Whether it fits on a line of YAML: scalars, and collections of nothing but scalars or short lists.
    var isShort: Bool {
        switch self {
        case .text, .literal: true
        case .list(let items): items.allSatisfy(\.isScalar)
        case .mapping(let entries):
            entries.allSatisfy { entry in
                switch entry.value {
                case .mapping(let inner): inner.allSatisfy { $0.value.isScalar }
                default: entry.value.isShort
                }
            }
        }
    }

    private var isScalar: Bool {
        switch self {
        case .text, .literal: true
        case .list, .mapping: false
        }
    }
}

/// Text in double quotes, with the escapes that JSON and YAML share.
enum QuotedText {
    static func of(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if isEscaped(scalar) {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// What ``DocumentText`` would refuse to read back.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0xE000...0xF8FF, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
