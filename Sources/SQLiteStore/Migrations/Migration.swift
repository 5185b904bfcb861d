/// One numbered step of the schema; once released its text never changes.
struct Migration: Sendable {
    /// `0001-name`: the number and the name are the same for every engine.
    let name: String
    /// The statements.
    let sql: String

    /// Every step, in order.
    static let all: [Migration] = [.schema]
}
