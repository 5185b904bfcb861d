/// The text of a document once its bytes are known to be harmless: bounded, UTF-8, and without invisible characters.
struct DocumentText {
    let text: String

    /// - Throws: the one issue that keeps the bytes from being read at all.
    init(_ bytes: [UInt8]) throws(InvalidDocument) {
        guard bytes.count <= DocumentLimits.bytes else {
            throw InvalidDocument(
                .tooLarge, at: .start, "the document has \(bytes.count) bytes, more than \(DocumentLimits.bytes)")
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = hasMark ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: content, as: UTF8.self) else {
            throw InvalidDocument(
                .notUTF8, at: Self.firstInvalidLine(content), "the text is not UTF-8",
                hint: "save the file with the encoding UTF-8")
        }
        if let (scalar, position) = Self.firstRefusedScalar(in: text) {
            throw InvalidDocument(
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

    /// Control characters, the line breaks that only some readers count, and private characters.
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
