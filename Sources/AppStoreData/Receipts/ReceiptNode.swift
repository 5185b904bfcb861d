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

    /// A member that is there.
    func member(_ name: String) -> ReceiptNode? {
        guard case .object(let members) = value, let member = members[name], member != .null, member != .text("") else {
            return nil
        }
        return ReceiptNode(member, path: way(to: name))
    }

    /// The names of the members that are there.
    var names: [String] {
        guard case .object(let members) = value else { return [] }
        return members.filter { $0.value != .null }.map(\.key)
    }

    var isObject: Bool {
        guard case .object = value else { return false }
        return true
    }

    /// A member that is an object.
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
        ReceiptProblem(reason, path: name.map(way) ?? path, detail: detail, hint: hint)
    }

    func missing(
        _ name: String, _ reason: ReceiptProblem.Reason = .invalidValue, hint: String? = nil
    ) -> ReceiptProblem {
        problem("has no `\(name)`", reason, hint: hint)
    }

    private func way(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private static let longestText = 512
}
