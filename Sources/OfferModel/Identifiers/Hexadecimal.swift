/// Bytes written as hexadecimal digits.
public enum Hexadecimal {
    static let lowercaseDigits: [UInt8] = Array("0123456789abcdef".utf8)

    /// Two lower-case digits a byte, without separators.
    public static func lowercase(_ bytes: some Sequence<UInt8>) -> String {
        lowercase(Array(bytes))
    }

    /// The same for digests, of which every recorded decision has a dozen.
    public static func lowercase(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var place = 0
            for byte in bytes {
                text[place] = lowercaseDigits[Int(byte >> 4)]
                text[place + 1] = lowercaseDigits[Int(byte & 0x0F)]
                place += 2
            }
            return place
        }
    }

    /// Reads an even number of digits in either case; `nil` for anything else.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var result = [UInt8]()
        var high: UInt8?
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: return nil
            }
            if let first = high {
                result.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? result : nil
    }
}
