/// An offer as a text has it, whose members can be written over where they are.
struct WrittenOffer {
    /// A member, and the value that it gets; `nil` if it goes.
    typealias Change = (key: String, value: OutputNode?)
    private typealias Edit = (range: Range<Int>, text: String)

    private let entries: [DocumentNode.Entry]
    private let scalars: [Unicode.Scalar]
    /// Each without its line break.
    private let lines: [Range<Int>]
    /// The line after the offer and what follows it.
    private let endLine: Int

    /// - Returns: `nil` if the text has no such offer.
    init?(_ text: String, _ place: Int) {
        guard case .mapping(let members)? = try? DocumentParser.parse(Array(text.utf8)).content,
            let offers = members.firstIndex(where: { $0.key == "offers" }),
            case .sequence(let items) = members[offers].value.content, items.indices.contains(place),
            case .mapping(let entries) = items[place].content
        else { return nil }
        self.entries = entries
        let scalars = Array(text.unicodeScalars)
        self.scalars = scalars
        lines = scalars.indices.split(omittingEmptySubsequences: false) { scalars[$0] == "\n" }.map { line in
            let end = line.last.map { scalars[$0] == "\r" ? $0 : $0 + 1 } ?? line.startIndex
            return line.startIndex..<end
        }
        let next = items.dropFirst(place + 1).first?.position ?? members.dropFirst(offers + 1).first?.keyPosition
        endLine = next?.line ?? lines.count + 1
    }

    /// The items of a member, as they are.
    func items(of key: String) -> [OutputNode] {
        guard case .sequence(let items)? = entries.first(where: { $0.key == key })?.value.content else { return [] }
        return items.map(OutputNode.init)
    }

    /// The offer with its changes.
    func node(_ changes: [Change]) -> OutputNode {
        var members = entries.map { (key: $0.key, value: OutputNode($0.value)) }
        for (key, value) in changes {
            let place = members.firstIndex { $0.key == key } ?? members.endIndex
            members.replaceSubrange(
                place..<min(place + 1, members.count), with: value.map { [(key: key, value: $0)] } ?? [])
        }
        return .mapping(members)
    }

    /// The text with the changes; `nil` if one would take more along than its own value.
    func text(_ changes: [Change]) -> String? {
        var edits: [Edit] = []
        var added: [(key: String, value: OutputNode)] = []
        for (key, value) in changes {
            if let place = entries.firstIndex(where: { $0.key == key }) {
                guard let more = self.edits(of: place, to: value) else { return nil }
                edits += more
            } else if let value {
                added.append((key, value))
            }
        }
        if !added.isEmpty {
            guard let end = end(of: entries.count - 1) else { return nil }
            edits.append((end..<end, lineBreak + inLines(added)))
        }
        return text(edits)
    }

    private func edits(of place: Int, to value: OutputNode?) -> [Edit]? {
        let entry = entries[place]
        if let value, let texts = edits(entry.value, value) { return texts }
        if let value, YAMLText.of(.mapping([(entry.key, value)])).count(where: { $0 == "\n" }) == 1,
            let range = range(of: entry.value)
        {
            return hasComment(range) ? nil : [(range, YAMLText.inline(value))]
        }
        guard let start = offset(entry.keyPosition), let end = end(of: place), start < end else { return nil }
        if let value {
            return hasComment(start..<end) ? nil : [(start..<end, inLines([(entry.key, value)], isAfterMargin: true))]
        }
        // A comment in the line of a value goes with it; those between lines may be about something else.
        let isInLine = !scalars[start..<end].contains("\n")
        guard let before = line(entry.keyPosition.line - 1), isInLine || !hasComment(start..<end) else { return nil }
        return [(before.upperBound..<end, "")]
    }

