/// The text of a document once its bytes are known to be harmless: bounded, UTF-8, and without invisible characters.
struct DocumentText {
    let text: String

    /// - Throws: the one issue that keeps the bytes from being read at all.
    init(_ bytes: [UInt8]) throws(DocumentIssue) {
        guard bytes.count <= DocumentLimits.bytes else {
            throw DocumentIssue(
                .tooLarge, at: .start, "the document has \(bytes.count) bytes, more than \(DocumentLimits.bytes)")
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = hasMark ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: content, as: UTF8.self) else {
            throw DocumentIssue(
                .notUTF8, at: Self.firstInvalidLine(content), "the text is not UTF-8",
                hint: "save the file with the encoding UTF-8")
        }
        if let (scalar, position) = Self.firstRefusedScalar(in: text) {
            throw DocumentIssue(
                .invalidCharacter, at: position, "the character U+\(Self.hexadecimal(scalar)) is not allowed",
                hint: "delete it; editors often do not show it")
        }
        self.text = text
    }

    private static func firstInvalidLine(_ bytes: [UInt8]) -> DocumentPosition {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
        return DocumentPosition(line: index + 1, column: 1)
    }

    private static func firstRefusedScalar(in text: String) -> (Unicode.Scalar, DocumentPosition)? {
        var position = DocumentPosition.start
        for scalar in text.unicodeScalars {
            if isRefused(scalar) { return (scalar, position) }
            if scalar == "\n" {
                position = DocumentPosition(line: position.line + 1, column: 1)
            } else {
                position.column += 1
            }
        }
        return nil
    }

    /// Control characters, the line breaks that only some readers count, and the private characters which stand for
    /// keys that were given twice (``DistinctKeys``).
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: false
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0xE000...0xF8FF, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Looks for the YAML that no document of ours needs, and for keys that are given twice, before the YAML library
/// composes the text.
///
/// The library resolves aliases and compares keys while it reads, so a few hundred bytes of nested aliases could keep
/// it busy for ever. It takes a microsecond for each token, whatever the bytes are, so tokens are counted. The screen follows libyaml's rules for where a token may begin; where those rules depend on what
/// may not be used anyway (text over several lines), it refuses rather than guesses.
struct SyntaxScreen {
    private let bytes: [UInt8]
    private var index = 0
    private var position = DocumentPosition.start
    /// Whether the next character may begin a token; otherwise it continues unquoted text.
    private var isAtTokenStart = true
    /// Whether unquoted text was open when the last line ended.
    private var isTextOpen = false
    private var isAtLineStart = true
    private var isTabInIndentation = false
    private var flowDepth = 0
    private var dashesInLine = 0
    private var tokenColumn = 1
    /// The column of the innermost mapping or list that the last lines opened; 0 before the first.
    private var parentColumn = 0
    private var hasContent = false
    private var tokens = 0
    private var scopes = KeyScopes()
    /// The text that may turn out to be a key.
    private var scalar: Scalar?
    private var repeated: [RepeatedKey] = []

    private struct Scalar {
        var start: Int
        /// `nil` while unquoted text is open.
        var end: Int?
        var quote: UInt8?
        var position: DocumentPosition
    }

    /// - Returns: every key that its mapping has already, in their order; at most one more than
    ///   ``DocumentLimits/issues``, where the screen stops.
    static func check(_ text: String) throws(DocumentIssue) -> [RepeatedKey] {
        var screen = SyntaxScreen(bytes: Array(text.utf8))
        try screen.run()
        return screen.repeated
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func run() throws(DocumentIssue) {
        while let byte = peek(), repeated.count <= DocumentLimits.issues {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endLine()
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                if isAtLineStart, byte == UInt8(ascii: "\t") { isTabInIndentation = true }
                advance()
            case UInt8(ascii: "#") where isAtTokenStart || isAtLineStart || isBlank(bytes[index - 1]):
                skipComment()
            default:
                try readContent(byte)
            }
        }
    }

