import FoundationEssentials
import JSON
import OfferModel

/// What an event tells of before or after a change: members with integers, texts or null.
public struct AuditValues: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One of them.
    struct Member: Sendable, Hashable {
        let name: String
        let value: StoredValue
    }

    /// In the order of their names, each once.
    private(set) var members: [Member]

    /// Members that are in order already.
    init(ordered members: [Member]) {
        self.members = members
    }

    init(_ members: [String: StoredValue]) {
        self.members = members.map(Member.init).sorted { $0.name < $1.name }
    }

    /// Values by their members.
    public init(dictionaryLiteral elements: (String, any Storable)...) {
        self.init(Dictionary(elements.map { ($0, $1.storedValue) }) { first, _ in first })
    }

    /// Reads what ``text`` wrote.
    ///
    /// - Throws: ``StoreError/corrupt(_:)``.
    init(text: String) throws {
        guard let read = try? JSONDecoder().decode([String: Scalar].self, from: Data(text.utf8)) else {
            throw StoreError.corrupt("the values of an event are not a JSON object of integers, texts and null")
        }
        self.init(read.mapValues(\.value))
    }

    /// These but for members that are null, which means the same.
    var withoutNulls: AuditValues { AuditValues(ordered: members.filter { $0.value != .null }) }

    subscript(member: String) -> StoredValue? { members.first { $0.name == member }?.value }

    /// A member.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if it is not there or of another type.
    func value<Value: Storable>(_ member: String, as type: Value.Type = Value.self) throws -> Value {
        guard let stored = self[member], let value = Value(storedValue: stored) else {
            throw StoreError.corrupt("`\(member)` of an event does not hold a valid \(Value.self)")
        }
        return value
    }

    /// Compact JSON with sorted keys.
    var text: String {
        var json = JSONWriter(capacity: 512, escapes: .hexadecimal)
        json.object { json in
            for member in members {
                json.name(member.name)
                switch member.value {
                case .null: json.null()
                case .integer(let integer): json.integer(integer)
                case .text(let text): json.text(text)
                case .blob(let bytes): json.text(Hexadecimal.lowercase(bytes))
                }
            }
        }
        return json.text
    }

    /// These members where they differ from others, and the others there.
    func differences(from earlier: AuditValues) -> (before: AuditValues, after: AuditValues) {
        let changed = members.filter { earlier[$0.name] != $0.value }
        let names = Set(changed.map(\.name))
        return (
            AuditValues(ordered: earlier.members.filter { names.contains($0.name) }), AuditValues(ordered: changed)
        )
    }

    /// These with others laid over them.
    func merging(_ later: AuditValues) -> AuditValues {
        if later.members.isEmpty { return self }
        let kept = members.filter { later[$0.name] == nil }
        return AuditValues(ordered: (kept + later.members).sorted { $0.name < $1.name })
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
