import OfferModel

/// Reads JSON requests of the plainest form: known members, each once and none null, texts without escapes, whole numbers.
///
/// Backends write nearly every request so, and it is read in one pass where ``JSONForm`` and a decoder take several. It
/// accepts nothing that they would refuse and says nothing about what is wrong: whatever is not plain is read again by
/// them, and they name the place.
struct PlainJSON {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value that the bytes hold; `nil` if they are not of the plain form.
    static func read<Value: PlainlyRead>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
        var json = PlainJSON(bytes)
        do {
            let value = try Value(plain: &json)
            json.skipSpace()
            return json.index == bytes.count ? value : nil
        } catch {
            return nil
        }
    }

    /// The name of the next member, with its value ahead; `nil` at the end of the object.
    ///
    /// - Parameter isFirst: whether the object is yet to be opened.
    mutating func member<Key: RawRepresentable<String>>(
        of type: Key.Type, isFirst: inout Bool
    ) throws(NotPlain) -> Key? {
        guard let name = try name(isFirst: &isFirst) else { return nil }
        guard let key = Key(rawValue: name) else { throw NotPlain() }
        return key
    }

    /// The same where any name may stand.
    mutating func name(isFirst: inout Bool) throws(NotPlain) -> String? {
        guard try isAhead(opening: "{", closing: "}", isFirst: &isFirst) else { return nil }
        let name = try string()
        guard name.utf8.count <= JSONLimits.request.nameLength else { throw NotPlain() }
        try expect(":")
        return name
    }

    /// Whether another element of an array is ahead.
    mutating func element(isFirst: inout Bool) throws(NotPlain) -> Bool {
        try isAhead(opening: "[", closing: "]", isFirst: &isFirst)
    }

    /// Reads the value of a member that was not given before.
    mutating func read<Value: PlainlyRead>(into member: inout Value?) throws(NotPlain) {
        guard member == nil else { throw NotPlain() }
        member = try Value(plain: &self)
    }

    /// A text without escapes.
    mutating func string() throws(NotPlain) -> String {
        try expect("\"")
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20 else { throw NotPlain() }
            index += 1
        }
        guard index < bytes.count, let text = String(validating: bytes[start..<index], as: UTF8.self) else {
            throw NotPlain()
        }
        index += 1
        return text
    }

    /// A whole number of few digits, which a 64-bit float holds exactly too.
    mutating func number() throws(NotPlain) -> Int64 {
        skipSpace()
        let start = index
        var number: Int64 = 0
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            number = number * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
            index += 1
            guard index - start <= 15 else { throw NotPlain() }
        }
        let digits = index - start
        guard digits > 0, digits == 1 || bytes[start] != UInt8(ascii: "0") else { throw NotPlain() }
        // A fraction or an exponent goes on, and the next byte is then none that may follow a value.
        return number
    }

    /// `true` or `false`.
    mutating func boolean() throws(NotPlain) -> Bool {
        skipSpace()
        if skip("true") { return true }
        if skip("false") { return false }
        throw NotPlain()
    }

    /// The first byte of the next value.
    mutating func next() throws(NotPlain) -> UInt8 {
        skipSpace()
        guard index < bytes.count else { throw NotPlain() }
        return bytes[index]
    }

    private mutating func isAhead(
        opening: Unicode.Scalar, closing: Unicode.Scalar, isFirst: inout Bool
    ) throws(NotPlain) -> Bool {
        if isFirst { try expect(opening) }
        if try next() == UInt8(ascii: closing) {
            index += 1
            return false
        }
        if !isFirst { try expect(",") }
        isFirst = false
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(NotPlain) {
        guard try next() == UInt8(ascii: character) else { throw NotPlain() }
        index += 1
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard bytes.count - index >= length, bytes[index..<index + length].elementsEqual(word.description.utf8) else {
            return false
        }
        index += length
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }
}

/// The text is not of the plain form; what that means the strict reader says.
struct NotPlain: Error {}

/// A value of a request that ``PlainJSON`` reads.
protocol PlainlyRead {
    /// Reads the value that is next.
    init(plain json: inout PlainJSON) throws(NotPlain)
}