    private mutating func readContent(_ byte: UInt8) throws(DocumentIssue) {
        if isAtLineStart {
            if try readDocumentMark(byte) { return }
            if flowDepth == 0, isTabInIndentation {
                throw DocumentIssue(
                    .syntax, at: position, "a tab is used as indentation", hint: "indent with spaces")
            }
            try refuseContinuedText(byte)
            isAtLineStart = false
        }
        hasContent = true
        if isAtTokenStart {
            try readToken(byte)
        } else {
            try readText(byte)
        }
    }

    /// `---` and `...` count only in the first column; so do directives.
    private mutating func readDocumentMark(_ byte: UInt8) throws(DocumentIssue) -> Bool {
        guard position.column == 1, flowDepth == 0 else { return false }
        if byte == UInt8(ascii: "%") {
            throw refusal("a YAML directive is not accepted", hint: "delete the line")
        }
        let mark = bytes[index...].prefix(3)
        let isMark = mark.elementsEqual("---".utf8) || mark.elementsEqual("...".utf8)
        guard isMark, isBlankOrEnd(peek(3)) else { return false }
        if hasContent, byte == UInt8(ascii: "-") {
            throw DocumentIssue(
                .multipleDocuments, at: position, "the file holds more than one document",
                hint: "put each document into a file of its own")
        }
        hasContent = hasContent || byte == UInt8(ascii: "-")
        for _ in 0..<3 { advance() }
        isAtLineStart = false
        isAtTokenStart = true
        isTextOpen = false
        return true
    }

    private mutating func refuseContinuedText(_ byte: UInt8) throws(DocumentIssue) {
        defer { isTextOpen = false }
        guard isTextOpen else { return }
        let endsFlowText = flowDepth > 0 && ",]}:".utf8.contains(byte)
        let isDeeper = flowDepth > 0 || position.column > parentColumn
        if isDeeper, !endsFlowText {
            throw refusal(
                "text over several lines is not accepted",
                hint: "write it in one line, or check the indentation of this line")
        }
    }

