/// The keys of the open mappings, to find those that are given twice.
///
/// A mapping in block style is known by its column: every entry of a line that begins further left ends it. One in
/// braces is known by them.
struct KeyScopes {
    private struct Block {
        var column: Int
        var keys: Set<String> = []
    }

    private struct Flow {
        var isMapping: Bool
        /// Whether the next value is a key: after the brace and after each comma.
        var isKeyNext = true
        var keys: Set<String> = []
    }

    private var blocks: [Block] = []
    private var flows: [Flow] = []

    /// A list's dash, or anything else that begins a value at a column in block style.
    mutating func close(rightOf column: Int) {
        while let last = blocks.last, last.column > column { blocks.removeLast() }
    }

    mutating func open(isMapping: Bool) {
        endKey()
        flows.append(Flow(isMapping: isMapping))
    }

    mutating func closeFlow() { _ = flows.popLast() }

    /// A comma within brackets.
    mutating func next() {
        guard !flows.isEmpty else { return }
        flows[flows.count - 1].isKeyNext = true
    }

    /// Whether the value that comes next within the innermost brackets is a key.
    var isKeyNext: Bool { flows.last.map { $0.isMapping && $0.isKeyNext } ?? false }

    /// The last token within brackets was a key, or is where one would be.
    mutating func endKey() {
        guard !flows.isEmpty else { return }
        flows[flows.count - 1].isKeyNext = false
    }

    /// Adds a key of the innermost mapping in braces.
    ///
    /// - Returns: whether the mapping has it already.
    mutating func repeatsInFlow(_ key: String) -> Bool {
        !flows[flows.count - 1].keys.insert(key).inserted
    }

    /// Adds a key at a column in block style.
    ///
    /// - Returns: whether its mapping has it already.
    mutating func repeatsInBlock(_ key: String, at column: Int) -> Bool {
        close(rightOf: column)
        if blocks.last?.column != column { blocks.append(Block(column: column)) }
        return !blocks[blocks.count - 1].keys.insert(key).inserted
    }
}

/// A key that its mapping has already.
struct RepeatedKey {
    var name: String
    /// Where the name is written, without quotes.
    var bytes: Range<Int>
    var position: DocumentPosition

    var issue: DocumentIssue {
        DocumentIssue(.duplicateKey, at: position, "key \(quoted(name)) is given twice", hint: "keep one")
    }
}

/// A text in which no mapping has a key twice, so that the library, which refuses a document at the first such key,
/// reads it to its end and all its errors are found in one pass.
///
/// Each repeated key is a private character there, as often as it has characters: every line and column stays.
struct DistinctKeys {
    let text: String
    private var names: [String: String] = [:]

    private static let firstPlaceholder: UInt32 = 0xE000

    init(_ text: String, renaming repeated: [RepeatedKey]) {
        guard !repeated.isEmpty else {
            self.text = text
            return
        }
        let bytes = Array(text.utf8)
        var renamed: [UInt8] = []
        renamed.reserveCapacity(bytes.count)
        var place = 0
        for (number, key) in repeated.enumerated() {
            let value = Self.firstPlaceholder + UInt32(truncatingIfNeeded: number)
            guard let scalar = Unicode.Scalar(value) else { continue }
            let placeholder = String(repeating: Character(scalar), count: key.name.unicodeScalars.count)
            renamed += bytes[place..<key.bytes.lowerBound]
            renamed += placeholder.utf8
            place = key.bytes.upperBound
            names[placeholder] = key.name
        }
        renamed += bytes[place...]
        self.text = String(decoding: renamed, as: UTF8.self)
    }

    /// The entries under their written keys, every one after the first of its key marked as repeated.
    func restored(_ entries: [DocumentNode.Entry]) -> [DocumentNode.Entry] {
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
