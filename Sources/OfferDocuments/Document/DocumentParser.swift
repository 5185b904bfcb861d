import CYaml
import JSON

/// The frame of every reader: bytes → document → value, with one log.
enum DocumentReading {
    static func read<Value: Sendable>(
        _ bytes: [UInt8], isJSON: Bool = false, _ body: (Field) -> Value?
    ) throws(InvalidDocument) -> ValidDocument<Value> {
        let log = IssueLog()
        let root = try DocumentParser.parse(bytes, isJSON: isJSON)
        return try log.outcome(body(Field(node: root, path: "", log: log)))
    }
}

/// Text → ``DocumentNode``: one YAML (or JSON) document, read strictly.
///
/// It takes libyaml's events one by one, and refuses the YAML that no document of ours needs where it begins: no alias
/// is ever resolved. The library takes a microsecond for each token, whatever the bytes are, so tokens are counted.
final class DocumentParser {
    private let text: [Unicode.Scalar]
    private var parser = yaml_parser_t()
    private var tokens = 0
    private let repeatedKeys = IssueLog()
    /// Whether it comes with the program: then it may have text over several lines and any number of tokens.
    private let isOwn: Bool

    private init(_ text: String, isOwn: Bool) {
        self.isOwn = isOwn
        self.text = Array(text.unicodeScalars)
        yaml_parser_initialize(&parser)
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    }

    deinit { yaml_parser_delete(&parser) }

    /// - Parameter isJSON: whether it has to be JSON and no more. YAML, of which JSON is a part, also has comments and
    ///   commas after the last member.
    /// - Throws: the one issue that keeps the document from being read, or as many repeated keys as are reported.
    static func parse(
        _ bytes: [UInt8], isJSON: Bool = false, isOwn: Bool = false
    ) throws(InvalidDocument) -> DocumentNode {
        var text = try DocumentText(bytes).text
        guard !text.isEmpty else { throw empty }
        do {
            try JSONForm.check(Array(text.utf8), .document)
            text = JSONForYAML.text(text)
        } catch {
            if isJSON, let issue = notJSON(error, text) { throw issue }
        }
        let reader = DocumentParser(text, isOwn: isOwn)
        return try Array(text.utf8).withUnsafeBufferPointer { bytes throws(InvalidDocument) in
            yaml_parser_set_input_string(&reader.parser, bytes.baseAddress, bytes.count)
            return try reader.document()
        }
    }

    private static func notJSON(_ fault: JSONFault, _ text: String) -> InvalidDocument? {
        guard case .malformed(let line, let column) = fault.kind else { return nil }
        let position = DocumentPosition(line: line, column: column)
        return InvalidDocument(
            .syntax, at: position, "not JSON, \(fault.detail)",
            hint: isYAMLAlone(at: position, in: text)
                ? "JSON has no comments and no comma after the last member; YAML, as `.yaml` or `application/yaml`, "
                    + "may have both"
                : "correct it, or send YAML, as `.yaml` or `application/yaml`")
    }

    /// Whether a comment begins there, or a bracket closes after a comma.
    private static func isYAMLAlone(at position: DocumentPosition, in text: String) -> Bool {
        let scalars = text.unicodeScalars
        let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard let rest = lines.dropFirst(position.line - 1).first?.dropFirst(position.column - 1) else { return false }
        if ["#", "//", "/*"].contains(where: { rest.starts(with: $0.unicodeScalars) }) { return true }
        return rest.first.map { ["]", "}"].contains($0) } == true
            && scalars[..<rest.startIndex].last { !$0.properties.isWhitespace } == ","
    }

    private func document() throws(InvalidDocument) -> DocumentNode {
        _ = try next()
        let start = try next()
        guard case .document(let hasDirectives) = start.kind else { throw Self.empty }
        guard !hasDirectives else { throw Self.directive(at: start.position) }
        let root = try node(try next(), depth: 0, owner: .start)
        _ = try next()
        let rest = try next()
        guard case .end = rest.kind else {
            throw InvalidDocument(
                .multipleDocuments, at: rest.position, "the file holds more than one document",
                hint: "put each document into a file of its own")
        }
        if case .empty = root.content { throw Self.empty }
        return root
    }

