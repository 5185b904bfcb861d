import Yams

/// Lets a document with keys given twice be read to its end, so that its other errors are found in the same pass.
///
/// The library refuses the whole document at the first such key. The first of the two is then renamed, in the text, to a
/// private character repeated to the same length, which keeps every line and column, and the text is composed again.
struct RepeatedKeys {
    private(set) var text: String
    private var names: [String: String] = [:]

    private static let mostRepairs = 16
    private static let firstPlaceholder: UInt32 = 0xE000

    init(text: String) {
        self.text = text
    }

    /// Renames the first of the keys that the error is about; `false` if the error is about something else.
    ///
    /// - Throws: the error itself, as an issue, where renaming is not possible.
    mutating func markFirst(of error: YamlError) throws(DocumentRefusal) -> Bool {
        guard case .duplicatedKeysInMapping(let keys, let context) = error else { return false }
        let position = DocumentPosition(line: context.mark.line, column: context.mark.column)
        guard let name = keys.first, names.count < Self.mostRepairs, rename(name, at: position) else {
            let name = keys.first.map { quoted(names[$0] ?? $0) } ?? "a key"
            throw DocumentRefusal(
                .duplicateKey, at: position, "key \(name) is given twice", hint: "the first one is here; keep one")
        }
        return true
    }

    private mutating func rename(_ name: String, at position: DocumentPosition) -> Bool {
        let length = name.unicodeScalars.count
        let value = Self.firstPlaceholder + UInt32(truncatingIfNeeded: names.count)
        guard length > 0, let scalar = Unicode.Scalar(value), let start = index(of: position) else { return false }
        let isQuoted = text.unicodeScalars[start] == "\"" || text.unicodeScalars[start] == "'"
        let first = isQuoted ? text.unicodeScalars.index(after: start) : start
        guard let end = text.unicodeScalars.index(first, offsetBy: length, limitedBy: text.endIndex),
            text.unicodeScalars[first..<end].elementsEqual(name.unicodeScalars)
        else { return false }
        let placeholder = String(repeating: Character(scalar), count: length)
        text.unicodeScalars.replaceSubrange(first..<end, with: placeholder.unicodeScalars)
        names[placeholder] = name
        return true
    }

    private func index(of position: DocumentPosition) -> String.Index? {
        var line = 1
        var index = text.startIndex
        let bytes = text.utf8
        while line < position.line {
            guard let newline = bytes[index...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
            index = bytes.index(after: newline)
            let isPair = bytes[newline] == 0x0D && index < bytes.endIndex && bytes[index] == 0x0A
            if isPair { index = bytes.index(after: index) }
            line += 1
        }
        let scalars = text.unicodeScalars
        guard let found = scalars.index(index, offsetBy: position.column - 1, limitedBy: scalars.endIndex),
            found < scalars.endIndex
        else { return nil }
        return found
    }

    /// The entries under their written keys, every one after the first of its key marked as repeated.
    func resolve(_ entries: [DocumentNode.Entry]) -> [DocumentNode.Entry] {
        guard !names.isEmpty else { return entries }
        var seen: Set<String> = []
        return entries.map { entry in
            var entry = entry
            entry.key = names[entry.key] ?? entry.key
            entry.isRepeated = !seen.insert(entry.key).inserted
            return entry
        }
    }
}
