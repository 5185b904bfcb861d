#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Base64 with the standard alphabet and padding (RFC 4648 §4), as V1 signatures and `x5c` are written.
public enum Base64 {
    public static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5), as every part of a JWS is written.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(truncatingIfNeeded: value) }
        return table
    }()

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable(encode(contiguous:))
            ?? Array(bytes).withUnsafeBufferPointer(encode(contiguous:))
    }

    /// The bytes of a text; `nil` for padding, another alphabet, an impossible length or non-zero trailing bits, so
    /// that no two texts mean the same bytes.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        if let decoded = text.withContiguousStorageIfAvailable(decode(contiguous:)) { return decoded }
        return Array(text).withUnsafeBufferPointer(decode(contiguous:))
    }

    /// In one piece of memory: data of Apple's has six kilobytes of it.
    private static func encode(contiguous bytes: UnsafeBufferPointer<UInt8>) -> String {
        alphabet.withUnsafeBufferPointer { alphabet in
            String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
                var (next, length) = (0, 0)
                while next < bytes.count {
                    // Three bytes make four characters; fewer make one more than there are bytes.
                    let count = min(bytes.count - next, 3)
                    var group = UInt32(truncatingIfNeeded: bytes[next]) << 16
                    if count > 1 { group |= UInt32(truncatingIfNeeded: bytes[next + 1]) << 8 }
                    if count > 2 { group |= UInt32(truncatingIfNeeded: bytes[next + 2]) }
                    for place in 0...count {
                        text[length + place] = alphabet[Int(group >> 18 & 0x3F)]
                        group <<= 6
                    }
                    (next, length) = (next + count, length + count + 1)
                }
                return length
            }
        }
    }

    private static func decode(contiguous text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var isValid = true
        let decoded = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, length in
                var (buffer, bits, wrong): (UInt32, UInt32, UInt8) = (0, 0, 0)
                for character in text {
                    let value = values[Int(character)]
                    // 0xFF marks what is not in the alphabet, whose values have two leading zeros.
                    wrong |= value & 0xC0
                    buffer = buffer << 6 | UInt32(truncatingIfNeeded: value & 0x3F)
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        bytes[length] = UInt8(truncatingIfNeeded: buffer >> bits)
                        length += 1
                    }
                }
                isValid = wrong == 0 && bits < 6 && buffer & ((1 << bits) - 1) == 0
            }
        }
        return isValid ? decoded : nil
    }
}

/// Base64 in either alphabet, with or without padding.
struct LenientBase64 {
    let bytes: [UInt8]
    /// Whether it has characters of the URL-safe alphabet only.
    let isURLSafe: Bool
    /// Whether it has characters of the standard alphabet only, or padding.
    let isStandard: Bool
    let isPadded: Bool

    init?(_ text: String) {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.count - digits.count
        guard !digits.isEmpty, padding <= 2, text.utf8.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") }) else {
            return nil
        }
        let urlSafe = digits.map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: digit
            }
        }
        guard let bytes = Base64URL.decode(urlSafe) else { return nil }
        self.bytes = bytes
        isURLSafe = digits.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        isStandard = padding > 0 || digits.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        isPadded = text.utf8.count % 4 == 0
    }
}
