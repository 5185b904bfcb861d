import Foundation

/// Another implementation's reading of JSON: `JSONSerialization`, which shares no code with the `JSONDecoder` of the
/// readers.
enum OtherParser {
    /// In bytes: it takes a millisecond for each kilobyte or two.
    private static let longest = 4_096

    /// The same JSON written anew: names in another order, without white space, escapes spelled otherwise. `nil` where
    /// the other parser refuses it, or where it need not mean the same: a name that occurs twice, or an encoding with
    /// NULs.
    static func rewritten(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= longest, !bytes.contains(0),
            let parsed = try? JSONSerialization.jsonObject(with: Data(bytes)),
            JSONSerialization.isValidJSONObject(parsed), members(in: parsed) == colons(outsideTextsOf: bytes),
            let written = try? JSONSerialization.data(withJSONObject: parsed)
        else { return nil }
        return Array(written)
    }

    private static func members(in value: Any) -> Int {
        switch value {
        case let object as [String: Any]: object.count + object.values.reduce(0) { $0 + members(in: $1) }
        case let array as [Any]: array.reduce(0) { $0 + members(in: $1) }
        default: 0
        }
    }

    /// One for each member that is written, also where two have the same name.
    private static func colons(outsideTextsOf bytes: [UInt8]) -> Int {
        var (count, isText, isEscaped) = (0, false, false)
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isText, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isText.toggle()
            } else if !isText, byte == UInt8(ascii: ":") {
                count += 1
            }
        }
        return count
    }
}
