import FoundationEssentials

/// A list of texts in one column, as a JSON array: for lists that are read whole and never searched.
struct StoredTextList: Storable {
    let texts: [String]

    init(_ texts: [String]) {
        self.texts = texts
    }

    var storedValue: StoredValue {
        // Nearly every list is empty, and JSON coders are slow.
        guard !texts.isEmpty, let json = try? JSONEncoder().encode(texts) else { return .text("[]") }
        return .text(String(decoding: json, as: UTF8.self))
    }

    init?(storedValue: StoredValue) {
        guard case .text(let json) = storedValue else { return nil }
        if json == "[]" {
            texts = []
        } else {
            guard let texts = try? JSONDecoder().decode([String].self, from: Data(json.utf8)) else { return nil }
            self.texts = texts
        }
    }
}
