import FoundationEssentials
import JSON

/// A list of texts in one column, as a JSON array: for lists that are read whole and never searched.
struct StoredTextList: Storable {
    let texts: [String]

    init(_ texts: [String]) {
        self.texts = texts
    }

    var storedValue: StoredValue {
        // Not by a coder, which could throw: a list must never be stored as an empty one.
        var json = JSONWriter(escapes: .hexadecimal)
        json.array(texts) { $0.text($1) }
        return .text(json.text)
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