    private func node(
        _ event: Event, depth: Int, owner: DocumentPosition
    ) throws(InvalidDocument) -> DocumentNode {
        guard depth <= DocumentLimits.depth else { throw Self.tooDeep(at: event.position) }
        try refuseExtras(event)
        // As opposed to what is written with dashes, or in lines.
        let isBracketed = ["[", "{"].contains(character(at: event.start))
        let content: DocumentNode.Content
        var last = event
        switch event.kind {
        case .sequence:
            var items: [DocumentNode] = []
            try count(isBracketed ? 2 : 0, at: event)
            while case let item = try following(&last), !item.isEnd {
                try count(isBracketed && items.isEmpty ? 0 : 1, at: item)
                items.append(try node(item, depth: depth + 1, owner: event.position))
            }
            content = .sequence(items)
        case .mapping:
            var entries: [DocumentNode.Entry] = []
            var names: Set<String> = []
            try count(isBracketed ? 2 : 0, at: event)
            while case let key = try following(&last), !key.isEnd {
                try count(isBracketed && !entries.isEmpty ? 2 : 1, at: key)
                var entry = try entry(key, depth: depth)
                entry.isRepeated = !names.insert(entry.key).inserted
                if entry.isRepeated { try countRepeated(entry) }
                entries.append(entry)
            }
            content = .mapping(entries)
        case .scalar(let text, let isQuoted):
            try count(event.isEmpty ? 0 : 1, at: event)
            guard isQuoted || !(event.isEmpty || text == "~" || text.lowercased() == "null") else {
                return DocumentNode(position: event.isEmpty ? owner : event.position, content: .empty)
            }
            content = .scalar(text, isQuoted: isQuoted)
        case .alias, .document, .end:
            content = .empty
        }
        let isInLines = !isBracketed && last.isEnd
        return DocumentNode(position: event.position, content: content, end: isInLines ? nil : last.endPosition)
    }

    private func following(_ last: inout Event) throws(InvalidDocument) -> Event {
        last = try next()
        return last
    }

    private func entry(_ key: Event, depth: Int) throws(InvalidDocument) -> DocumentNode.Entry {
        try refuseExtras(key)
        let isExplicit = text[..<key.start.index].last { $0 != " " && $0 != "\t" } == "?"
        guard case .scalar(let name, _) = key.kind, !isExplicit else {
            throw Self.unsupported("complex keys are not accepted", at: key.position, hint: "write `key: value`")
        }
        guard name != "<<" else {
            throw Self.unsupported("merge keys are not accepted", at: key.position, hint: "write the keys out")
        }
        try count(1, at: key)
        let value = try node(try next(), depth: depth + 1, owner: key.position)
        return DocumentNode.Entry(key: name, keyPosition: key.position, value: value)
    }

    /// Each is logged where its mapping is read; here only if there are more than are reported.
    private func countRepeated(_ entry: DocumentNode.Entry) throws(InvalidDocument) {
        repeatedKeys.refuse(entry.repetition(at: ""))
        if repeatedKeys.isFull { throw repeatedKeys.refusal }
    }

    /// Keys, values, dashes, colons, commas and brackets.
    private func count(_ more: Int, at event: Event) throws(InvalidDocument) {
        tokens += more
        guard tokens > DocumentLimits.tokens, !isOwn else { return }
        throw InvalidDocument(
            .tooLarge, at: event.position,
            "the document has more than \(DocumentLimits.tokens) keys, values, brackets and other tokens",
            hint: "delete what is not used any more, or divide it")
    }

