package import JSON

/// A JSON value whose members are not ours to list, such as one of Apple's payloads.
package enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// A whole number of 64 bits.
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: WireValue {
    package static var form: WireForm { .anything }

    package static func read(_ json: inout WireReader) throws(Misreading) -> JSONValue {
        if json.isQuick { throw .notPlain }
        switch json.next() {
        case UInt8(ascii: "\""): return .text(try json.text())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean(try json.boolean())
        case UInt8(ascii: "["): return .list(try [JSONValue].read(&json))
        case UInt8(ascii: "{"): return .object(try [String: JSONValue].read(&json))
        default:
            if json.null() { return .null }
            switch try json.number() {
            case .whole(let whole): return .integer(whole)
            case .other(let number) where number.isFinite: return .number(number)
            case .other: throw .hugeNumber
            }
        }
    }

    package func write(to json: inout JSONWriter) throws {
        switch self {
        case .null: json.null()
        case .boolean(let flag): json.boolean(flag)
        case .integer(let whole): json.integer(whole)
        case .number(let number): try json.number(number)
        case .text(let text): json.text(text)
        case .list(let elements): try elements.write(to: &json)
        case .object(let members): try members.write(to: &json)
        }
    }
}
