/// Words that quote what a stranger sent, made fit for one line of an answer or a log.
public enum OneLine {
    /// The text with U+FFFD for each control character and line separator, cut with `…` after so many bytes of UTF-8.
    public static func of(_ text: String, atMost bytes: Int) -> String {
        if text.utf8.count <= bytes, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        let shown = text.unicodeScalars.map { isBreaking($0) ? "\u{FFFD}" : $0 }
        let length = shown.reduce(0) { $0 + UTF8.width($1) }
        var line = String.UnicodeScalarView()
        guard length > bytes else {
            line.append(contentsOf: shown)
            return String(line)
        }
        var room = bytes - UTF8.width("…")
        for scalar in shown {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            line.append(scalar)
        }
        line.append("…")
        return String(line)
    }

    private static func isBreaking(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }
}
