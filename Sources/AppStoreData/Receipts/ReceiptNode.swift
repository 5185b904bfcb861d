import OfferModel

/// A place in a verifyReceipt answer, with the way to it; every problem names its place.
///
/// Members that are not asked for are ignored, and `null` and an empty text count as absent.
struct ReceiptNode {
    let value: ReceiptValue
    let path: String

    init(_ value: ReceiptValue, path: String = "") {
        self.value = value
        self.path = path
    }

    static let nothing = ReceiptNode(.object([:]))

    func member(_ name: String) -> ReceiptNode? {
        guard case .object(let members) = value, let member = members[name], member != .null, member != .text("") else {
            return nil
        }
        return ReceiptNode(member, path: way(to: name))
    }

    var names: [String] {
        guard case .object(let members) = value else { return [] }
        return members.filter { $0.value != .null }.map(\.key)
    }

    var isObject: Bool {
        guard case .object = value else { return false }
        return true
    }

    func object(_ name: String) throws(ReceiptProblem) -> ReceiptNode? {
        guard let member = member(name) else { return nil }
        guard member.isObject else { throw member.problem("is not an object") }
        return member
    }

    /// The objects of a list. Apple's oldest answers have a single object where the later ones have a list.
    func objects(_ name: String) throws(ReceiptProblem) -> [ReceiptNode] {
        guard let member = member(name) else { return [] }
        if member.isObject { return [member] }
        guard case .list(let elements) = member.value else { throw member.problem("is not a list") }
        var nodes: [ReceiptNode] = []
        for (place, element) in elements.enumerated() {
            let node = ReceiptNode(element, path: "\(member.path)[\(place)]")
            guard node.isObject else { throw node.problem("is not an object") }
            nodes.append(node)
        }
        return nodes
    }

    /// Text without control characters, of a length that nothing of Apple's comes near.
    func text(_ name: String) throws(ReceiptProblem) -> String? {
        guard let member = member(name) else { return nil }
        guard case .text(let text) = member.value else { throw member.problem("is not text") }
        guard text.utf8.count <= Self.longestText else {
            throw member.problem("has \(text.utf8.count) bytes, more than \(Self.longestText)")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw member.problem("holds a control character")
        }
        return text
    }

    func requiredText(_ name: String) throws(ReceiptProblem) -> String {
        guard let text = try text(name) else { throw missing(name) }
        return text
    }

    /// A flag: Apple writes `"true"` and `"false"` of purchases, `"1"` and `"0"` of renewals.
    func flag(_ name: String) throws(ReceiptProblem) -> Bool? {
        guard let text = try text(name) else { return nil }
        switch text.lowercased() {
        case "true", "1": return true
        case "false", "0": return false
        default: throw problem("`\(text)` is neither true nor false", at: name)
        }
    }

    /// A value of a numbered list that Apple extends: unknown ones are kept.
    func number(_ name: String) throws(ReceiptProblem) -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text), InputBounds.integers.contains(Int64(number)) else {
            throw problem("`\(text)` is not a whole number", at: name)
        }
        return number
    }

    func problem(
        _ detail: String, _ reason: ReceiptProblem.Reason = .invalidValue, at name: String? = nil, hint: String? = nil
    ) -> ReceiptProblem {
        ReceiptProblem(reason: reason, path: name.map(way) ?? path, detail: detail, hint: hint)
    }

    func missing(
        _ name: String, _ reason: ReceiptProblem.Reason = .invalidValue, hint: String? = nil
    ) -> ReceiptProblem {
        problem("has no `\(name)`", reason, hint: hint)
    }

    private func way(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private static let longestText = 512

    /// A date, named without its ending: `purchase_date` is read from `purchase_date_ms`, and where that is absent from
    /// `purchase_date` itself, which is milliseconds too in Apple's oldest answers and else `2019-02-24 15:03:03
    /// Etc/GMT`.
    func date(_ name: String) throws(ReceiptProblem) -> Instant? {
        for name in ["\(name)_ms", name] {
            guard let text = try text(name) else { continue }
            guard let date = Self.instant(text) else {
                throw problem("`\(text)` is not a date", at: name, hint: "write milliseconds since 1970")
            }
            guard Self.dates.contains(date) else {
                throw problem(
                    "`\(text)` is \(date), which cannot be the date of a purchase", .implausibleDate, at: name,
                    hint: "write milliseconds since 1970, not seconds")
            }
            return date
        }
        return nil
    }

    func requiredDate(_ name: String) throws(ReceiptProblem) -> Instant {
        guard let date = try date(name) else { throw missing("\(name)_ms") }
        return date
    }

    private static func instant(_ text: String) -> Instant? {
        if let milliseconds = Int64(text) { return Instant(milliseconds: milliseconds) }
        let parts = text.split(separator: " ")
        guard parts.count == 3, parts[2] == "Etc/GMT" else { return nil }
        return Instant(iso8601: "\(parts[0])T\(parts[1])Z")
    }

    /// The App Store opened on 2008-07-10.
    private static let dates = Instant(milliseconds: 1_215_648_000_000)...InputBounds.instants.upperBound
}

/// A value of a verifyReceipt answer. Apple writes nearly everything as text, and what exported the answer may have
/// made numbers and booleans of it: here they are text again.
enum ReceiptValue: Sendable, Hashable {
    case null
    case text(String)
    case object([String: ReceiptValue])
    case list([ReceiptValue])

    /// Apple's answers are four deep: answer, receipt, list, purchase. A wrapper adds one.
    private static let deepest = 12
}

extension ReceiptValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard decoder.codingPath.count <= Self.deepest else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "nested too deeply")
        }
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if container.decodeNil() {
            self = .null
        } else if let members = try? container.decode([String: ReceiptValue].self) {
            self = .object(members)
        } else if let elements = try? container.decode([ReceiptValue].self) {
            self = .list(elements)
        } else if let flag = try? container.decode(Bool.self) {
            self = .text(flag ? "true" : "false")
        } else if let number = try? container.decode(Int64.self) {
            self = .text(String(number))
        } else {
            let number = try container.decode(Double.self)
            self = .text(Int64(exactly: number).map { String($0) } ?? String(number))
        }
    }
}

public struct ReceiptProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Not JSON, or no answer of verifyReceipt.
        case malformed
        case tooLong
        /// Apple answered with a status and no receipt.
        case noReceipt
        case wrongApp
        case wrongEnvironment
        /// A date that no purchase has, or one to come.
        case implausibleDate
        /// A member that must be there is not, or is not of its type.
        case invalidValue
    }

    public let reason: Reason
    /// The way to it, from the text's root: `receipt.in_app[3].purchase_date_ms`; empty for the text itself.
    public let path: String
    public let detail: String
    public var hint: String?

    public var description: String { path.isEmpty ? detail : "\(path): \(detail)" }
}

/// Why nothing of an answer was taken.
///
/// One unreadable purchase refuses the whole answer: without it the others could make a subscription look over that
/// goes on (invariant 3).
public struct ReceiptRefusal: Error, Sendable, Hashable {
    /// The first problems, at most ``mostProblems``, in the order of the text.
    public let problems: [ReceiptProblem]
    public let more: Int

    public static let mostProblems = 10

    public init(_ problems: [ReceiptProblem]) {
        self.problems = Array(problems.prefix(Self.mostProblems))
        more = problems.count - self.problems.count
    }
}
