import OfferModel

/// The percent-encoding of URLs (RFC 3986 §2.1).
enum PercentEncoding {
    /// The text behind `%41`; `nil` if it is not percent-encoded UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` means a space, as forms write it into a query.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var bytes = [UInt8]()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard rest.count >= 2, let value = Hexadecimal.bytes(digits)?.first else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
