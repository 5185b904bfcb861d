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

    /// A value: bytes are shown as the text they are, others as hexadecimal digits.
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
            case .blob(let bytes): try container.encode(Self.text(bytes) ?? "hex:" + Hexadecimal.lowercase(bytes))
            }
        }

        /// A payload or a body is JSON text; a digest is none, whatever its bytes are.
        private static func text(_ bytes: [UInt8]) -> String? {
            guard bytes.first == UInt8(ascii: "{") else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }
    }
}
