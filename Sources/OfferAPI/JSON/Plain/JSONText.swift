/// Writes JSON byte by byte, as Foundation's encoder does with sorted keys and plain slashes.
///
/// Whoever writes an object names its members in the order of their sorted names, each once.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    /// A text with room for a usual answer.
    init() {
        bytes.reserveCapacity(1_536)
    }

    /// An object.
    mutating func object(_ members: (inout JSONText) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// An array.
    mutating func array<Element>(_ elements: [Element], _ write: (inout JSONText, Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// A member's name; its value must follow.
    mutating func name(_ name: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// A member with a text; none if there is no text.
    mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    /// A member with a whole number; none if there is no number.
    mutating func member(_ name: StaticString, _ number: Int64?) {
        guard let number else { return }
        self.name(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    /// A member that is yes or no.
    mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        bytes.append(contentsOf: flag ? "true".utf8 : "false".utf8)
    }

    /// A member with texts.
    mutating func member(_ name: StaticString, _ texts: [String]) {
        self.name(name)
        array(texts) { json, text in json.string(text) }
    }

    /// A text in quotation marks (RFC 8259 §7).
    mutating func string(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { characters in
            let isPlain = characters.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if isPlain {
                bytes.append(contentsOf: characters)
            } else {
                for character in characters { append(escaped: character) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0x08: bytes += Array("\\b".utf8)
        case 0x09: bytes += Array("\\t".utf8)
        case 0x0A: bytes += Array("\\n".utf8)
        case 0x0C: bytes += Array("\\f".utf8)
        case 0x0D: bytes += Array("\\r".utf8)
        case 0..<0x20:
            bytes += Array("\\u00".utf8)
            for half in [byte >> 4, byte & 0x0F] { bytes.append(half < 10 ? 0x30 + half : 0x57 + half) }
        default: bytes.append(byte)
        }
    }
}

/// An answer that is asked for often and writes itself, without an encoder.
protocol PlainlyWritten {
    /// Whether it holds nothing but what ``write(to:)`` writes.
    var isPlain: Bool { get }
    /// Writes it, with exactly the bytes that an encoder would write.
    func write(to json: inout JSONText)
}
