import OfferModel

/// Bytes written as `%` and two hexadecimal digits (RFC 3986 §2.1).
enum PercentEncoding {
    /// The text that is meant; `nil` for an incomplete `%` and for what is not UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` is a space, as forms write queries; in a path it is itself.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var bytes = [UInt8]()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.count >= 2,
                    let value = Hexadecimal.bytes(String(decoding: rest.prefix(2), as: UTF8.self))?.first
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
