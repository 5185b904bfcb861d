import OfferModel

/// Bytes to take a digest of: exact, and different for different values (docs/ledger.md, "Bytes").
///
/// A value is one byte for its type, and then: nothing for null (0); 8 bytes, most significant first, of an integer (1);
/// 8 bytes of length and the UTF-8 or the bytes themselves for text (2) and a blob (3). Nothing stands between values.
struct CanonicalBytes {
    private(set) var bytes: [UInt8]

    /// Begins with what the bytes are for, such as `offerd-event-1`; its number changes with the form.
    init(_ purpose: String, capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
        append(.text(purpose))
    }

    /// Texts alone, to be written again and again.
    init(texts: [String]) {
        bytes = []
        for text in texts { append(.text(text)) }
    }

    /// Begins as others end.
    init(after beginning: CanonicalBytes, capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        append(beginning)
    }

    /// Goes on with values that were written before.
    mutating func append(_ other: CanonicalBytes) {
        bytes.append(contentsOf: other.bytes)
    }

    mutating func append(_ value: StoredValue) {
        switch value {
        case .null:
            bytes.append(0)
        case .integer(let integer):
            bytes.append(1)
            append(UInt64(bitPattern: integer))
        case .text(let text):
            bytes.append(2)
            append(UInt64(truncatingIfNeeded: text.utf8.count))
            appendContents(of: text)
        case .blob(let blob):
            bytes.append(3)
            append(UInt64(truncatingIfNeeded: blob.count))
            bytes.append(contentsOf: blob)
        }
    }

    mutating func append(_ value: some Storable) {
        append(value.storedValue)
    }

    private mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func appendContents(of text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
            bytes.append(contentsOf: text.utf8)
        }
    }
}
