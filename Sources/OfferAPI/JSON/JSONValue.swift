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

extension JSONValue: Codable {
    /// Reads any value; what most values are is tried first.
    ///
    /// - Throws: ``RequestFault`` at a number that 64 bits cannot hold.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let whole = try? container.decode(Int64.self) {
            self = .integer(whole)
        } else if let flag = try? container.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let members = try? decoder.container(keyedBy: AnyMember.self) {
            let pairs = try members.allKeys.map { ($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) }
            self = .object(Dictionary(pairs) { first, _ in first })
        } else if var elements = try? decoder.unkeyedContainer() {
            var values = [JSONValue]()
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .list(values)
        } else {
            throw RequestFault(
                JSONPointer(decoder.codingPath), .invalidValue, "this number is larger than a 64-bit one can be")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let flag): try container.encode(flag)
        case .integer(let whole): try container.encode(whole)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
