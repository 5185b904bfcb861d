import FoundationEssentials
import GRDB
import OfferStore

extension StoredValue {
    /// Reads a column.
    init(_ value: DatabaseValue) throws {
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .blob([UInt8](data))
        case .double: throw StoreError.corrupt("a column holds a floating-point number")
        }
    }

    /// The value as SQLite binds it.
    func databaseValue() throws -> DatabaseValue {
        switch self {
        case .null: return .null
        case .integer(let integer): return integer.databaseValue
        case .blob(let bytes): return Data(bytes).databaseValue
        case .text(let text):
            // SQLite's C strings end at a NUL: what follows would be lost, and two different texts become one.
            guard !text.utf8.contains(0) else { throw StoreError.constraint("text without U+0000") }
            return text.databaseValue
        }
    }
}
