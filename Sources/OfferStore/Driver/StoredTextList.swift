import FoundationEssentials

/// A list of texts in one column, as a JSON array: for lists that are read whole and never searched.
struct StoredTextList: Storable {
    let texts: [String]

    init(_ texts: [String]) {
        self.texts = texts
    }

    var storedValue: StoredValue {
        .text("[\(texts.map(Self.quoted).joined(separator: ","))]")
    }

    /// A JSON string; written here because a coder could throw, and a list must never be stored as an empty one.
    static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": json += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                json += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
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
