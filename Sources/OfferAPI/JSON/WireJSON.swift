import FoundationEssentials
import JSON
import OfferModel

/// How this API's JSON is written and read, by server and client alike.
public enum WireJSON {
    /// Writes an answer: sorted keys, plain slashes, times as whole milliseconds.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        if let plain = value as? any FastPathWritable, plain.hasFastPath {
            var json = JSONWriter(capacity: 1_536)
            plain.write(to: &json)
            return json.bytes
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Reads an answer; members that this version does not know are passed over.
    ///
    /// - Throws: `DecodingError`.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Reads a request: one well-formed JSON value without repeated or unknown members.
    ///
    /// - Parameter values: how many values the request may have in all, those inside others included.
    /// - Throws: ``RequestFault``, naming the place.
    public static func decodeRequest<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], values: Int = .max
    ) throws(RequestFault) -> Value {
        if let plain = type as? any FastPathReadable.Type,
            let value = FastPathReader.read(plain, from: bytes, values: values) as? Value
        {
            return value
        }
        try check(bytes, .request(values: values))
        return try decode(type, ofChecked: bytes)
    }

    /// Reads a request of which only some members of the outermost object matter, texts and numbers: of everything else
    /// only the form is checked.
    ///
    /// - Throws: ``RequestFault``, naming the place.
    static func decode<Value: Decodable>(
        _ type: Value.Type, ofRequest bytes: [UInt8], only members: [String], values: Int
    ) throws(RequestFault) -> Value {
        try requireContent(bytes)
        let excerpt: [UInt8]?
        do {
            excerpt = try JSONForm.excerpt(bytes, members, keepingTexts: true, .request(values: values))
        } catch {
            throw RequestFault(error)
        }
        return try decode(type, ofChecked: excerpt ?? Array("[]".utf8))
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, ofChecked bytes: [UInt8]
    ) throws(RequestFault) -> Value {
        do {
            return try decode(type, from: bytes)
        } catch let fault as RequestFault {
            throw fault
        } catch let error as DecodingError {
            throw RequestFault(error)
        } catch {
            throw RequestFault(.root, .malformedJson, "the body cannot be read as JSON")
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
        try requireContent(bytes)
        do {
            try JSONForm.check(bytes, limits)
        } catch {
            throw RequestFault(error)
        }
    }

    private static func requireContent(_ bytes: [UInt8]) throws(RequestFault) {
        guard !bytes.isEmpty else {
            throw RequestFault(.root, .malformedJson, "the body is empty", hint: "send a JSON object")
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
    /// A document whose own reader is as strict and says more about what is wrong; the depth only bounds the recursion.
    static let document = JSONForm.Limits(
        depth: 256, nameLength: .max, numberLength: .max, allowsRepeatedMembers: true)
}
