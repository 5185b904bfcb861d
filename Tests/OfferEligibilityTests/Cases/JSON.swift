import Foundation
import OfferModel

/// A JSON value of a case file.
enum JSON: Decodable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let array = try? container.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }
}

/// What is wrong with a case file, and where.
struct CaseProblem: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ text: String) {
        description = "\(path): \(text)"
    }
}

/// A member of a case file with its path; typed reads name what is wrong.
struct Member {
    let path: String
    let value: JSON

    func text() throws -> String {
        guard case .text(let text) = value else { throw CaseProblem(path, "should be text") }
        return text
    }

    func boolean() throws -> Bool {
        guard case .boolean(let flag) = value else { throw CaseProblem(path, "should be true or false") }
        return flag
    }

    func whole() throws -> Int {
        guard case .number(let number) = value, let whole = Int(exactly: number) else {
            throw CaseProblem(path, "should be a whole number")
        }
        return whole
    }

    func number() throws -> Double {
        guard case .number(let number) = value else { throw CaseProblem(path, "should be a number") }
        return number
    }

    /// Milliseconds, or ISO 8601 with an offset.
    func instant() throws -> Instant {
        switch value {
        case .number(let number):
            return Instant(milliseconds: Int64(number.rounded(.down)))
        case .text(let text):
            guard let instant = Instant(iso8601: text) else { throw CaseProblem(path, "`\(text)` is not a time") }
            return instant
        default:
            throw CaseProblem(path, "should be a time")
        }
    }

    func period() throws -> Period {
        let text = try text()
        guard let period = Period(text) else { throw CaseProblem(path, "`\(text)` is not a period") }
        return period
    }

    func list() throws -> [Member] {
        guard case .array(let items) = value else { throw CaseProblem(path, "should be a list") }
        return items.enumerated().map { Member(path: "\(path)[\($0)]", value: $1) }
    }

    func oneOf<Value: RawRepresentable>(_: Value.Type) throws -> Value where Value.RawValue == String {
        let text = try text()
        guard let found = Value(rawValue: text) else { throw CaseProblem(path, "`\(text)` is not one of the values") }
        return found
    }

    func factValue() throws -> FactValue {
        switch value {
        case .boolean(let flag): return .boolean(flag)
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .object:
            return try object { object in
                if let at = object["at"] { return .instant(try at.instant()) }
                return .money(try object.money())
            }
        case .null, .array: throw CaseProblem(path, "should be a value")
        }
    }

    /// Reads an object and refuses members that the reader did not ask for.
    func object<Result>(_ read: (Members) throws -> Result) throws -> Result {
        guard case .object(let members) = value else { throw CaseProblem(path, "should be an object") }
        let reader = Members(path: path, members: members)
        let result = try read(reader)
        try reader.refuseUnread()
        return result
    }
}

/// The members of an object; it remembers which were read.
final class Members {
    let path: String
    private let members: [String: JSON]
    private var unread: Set<String>

    init(path: String, members: [String: JSON]) {
        self.path = path
        self.members = members
        unread = Set(members.keys)
    }

    subscript(_ name: String) -> Member? {
        unread.remove(name)
        return members[name].map { Member(path: "\(path).\(name)", value: $0) }
    }

    func required(_ name: String) throws -> Member {
        guard let member = self[name] else { throw CaseProblem(path, "lacks `\(name)`") }
        return member
    }

    /// Every member in the order of the names.
    func each() -> [(name: String, member: Member)] {
        unread = []
        return members.sorted { $0.key < $1.key }.map { ($0.key, Member(path: "\(path).\($0.key)", value: $0.value)) }
    }

    func money() throws -> Money {
        let amount = try required("amount").text()
        guard let milliunits = Money.milliunits(amount) else { throw CaseProblem(path, "`\(amount)` is no amount") }
        return Money(milliunits: milliunits, currency: try required("currency").text())
    }

    func refuseUnread() throws {
        guard let name = unread.min() else { return }
        throw CaseProblem(path, "unknown member `\(name)`")
    }
}
