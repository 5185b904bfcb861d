/// A part of a sentence: what is quoted in backticks, an instant, or the text around them.
///
/// It is found by bytes: a backtick is one whatever accent follows it.
package enum TextPart: Hashable, Sendable {
    case text(String)
    case quote(String)
    /// Written as `2026-12-01T00:00:00Z`, with any fraction of a second, or as ``TimeText`` writes it.
    case instant(Instant)

    /// The parts in their order. A backtick without its counterpart is text, as is an instant that no calendar has.
    package static func all(in sentence: String) -> [TextPart] {
        let bytes = Array(sentence.utf8)
        var parts: [TextPart] = []
        var (textStart, place) = (0, 0)
        func addText() {
            guard textStart < place else { return }
            parts.append(.text(String(decoding: bytes[textStart..<place], as: UTF8.self)))
        }
        while place < bytes.count {
            guard let (part, end) = marked(bytes[place...]) else {
                place += 1
                continue
            }
            addText()
            parts.append(part)
            (textStart, place) = (end, end)
        }
        addText()
        return parts
    }

    /// What is no text, if it begins here, and where it ends.
    private static func marked(_ bytes: ArraySlice<UInt8>) -> (TextPart, end: Int)? {
        let tick = UInt8(ascii: "`")
        guard bytes.first == tick else { return instant(bytes) }
        let quoted = bytes.dropFirst()
        guard let end = quoted.firstIndex(of: tick) else { return nil }
        return (.quote(String(decoding: quoted[..<end], as: UTF8.self)), end + 1)
    }

    private static func instant(_ bytes: ArraySlice<UInt8>) -> (TextPart, end: Int)? {
        var rest = bytes
        guard rest.take("0000-00-00") else { return nil }
        let day = bytes[..<rest.startIndex]
        var clock: ArraySlice<UInt8>
        if rest.take("T00:00:00") {
            if rest.take(".0") { while rest.take("0") {} }
            clock = bytes[day.endIndex..<rest.startIndex].dropFirst()
            guard rest.take("Z") else { return nil }
        } else {
            guard rest.take(" 00:00") else { return nil }
            let hasSeconds = rest.take(":00")
            clock = bytes[day.endIndex..<rest.startIndex].dropFirst() + (hasSeconds ? [] : Array(":00".utf8))
            guard rest.take(" UTC") else { return nil }
        }
        let text = "\(String(decoding: day, as: UTF8.self))T\(String(decoding: clock, as: UTF8.self))Z"
        return Instant(iso8601: text).map { (.instant($0), rest.startIndex) }
    }
}

extension ArraySlice<UInt8> {
    /// Takes what has the form of a pattern, in which `0` is any digit, from its start; otherwise nothing.
    fileprivate mutating func take(_ pattern: StaticString) -> Bool {
        let length = pattern.utf8CodeUnitCount
        guard count >= length else { return false }
        return pattern.withUTF8Buffer { wanted in
            for (byte, wanted) in zip(self, wanted) {
                let fits = wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
                guard fits else { return false }
            }
            removeFirst(length)
            return true
        }
    }
}
