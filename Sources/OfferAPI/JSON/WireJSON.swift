import FoundationEssentials

/// How this API's JSON is written and read, by server and client alike.
public enum WireJSON {
    /// Writes an answer: sorted keys, plain slashes, times as whole milliseconds.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
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
    /// - Throws: ``RequestFault``, naming the place.
    public static func decodeRequest<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(RequestFault) -> Value {
        try JSONForm.check(bytes)
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
}
