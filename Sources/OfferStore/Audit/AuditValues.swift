import FoundationEssentials
import OfferModel

/// What an event tells of before or after a change: members with integers, texts or null.
public struct AuditValues: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private(set) var members: [String: StoredValue]

    init(_ members: [String: StoredValue]) {
        self.members = members
    }

    /// Values by their members.
    public init(dictionaryLiteral elements: (String, any Storable)...) {
        members = Dictionary(elements.map { ($0, $1.storedValue) }) { first, _ in first }
    }

    /// Reads what ``text`` wrote.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``.
    init(text: String) throws {
        guard let read = try? JSONDecoder().decode([String: Scalar].self, from: Data(text.utf8)) else {
            throw StoreError.corrupt("the values of an event are not a JSON object of integers, texts and null")
        }
        members = read.mapValues(\.value)
    }

    subscript(member: String) -> StoredValue? { members[member] }

    /// A member.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is not there or of another type.
    func value<Value: Storable>(_ member: String, as type: Value.Type = Value.self) throws -> Value {
        guard let stored = members[member], let value = Value(storedValue: stored) else {
            throw StoreError.corrupt("`\(member)` of an event does not hold a valid \(Value.self)")
        }
        return value
    }

    /// Compact JSON with sorted keys.
    var text: String {
        let members = members.sorted { $0.key < $1.key }.map { key, value in
            "\(StoredTextList.quoted(key)):\(Self.json(value))"
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// These members where they differ from others, and the others there.
    func differences(from earlier: AuditValues) -> (before: AuditValues, after: AuditValues) {
        let changed = members.filter { earlier[$0.key] != $0.value }
        return (AuditValues(earlier.members.filter { changed[$0.key] != nil }), AuditValues(changed))
    }

    /// These with others laid over them.
    func merging(_ later: AuditValues) -> AuditValues {
        AuditValues(members.merging(later.members) { $1 })
    }

    private static func json(_ value: StoredValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let integer): String(integer)
        case .text(let text): StoredTextList.quoted(text)
        case .blob(let bytes): StoredTextList.quoted(Hexadecimal.lowercase(bytes))
        }
    }

    private struct Scalar: Decodable {
        let value: StoredValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let integer = try? container.decode(Int64.self) {
                value = .integer(integer)
            } else {
                value = .text(try container.decode(String.self))
            }
        }
    }
}
