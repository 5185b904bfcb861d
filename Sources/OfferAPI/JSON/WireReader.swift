import JSON

/// Reads values by the lists of their members, in one of two ways.
///
/// The quick way takes requests of the plainest form in one pass: known members, each once, texts without escapes,
/// whole numbers. Backends write nearly every request so. It accepts nothing that the thorough way would refuse, says
/// nothing about what is wrong, and leaves everything else to the thorough way, which reads text whose form
/// ``JSONForm`` has checked and names the place of a fault.
public struct WireReader {
    private enum Way { case quick, strict, lenient }

    private var cursor: JSONCursor
    private let way: Way
    /// How many members and elements may follow on the quick way.
    private var values: Int
    /// What a fact is called here, for the error.
    var factNoun = "a signal"
    /// The object being read.
    private var object = Object()
    /// Of that object.
    private var failure: Misreading?

    private struct Object {
        /// How many members of the list were visited since ``sought`` was set.
        var visited = 0
        /// On the quick way the name whose value is ahead; `nil` when all have been read.
        var sought: Range<Int>?
        var isFound = false
        /// The members read so far, a bit for each in the order of the list.
        var given: UInt64 = 0
        /// On the thorough way where the value of each member of the list begins; `nil` for one that is absent.
        var starts: [Int?] = []
    }

    private init(_ bytes: [UInt8], _ way: Way, values: Int = .max) {
        cursor = JSONCursor(bytes)
        self.way = way
        self.values = values
    }

    /// The value that the bytes hold; `nil` if they are not of the plain form.
    static func quick<Value: WireValue>(_ type: Value.Type, from bytes: [UInt8], values: Int = .max) -> Value? {
        var json = WireReader(bytes, .quick, values: values)
        guard let value = try? Value.read(&json), json.cursor.isAtEnd else { return nil }
        return value
    }

    /// The value in bytes whose form was checked.
    ///
    /// - Parameter isStrict: whether an unknown member is a fault, and not passed over.
    static func thorough<Value: WireValue>(
        _ type: Value.Type, from bytes: [UInt8], isStrict: Bool
    ) throws(Misreading) -> Value {
        var json = WireReader(bytes, isStrict ? .strict : .lenient)
        return try Value.read(&json)
    }

    mutating func text() throws(Misreading) -> String {
        let start = cursor.index
        if let plain = cursor.plainText() {
            guard let text = String(validating: cursor.bytes[plain], as: UTF8.self) else { throw .notPlain }
            return text
        }
        cursor.index = start
        guard cursor.next() == UInt8(ascii: "\"") else { throw mismatch("a text") }
        guard !isQuick, let text = cursor.text() else { throw .notPlain }
        return text
    }

    mutating func boolean() throws(Misreading) -> Bool {
        guard let flag = cursor.flag() else { throw mismatch("true or false") }
        return flag
    }

    /// A whole number of 64 bits, however it is written.
    mutating func integer() throws(Misreading) -> Int64 {
        guard case .whole(let whole) = try number("a whole number") else { throw .noWholeNumber }
        return whole
    }

    /// - Parameter noun: what was expected, for the error if it is none.
    mutating func number(_ noun: String = "a number") throws(Misreading) -> JSONNumber {
        cursor.skipSpace()
        guard let number = isQuick ? cursor.digits(atMost: 15).map(JSONNumber.whole) : cursor.number() else {
            throw mismatch(noun)
        }
        return number
    }

    /// The first byte of the next value.
    mutating func next() -> UInt8? { cursor.next() }

    /// Whether the value is null, which is then read.
    mutating func null() -> Bool { cursor.next() == UInt8(ascii: "n") && cursor.take("null") }

    /// Whether only the plainest form is read.
    var isQuick: Bool { way == .quick }

    /// What is wrong where a value of another type was expected.
    mutating func mismatch(_ noun: String) -> Misreading {
        if isQuick { return .notPlain }
        cursor.skipSpace()
        var start = JSONCursor(cursor.bytes)
        start.skipSpace()
        return cursor.peek == UInt8(ascii: "n") && cursor.index > start.index
            ? Misreading(.missingMember, "this must not be null") : Misreading(.wrongType, "this must be \(noun)")
    }

    /// Reads each element of an array.
    mutating func list(_ read: (inout WireReader) throws(Misreading) -> Void) throws(Misreading) {
        guard cursor.take(UInt8(ascii: "[")) else { throw mismatch("a list") }
        var index = 0
        while try isAhead(closing: UInt8(ascii: "]"), isFirst: index == 0) {
            do { try read(&self) } catch { throw error.inside(.element(index)) }
            index += 1
        }
    }

    /// Reads each member of an object whose names are not listed.
    mutating func map(_ read: (inout WireReader, String) throws(Misreading) -> Void) throws(Misreading) {
        guard cursor.take(UInt8(ascii: "{")) else { throw mismatch("an object") }
        var isFirst = true
        while try isAhead(closing: UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            let name = try text()
            guard !isQuick || name.utf8.count <= JSONForm.Limits.longestName, cursor.take(UInt8(ascii: ":")) else {
                throw .notPlain
            }
            do { try read(&self, name) } catch { throw error.inside(.member(Array(name.utf8))) }
        }
    }

    /// Reads an object by the list of its members.
    mutating func read<Value: WireObject>(_ value: inout Value) throws(Misreading) {
        let outer = object
        object = Object()
        defer { object = outer }
        if isQuick { try readAtOnce(&value) } else { try readInOrder(&value) }
    }

