import JSON

/// How this API's JSON is written and read, by server and client alike.
public enum WireJSON {
    /// Writes an answer: sorted keys, plain slashes, times as whole milliseconds.
    ///
    /// - Throws: ``JSONWriter/NotFinite`` for a number that JSON cannot hold.
    public static func encode(_ value: some WireValue) throws -> [UInt8] {
        var json = JSONWriter(capacity: 1_536)
        json.value(value)
        if let failure = json.failure { throw failure }
        return json.bytes
    }

    /// Reads an answer; members that this version does not know are passed over.
    ///
    /// - Throws: ``RequestFault``, naming the place.
    public static func decode<Value: WireValue>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(RequestFault) -> Value {
        try check(bytes, .document)
        return try read(type, ofChecked: bytes, isStrict: false)
    }

    /// Reads a request: one well-formed JSON value without repeated or unknown members.
    ///
    /// - Parameter values: how many values the request may have in all, those inside others included.
    /// - Throws: ``RequestFault``, naming the place.
    public static func decodeRequest<Value: WireValue>(
        _ type: Value.Type, from bytes: [UInt8], values: Int = .max
    ) throws(RequestFault) -> Value {
        if let value = WireReader.quick(type, from: bytes, values: values) { return value }
        try check(bytes, .request(values: values))
        return try read(type, ofChecked: bytes, isStrict: true)
    }

    /// Reads a request of which unknown members are passed over: of them only the form is checked.
    ///
    /// - Throws: ``RequestFault``, naming the place.
    static func decodeKnown<Value: WireValue>(
        _ type: Value.Type, ofRequest bytes: [UInt8], values: Int
    ) throws(RequestFault) -> Value {
        if let value = WireReader.quick(type, from: bytes, values: values) { return value }
        try check(bytes, .request(values: values))
        return try read(type, ofChecked: bytes, isStrict: false)
    }

    private static func read<Value: WireValue>(
        _ type: Value.Type, ofChecked bytes: [UInt8], isStrict: Bool
    ) throws(RequestFault) -> Value {
        do {
            return try WireReader.thorough(type, from: bytes, isStrict: isStrict)
        } catch {
            throw error.fault
        }
    }

    /// Checks that a document is JSON (RFC 8259) and no wider language, before its own reader looks at what it says.
    ///
    /// A byte order mark is passed over, as RFC 8259 §8.1 allows. Members given twice and the length of names and
    /// numbers are left to the document's reader.
    ///
    /// - Throws: ``RequestFault`` with the line and column of the first character that is wrong.
    public static func checkDocument(_ bytes: [UInt8]) throws(RequestFault) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        try check(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes, .document)
    }

    static func check(_ bytes: [UInt8], _ limits: JSONForm.Limits) throws(RequestFault) {
        guard !bytes.isEmpty else {
            throw RequestFault(.root, .malformedJson, "the body is empty", hint: "send a JSON object")
        }
        do {
            try JSONForm.check(bytes, limits)
        } catch {
            throw RequestFault(error)
        }
    }
}

extension JSONForm.Limits {
    /// A request: none needs more than four levels, and the longest number that a 64-bit float needs is shorter.
    static func request(values: Int) -> JSONForm.Limits {
        JSONForm.Limits(
            depth: 32, nameLength: longestName, numberLength: 64, allowsRepeatedMembers: false, values: values)
    }
    /// The longest name of a member of a request, in bytes.
    static let longestName = 255
}
