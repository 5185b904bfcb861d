/// A value of a verifyReceipt answer. Apple writes nearly everything as text, and what exported the answer may have made
/// numbers and booleans of it: here they are text again.
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
