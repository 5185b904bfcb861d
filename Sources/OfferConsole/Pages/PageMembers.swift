import Mustache
import OfferAPI
import OfferModel

/// The members of an answer of the API as a template takes them: there is no second list of what an answer says.
///
/// Texts and numbers are themselves, lists and objects are lists and objects, attributes are a list with `name` and
/// `value`, and a moment has the members `iso` and `text`. `true` and `false` are shown as words.
struct PageMembers: MemberVisitor {
    private(set) var values: [String: Any] = [:]

    /// - Parameter object: the answer, or a part of it.
    static func of(_ object: some WireObject) -> [String: Any] {
        var (object, members) = (object, PageMembers())
        object.visit(&members)
        return members.values
    }

    mutating func required<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        values[name.description] = Self.shown(value)
    }

    mutating func optional<Value: WireValue>(_ name: StaticString, _ value: inout Value?) {
        values[name.description] = value.map { Self.shown($0) }
    }

    mutating func defaulted<Value: WireValue>(_ name: StaticString, _ value: inout Value) {
        required(name, &value)
    }

    static func moment(_ instant: Instant) -> [String: Any] {
        ["iso": instant.description, "text": TimeText.absolute(instant)]
    }

    private static func shown(_ value: any WireValue) -> Any {
        switch value {
        case let instant as Instant: moment(instant)
        case let object as any WireObject: of(object)
        case let values as [any WireValue]: values.map(shown)
        case let map as [String: any WireValue]:
            map.sorted { $0.key < $1.key }.map { ["name": $0.key, "value": shown($0.value)] as [String: Any] }
        case let flag as Bool: Flag(flag: flag)
        case let number as Int: number
        case let number as Int64: number
        case let word as any WireWord: word.rawValue
        case let fact as FactValue: fact.description
        case EvidenceValue.value(let fact): fact.description
        case EvidenceValue.list(let facts): facts.map(\.description).joined(separator: ", ")
        default: "\(value)"
        }
    }

    /// Shown as a word, and no section where it is false.
    private struct Flag: MustacheCustomRenderable {
        let flag: Bool

        var renderText: String { flag ? "yes" : "no" }
        var isNull: Bool { !flag }
    }
}
