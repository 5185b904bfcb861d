import JSON
import OfferModel

/// Writes the members of a payload in the order of their names.
struct PayloadWriter: PayloadFields {
    typealias Failure = Never

    private var members: [(name: String, write: (inout JSONWriter) -> Void)] = []

    static func text(of object: some PayloadObject) -> [UInt8] {
        var json = JSONWriter(escapes: .hexadecimal)
        write(object, to: &json)
        return json.bytes
    }

    private static func write(_ object: some PayloadObject, to json: inout JSONWriter) {
        var (writer, object) = (PayloadWriter(), object)
        object.visit(&writer)
        json.object { json in
            for member in writer.members.sorted(by: { $0.name < $1.name }) {
                json.name(member.name)
                member.write(&json)
            }
        }
    }

    mutating func optional<Value: PayloadValue>(_ name: String, _ value: inout Value?) {
        if var value { required(name, &value) }
    }

    mutating func required<Value: PayloadValue>(_ name: String, _ value: inout Value) {
        let scalar = value.scalar
        members.append(
            (
                name,
                { json in
                    switch scalar {
                    case .text(let text): json.text(text)
                    case .number(let number) where Value.form == .flag: json.boolean(number != 0)
                    case .number(let number): json.integer(number)
                    case .texts(let texts): json.array(texts) { $0.text($1) }
                    }
                }
            ))
    }

    mutating func signingDate(_ name: String, _ value: inout Instant) { required(name, &value) }

    mutating func object<Object: PayloadObject>(_ name: String, _ value: inout Object?) {
        if let value { members.append((name, { Self.write(value, to: &$0) })) }
    }
}
