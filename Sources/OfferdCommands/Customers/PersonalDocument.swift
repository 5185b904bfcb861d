import Foundation
import OfferApplication
import OfferModel
import OfferStore

/// The document of `customers export` (docs/privacy.md, "The export").
struct PersonalDocument: Encodable {
    /// The name of the document's form; its number changes with the form.
    static let schema = "offerd-customer-export-1"

    var schema = Self.schema
    var app: String
    var environment: String
    var exportedAt: Instant
    var tables: [String: [Row]]

    init(_ held: PersonalData.Held, scope: Scope) {
        app = scope.bundleId.rawValue
        environment = scope.environment.rawValue
        exportedAt = held.readAt
        tables = held.tables.mapValues { $0.map(Row.init) }
    }

    /// - Throws: when it cannot be encoded.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// A row; its members are the columns.
    struct Row: Encodable {
        private let members: [String: Cell]

        init(_ row: PersonalRow) {
            members = Dictionary(zip(row.columns, row.values.map(Cell.init))) { first, _ in first }
        }

        func encode(to encoder: any Encoder) throws {
            try members.encode(to: encoder)
        }
    }

    /// A value: bytes are shown as the text or the record of a decision that they are, others as hexadecimal digits.
    private struct Cell: Encodable {
        let value: StoredValue

        init(_ value: StoredValue) {
            self.value = value
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .null: try container.encodeNil()
            case .integer(let integer): try container.encode(integer)
            case .text(let text): try container.encode(text)
            case .blob(let bytes):
                if let record = try? DecisionRecord(packed: bytes) {
                    try container.encode(Described(value: record))
                } else {
                    try container.encode(Self.text(bytes) ?? "hex:" + Hexadecimal.lowercase(bytes))
                }
            }
        }

        /// A payload or a body is JSON text; a digest is none, whatever its bytes are.
        private static func text(_ bytes: [UInt8]) -> String? {
            guard bytes.first == UInt8(ascii: "{") else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }
    }

    /// A value by the names of its members, where it does not say itself how it is encoded.
    private struct Described: Encodable {
        let value: Any

        func encode(to encoder: any Encoder) throws {
            if let value = value as? any Encodable { return try value.encode(to: encoder) }
            let mirror = Mirror(reflecting: value)
            let children = mirror.children.map { ($0.label ?? "", Described(value: $0.value)) }
            switch mirror.displayStyle {
            case .struct: try Dictionary(children) { first, _ in first }.encode(to: encoder)
            case .collection: try children.map(\.1).encode(to: encoder)
            case .optional:
                var container = encoder.singleValueContainer()
                if let child = children.first { try container.encode(child.1) } else { try container.encodeNil() }
            default: try "\(value)".encode(to: encoder)
            }
        }
    }
}