    /// Reads each member where it is, in the order of the text.
    private mutating func readAtOnce<Value: WireObject>(_ value: inout Value) throws(Misreading) {
        guard cursor.take(UInt8(ascii: "{")) else { throw .notPlain }
        var isFirst = true
        while try isAhead(closing: UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            guard let name = cursor.plainText(), cursor.take(UInt8(ascii: ":")) else { throw .notPlain }
            (object.sought, object.isFound, object.visited) = (name, false, 0)
            value.visit(&self)
            guard object.isFound && failure == nil else { throw .notPlain }
        }
        (object.sought, object.visited) = (nil, 0)
        value.visit(&self)
        guard failure == nil else { throw .notPlain }
    }

    /// Finds the members, says which are unknown or missing, and reads the others in the order of the list.
    private mutating func readInOrder<Value: WireObject>(_ value: inout Value) throws(Misreading) {
        guard cursor.take(UInt8(ascii: "{")) else { throw mismatch("an object") }
        let known = MemberList(Value.self).members
        let names = known.map(\.name.description)
        object.starts = [Int?](repeating: nil, count: known.count)
        var unknown: [String] = []
        var isFirst = true
        while try isAhead(closing: UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            let name = try text()
            guard cursor.take(UInt8(ascii: ":")) else { throw .notPlain }
            cursor.skipSpace()
            if let index = names.firstIndex(of: name) {
                object.starts[index] = cursor.index
            } else {
                unknown.append(name)
            }
            cursor.skipValue()
        }
        let end = cursor.index
        if way == .lenient { unknown = [] }
        let missing = names.indices.filter { known[$0].isRequired && object.starts[$0] == nil }.map { names[$0] }
        guard unknown.isEmpty, missing.isEmpty else {
            throw Misreading(unknown: unknown.sorted(), missing: missing, known: names)
        }
        value.visit(&self)
        if let failure = failure.take() { throw failure }
        cursor.index = end
    }

    private mutating func isAhead(closing: UInt8, isFirst: Bool) throws(Misreading) -> Bool {
        if cursor.take(closing) { return false }
        if !isFirst, !cursor.take(UInt8(ascii: ",")) { throw .notPlain }
        values -= 1
        guard values > 0 else { throw .notPlain }
        return true
    }
}

extension WireReader: MemberVisitor {
    public mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        guard isAhead(name, isRequired: true) else { return }
        do { value = try Value.read(&self) } catch { fail(error, in: name) }
    }

    public mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) {
        guard isAhead(name, isRequired: false), !null() else { return }
        do { value = try Value.read(&self) } catch { fail(error, in: name) }
    }

    public mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        guard isAhead(name, isRequired: false), !null() else { return }
        do { value = try Value.read(&self) } catch { fail(error, in: name) }
    }

    /// Whether the value of that member is ahead, or the cursor could be put there.
    @inline(__always)
    private mutating func isAhead(_ name: StaticString, isRequired: Bool) -> Bool {
        let index = object.visited
        object.visited += 1
        guard isQuick else {
            if failure != nil { return false }
            guard let start = object.starts[index] else { return false }
            cursor.index = start
            return true
        }
        let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: index)
        guard let sought = object.sought else {
            if isRequired, object.given & bit == 0 { failure = .notPlain }
            return false
        }
        guard !object.isFound, cursor.spells(sought, name) else { return false }
        if object.given & bit != 0 { failure = .notPlain }
        object.given |= bit
        object.isFound = true
        return failure == nil
    }

    private mutating func fail(_ error: Misreading, in name: StaticString) {
        failure = error.inside(.member(Array(name.description.utf8)))
    }
}

/// Why a value could not be read.
public struct Misreading: Error {
    /// What is wrong, each place from ``steps`` on; empty where the quick way gave up.
    private(set) var errors: [ProblemErrorBody] = []
    /// How many errors there are, where only the first were made.
    private(set) var count = 0
    /// The way to the value, the last step first.
    private var steps: [JSONStep] = []

    private init() {}

    /// The text is not of the plain form.
    static let notPlain = Misreading()
    static let noWholeNumber = Misreading(.invalidValue, "this must be a whole number of at most 64 bits")
    static let hugeNumber = Misreading(.invalidValue, "this number is larger than a 64-bit one can be")

    init(_ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors = [ProblemErrorBody(pointer: "", code: code.rawValue, detail: detail, hint: hint)]
        count = 1
    }

    /// Unknown members, the first of them with a hint, and the required ones that are missing.
    init(unknown: [String], missing: [String], known: [String]) {
        let hint = "known members: " + known.map { "`\($0)`" }.joined(separator: ", ")
        errors = unknown.prefix(RequestFault.maximumErrors).enumerated().map { index, name in
            ProblemErrorBody(
                pointer: JSONPointer.root.appending(name).description, code: RequestErrorCode.unknownMember.rawValue,
                detail: "there is no member `\(name.shortened)` here", hint: index == 0 ? hint : nil)
        }
        errors += missing.map { name in
            ProblemErrorBody(
                pointer: JSONPointer.root.appending(name).description, code: RequestErrorCode.missingMember.rawValue,
                detail: "the member `\(name)` is missing")
        }
        count = unknown.count + missing.count
    }

    func inside(_ step: JSONStep) -> Misreading {
        guard !errors.isEmpty else { return self }
        var outer = self
        outer.steps.append(step)
        return outer
    }

    /// The same with every place from the root of the request.
    var fault: RequestFault {
        let start = JSONPointer(steps.reversed()).description
        return RequestFault(
            errors: errors.map { error in
                var error = error
                error.pointer = start + (error.pointer ?? "")
                return error
            }, of: count)
    }
}
