import OfferStore

/// The values of a statement as libpq takes them: bytes in binary, all else as text, which the server reads as what the
/// statement needs.
struct PostgresParameters {
    private let values: [StoredValue]
    private var bytes: [UInt8] = []
    /// Where each value begins; -1 for null.
    private var starts: [Int] = []

    /// - Throws: ``StoreError/constraint(_:)`` for a text with U+0000, which no text of the server can hold.
    static func check(_ values: [StoredValue]) throws {
        for case .text(let text) in values where text.utf8.contains(0) {
            throw StoreError.constraint("text without U+0000")
        }
    }

    /// - Throws: as ``check(_:)``.
    init(_ values: [StoredValue]) throws {
        try Self.check(values)
        self.values = values
        for value in values {
            starts.append(value == .null ? -1 : bytes.count)
            switch value {
            case .null: continue
            case .integer(let integer): bytes += String(integer).utf8
            case .text(let text): bytes += text.utf8
            case .blob(let blob): bytes += blob
            }
            bytes.append(0)
        }
    }

    typealias Pointers<Element> = UnsafeBufferPointer<Element>

    /// Runs a body with the values, their lengths, and their formats: 0 for text, 1 for binary.
    func withPointers<T>(
        _ body: (Pointers<UnsafePointer<CChar>?>, Pointers<CInt>, Pointers<CInt>) throws -> T
    ) throws -> T {
        try bytes.withUnsafeBytes { memory in
            let start = memory.bindMemory(to: CChar.self).baseAddress
            let pointers = starts.map { place in place < 0 ? nil : start.map { UnsafePointer($0 + place) } }
            let lengths = values.map { value in
                if case .blob(let blob) = value { CInt(clamping: blob.count) } else { CInt(0) }
            }
            let formats = values.map { value in if case .blob = value { CInt(1) } else { CInt(0) } }
            return try pointers.withUnsafeBufferPointer { pointers in
                try lengths.withUnsafeBufferPointer { lengths in
                    try formats.withUnsafeBufferPointer { try body(pointers, lengths, $0) }
                }
            }
        }
    }
}