    private mutating func readToken(_ byte: UInt8) throws(DocumentIssue) {
        try countToken()
        let isIndicator = isBlankOrEnd(peek(1))
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "*"):
            throw refusal("anchors and aliases are not accepted", hint: "write the value out, or put it in quotes")
        case UInt8(ascii: "!"):
            throw refusal("tags are not accepted", hint: "leave the tag out, or put the value in quotes")
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            throw refusal("text over several lines is not accepted", hint: "write it in one line, in quotes")
        case UInt8(ascii: "?") where isIndicator || flowDepth > 0:
            throw refusal("complex keys are not accepted", hint: "write `key: value`")
        case UInt8(ascii: "-") where isIndicator:
            dashesInLine += 1
            try checkDepth(dashesInLine)
            if flowDepth == 0 {
                parentColumn = position.column
                scopes.close(rightOf: position.column)
            }
            advance()
        case UInt8(ascii: ":") where isIndicator || flowDepth > 0:
            beginValue()
        case UInt8(ascii: ",") where flowDepth > 0:
            endFlowEntry()
            scopes.next()
            advance()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            if flowDepth == 0 { tokenColumn = position.column }
            flowDepth += 1
            try checkDepth(flowDepth)
            scalar = nil
            scopes.open(isMapping: byte == UInt8(ascii: "{"))
            advance()
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            endFlowEntry()
            scopes.closeFlow()
            flowDepth = max(0, flowDepth - 1)
            advance()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            if flowDepth == 0 { tokenColumn = position.column }
            scalar = Scalar(start: index + 1, quote: byte, position: position)
            skipQuoted(byte)
            scalar?.end = index - 1
        default:
            if flowDepth == 0 { tokenColumn = position.column }
            scalar = Scalar(start: index, position: position)
            isAtTokenStart = false
            advance()
        }
    }

    private mutating func countToken() throws(DocumentIssue) {
        tokens += 1
        guard tokens > DocumentLimits.tokens else { return }
        throw DocumentIssue(
            .tooLarge, at: position,
            "the document has more than \(DocumentLimits.tokens) keys, values, brackets and other tokens",
            hint: "delete what is not used any more, or divide it")
    }

    /// Unquoted text ends here.
    private mutating func endText() {
        if scalar != nil, scalar?.end == nil { scalar?.end = index }
    }

    /// In braces, a text without a value is a key too.
    private mutating func endFlowEntry() {
        if scopes.isKeyNext { noteKey() }
        scalar = nil
    }

    /// The last text is a key. One that is written with escapes is left to the library.
    private mutating func noteKey() {
        guard let scalar, let end = scalar.end, scalar.start < end else { return }
        var written = bytes[scalar.start..<end]
        if let quote = scalar.quote {
            if written.contains(where: { $0 == UInt8(ascii: "\\") || $0 == quote }) { return }
        } else {
            while let last = written.last, isBlank(last) { written.removeLast() }
        }
        let name = String(decoding: written, as: UTF8.self)
        let isRepeated =
            flowDepth > 0
            ? scopes.repeatsInFlow(name) : scopes.repeatsInBlock(name, at: scalar.position.column)
        guard isRepeated else { return }
        repeated.append(
            RepeatedKey(name: name, bytes: written.startIndex..<written.endIndex, position: scalar.position))
    }

    private mutating func readText(_ byte: UInt8) throws(DocumentIssue) {
        let next = peek(1)
        if byte == UInt8(ascii: ":") {
            let endsFlowKey = flowDepth > 0 && next.map { ",[]{}".utf8.contains($0) } ?? true
            if isBlankOrEnd(next) || endsFlowKey {
                try countToken()
                endText()
                beginValue()
                return
            }
        }
        if flowDepth > 0, ",[]{}?".utf8.contains(byte) {
            endText()
            isAtTokenStart = true
            if byte == UInt8(ascii: "?") { advance() }
            return
        }
        advance()
    }

    private mutating func beginValue() {
        if flowDepth == 0 { parentColumn = tokenColumn }
        if flowDepth == 0 || scopes.isKeyNext { noteKey() }
        scopes.endKey()
        scalar = nil
        isAtTokenStart = true
        advance()
    }

    private mutating func skipQuoted(_ quote: UInt8) {
        advance()
        while let byte = peek() {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                newLine()
                continue
            }
            if quote == UInt8(ascii: "\""), byte == UInt8(ascii: "\\"), peek(1) != UInt8(ascii: "\n") { advance() }
            if byte == quote {
                advance()
                guard quote == UInt8(ascii: "'"), peek() == quote else { return }
            }
            advance()
        }
    }

    private mutating func skipComment() {
        endText()
        while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { advance() }
    }

    private mutating func endLine() {
        isTabInIndentation = false
        if !isAtTokenStart {
            isTextOpen = true
            endText()
        }
        isAtTokenStart = true
        isAtLineStart = true
        dashesInLine = 0
        newLine()
    }

    private mutating func newLine() {
        if peek() == UInt8(ascii: "\r"), peek(1) == UInt8(ascii: "\n") { index += 1 }
        index += 1
        position = DocumentPosition(line: position.line + 1, column: 1)
    }

    private mutating func advance() {
        guard index < bytes.count else { return }
        index += 1
        let isContinuation = index < bytes.count && bytes[index] & 0xC0 == 0x80
        if !isContinuation { position.column += 1 }
    }

    private func checkDepth(_ depth: Int) throws(DocumentIssue) {
        guard depth > DocumentLimits.depth else { return }
        throw DocumentIssue(
            .tooDeep, at: position, "the document is nested deeper than \(DocumentLimits.depth) levels")
    }

    private func refusal(_ detail: String, hint: String) -> DocumentIssue {
        DocumentIssue(.unsupportedSyntax, at: position, detail, hint: hint)
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private func isBlankOrEnd(_ byte: UInt8?) -> Bool {
        guard let byte else { return true }
        return isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