    /// The texts that differ, where they are; `nil` if more than texts do.
    private func edits(_ old: DocumentNode, _ new: OutputNode) -> [Edit]? {
        switch (old.content, new) {
        case (.scalar, .text), (.scalar, .literal):
            let text = YAMLText.inline(new)
            if YAMLText.inline(OutputNode(old)).unicodeScalars.elementsEqual(text.unicodeScalars) { return [] }
            return range(of: old).map { [($0, text)] }
        case (.sequence(let items), .list(let values)) where items.count == values.count && !items.isEmpty:
            // An item that moves would leave the comment in its line behind.
            let (old, new) = (items.map { YAMLText.inline(OutputNode($0)) }, values.map(YAMLText.inline))
            let isMoved = zip(old, new).contains { $0 != $1 && (new.contains($0) || old.contains($1)) }
            return isMoved ? nil : edits(zip(items, values))
        case (.mapping(let entries), .mapping(let members)) where entries.count == members.count:
            let values = entries.compactMap { entry in members.first { $0.key == entry.key }?.value }
            return values.count == entries.count ? edits(zip(entries.map(\.value), values)) : nil
        default: return nil
        }
    }

    private func edits(_ pairs: some Sequence<(DocumentNode, OutputNode)>) -> [Edit]? {
        var edits: [Edit] = []
        for (old, new) in pairs {
            guard let more = self.edits(old, new) else { return nil }
            edits += more
        }
        return edits
    }

    private func text(_ edits: [Edit]) -> String? {
        var text = String.UnicodeScalarView()
        var done = 0
        for edit in edits.sorted(by: {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }) {
            guard edit.range.lowerBound >= done else { return nil }
            text.append(contentsOf: scalars[done..<edit.range.lowerBound])
            text.append(contentsOf: edit.text.unicodeScalars)
            done = edit.range.upperBound
        }
        text.append(contentsOf: scalars[done...])
        return String(text)
    }

    // MARK: Places

    private func line(_ number: Int) -> Range<Int>? { lines.indices.contains(number - 1) ? lines[number - 1] : nil }

    private func offset(_ position: DocumentPosition) -> Int? {
        line(position.line).flatMap { position.column <= $0.count + 1 ? $0.lowerBound + position.column - 1 : nil }
    }

    private func range(of node: DocumentNode) -> Range<Int>? {
        guard let start = offset(node.position), let end = node.end.flatMap(offset), start <= end else { return nil }
        return start..<end
    }

    /// Where the lines of a member end: empty lines and comments behind it belong to what follows.
    private func end(of place: Int) -> Int? {
        let first = entries[place].keyPosition.line
        let next = place + 1 < entries.count ? entries[place + 1].keyPosition.line : endLine
        guard next > first else { return nil }
        return (first..<next).reversed().lazy.compactMap(line).first { line in
            scalars[line].first { !" \t".unicodeScalars.contains($0) }.map { $0 != "#" } ?? false
        }?.upperBound
    }

    private func hasComment(_ range: Range<Int>) -> Bool { scalars[range].contains("#") }

    // MARK: Lines

    private var lineBreak: String { scalars.contains("\r") ? "\r\n" : "\n" }

    /// - Parameter isAfterMargin: whether the first line has its margin already.
    private func inLines(_ members: [(key: String, value: OutputNode)], isAfterMargin: Bool = false) -> String {
        let margin = String(repeating: " ", count: max(0, (entries.first?.keyPosition.column ?? 1) - 1))
        let lines = YAMLText.of(.mapping(members)).split(separator: "\n").map { margin + $0 }.joined(
            separator: lineBreak)
        return isAfterMargin ? String(lines.dropFirst(margin.count)) : lines
    }
}

extension OutputNode {
    /// A document's value, to be written with the same meaning.
    init(_ node: DocumentNode) {
        switch node.content {
        case .empty: self = .literal("null")
        case .scalar(let text, let isQuoted):
            self = isQuoted || PlainScalar(text) == .text ? .text(text) : .literal(text)
        case .sequence(let items): self = .list(items.map(OutputNode.init))
        case .mapping(let entries): self = .mapping(entries.map { ($0.key, OutputNode($0.value)) })
        }
    }
}