    /// An anchor, an alias, a tag and a block of text begin with a character that a value without quotes cannot have.
    private func refuseExtras(_ event: Event) throws(InvalidDocument) {
        guard !event.isEmpty else { return }
        switch character(at: event.start) {
        case "&", "*":
            throw Self.unsupported(
                "anchors and aliases are not accepted", at: event.position,
                hint: "write the value out, or put it in quotes")
        case "!":
            throw Self.unsupported(
                "tags are not accepted", at: event.position, hint: "leave the tag out, or put the value in quotes")
        case _ where isOwn: return
        case "|", ">":
            throw Self.unsupported(
                "text over several lines is not accepted", at: event.position, hint: "write it in one line, in quotes")
        default:
            guard case .scalar(_, isQuoted: false) = event.kind, event.end.line > event.start.line else { return }
            let line = text[..<event.end.index].reversed().prefix { $0 != "\n" && $0 != "\r" }.reversed()
            let column = line.prefix { $0 == " " || $0 == "\t" }.count + 1
            throw Self.unsupported(
                "text over several lines is not accepted",
                at: DocumentPosition(line: event.end.line + 1, column: column),
                hint: "write it in one line, or check the indentation of this line")
        }
    }

    private func character(at mark: yaml_mark_t) -> Unicode.Scalar? {
        text.indices.contains(mark.index) ? text[mark.index] : nil
    }
}

extension DocumentParser {
    private struct Event {
        enum Kind {
            case document(hasDirectives: Bool)
            case sequence
            case mapping
            case scalar(String, isQuoted: Bool)
            case alias
            case end
        }

        let kind: Kind
        let start: yaml_mark_t
        let end: yaml_mark_t

        var position: DocumentPosition { DocumentPosition(line: start.line + 1, column: start.column + 1) }

        var endPosition: DocumentPosition { DocumentPosition(line: end.line + 1, column: end.column + 1) }

        /// Whether nothing is written there.
        var isEmpty: Bool { start.index == end.index }

        var isEnd: Bool { if case .end = kind { true } else { false } }
    }

    private func next() throws(InvalidDocument) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        return Event(kind: Self.kind(of: event), start: event.start_mark, end: event.end_mark)
    }

    private static func kind(of event: yaml_event_t) -> Event.Kind {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let start = event.data.document_start
            let hasTags = start.tag_directives.start != start.tag_directives.end
            return .document(hasDirectives: start.version_directive != nil || hasTags)
        case YAML_SEQUENCE_START_EVENT: return .sequence
        case YAML_MAPPING_START_EVENT: return .mapping
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .scalar(String(decoding: bytes, as: UTF8.self), isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
        case YAML_ALIAS_EVENT: return .alias
        default: return .end
        }
    }

    /// The library's complaint in our words.
    private var failure: InvalidDocument {
        guard [YAML_SCANNER_ERROR, YAML_PARSER_ERROR].contains(parser.error), let problem = parser.problem else {
            return InvalidDocument(.syntax, at: .start, "the document is not YAML")
        }
        let (mark, context) = (parser.problem_mark, parser.context_mark)
        // The library counts a line more at the end of a text without a last line break.
        let lines = text.count { $0 == "\n" || $0 == "\r" } + 1
        let position = DocumentPosition(line: min(mark.line + 1, lines), column: mark.column + 1)
        let words = String(cString: problem)
        if words.hasPrefix("Maximum nesting level") { return Self.tooDeep(at: position) }
        if [mark, context].contains(where: { $0.column == 0 && character(at: $0) == "%" }) {
            return Self.directive(at: position)
        }
        if character(at: mark) == "\t" {
            return InvalidDocument(.syntax, at: position, "a tab is used as indentation", hint: "indent with spaces")
        }
        let situation = parser.context.map { " \(String(cString: $0)) that began in line \(context.line + 1)" } ?? ""
        return InvalidDocument(
            .syntax, at: position, "not YAML: \(words)\(situation)",
            hint: "check the indentation, and that brackets and quotes are closed")
    }

    private static let empty = InvalidDocument(.emptyDocument, at: .start, "the document is empty")

    private static func tooDeep(at position: DocumentPosition) -> InvalidDocument {
        InvalidDocument(.tooDeep, at: position, "the document is nested deeper than \(DocumentLimits.depth) levels")
    }

    private static func directive(at position: DocumentPosition) -> InvalidDocument {
        unsupported("a YAML directive is not accepted", at: position, hint: "delete the line")
    }

    private static func unsupported(_ detail: String, at position: DocumentPosition, hint: String) -> InvalidDocument {
        InvalidDocument(.unsupportedSyntax, at: position, detail, hint: hint)
    }
}
