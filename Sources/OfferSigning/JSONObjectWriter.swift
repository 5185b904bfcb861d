/// Writes one JSON object, member by member, into bytes: several times faster than an encoder, and a signature's claims
/// are few and fixed.
///
/// The caller names the members in the order of their sorted names and each once.
public struct JSONObjectWriter {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    public init() {}

    public mutating func add(_ name: StaticString, _ value: String) {
        addName(name)
        addString(value)
    }

    public mutating func add(_ name: StaticString, _ value: Int64) {
        addName(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    public mutating func add(_ name: StaticString, _ value: Bool) {
        addName(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func add(_ name: StaticString, _ values: [String]) {
        addName(name)
        bytes.append(UInt8(ascii: "["))
        for (place, value) in values.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            addString(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds an object that another writer has finished.
    public mutating func add(_ name: StaticString, object: [UInt8]) {
        addName(name)
        bytes.append(contentsOf: object)
    }

    public consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func addName(_ name: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        addString(name.description)
        bytes.append(UInt8(ascii: ":"))
    }

    /// RFC 8259 §7: quotation mark, reverse solidus and U+0000…U+001F are escaped, all else is written as UTF-8.
    private mutating func addString(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 0x0F)])
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
