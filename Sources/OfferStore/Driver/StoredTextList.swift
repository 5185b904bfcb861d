import FoundationEssentials

/// A list of texts in one column, as a JSON array: for lists that are read whole and never searched.
struct StoredTextList: Storable {
    let texts: [String]

    init(_ texts: [String]) {
        self.texts = texts
    }

    var storedValue: StoredValue {
        var json = "["
        for (place, text) in texts.enumerated() {
            if place > 0 { json += "," }
            Self.appendQuoted(text, to: &json)
        }
        return .text(json + "]")
    }

    /// A JSON string; written here because a coder could throw, and a list must never be stored as an empty one.
    static func appendQuoted(_ text: String, to json: inout String) {
        json += "\""
        // Nearly every text needs no escape.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            json += text
        } else {
            for scalar in text.unicodeScalars { appendEscaped(scalar, to: &json) }
        }
        json += "\""
    }

    private static func appendEscaped(_ scalar: Unicode.Scalar, to json: inout String) {
        switch scalar {
        case "\"", "\\": json += "\\\(scalar)"
        case "\u{0}"..<" ":
            let digits = String(scalar.value, radix: 16)
            json += "\\u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
        default: json.unicodeScalars.append(scalar)
        }
    }

    init?(storedValue: StoredValue) {
        guard case .text(let json) = storedValue else { return nil }
        // Nearly every list is empty, and JSON coders are slow.
        if json == "[]" {
            texts = []
        } else {
            guard let texts = try? JSONDecoder().decode([String].self, from: Data(json.utf8)) else { return nil }
            self.texts = texts
        }
    }
}
