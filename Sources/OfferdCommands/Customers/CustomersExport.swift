import ArgumentParser
import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct CustomersExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything held about a customer as one JSON document.",
        discussion: """
            The answer to a subject access request: identifiers, attributes, the history as Apple signed it, issued \
            offers with their signatures, decisions with their signals, stored answers, merges and the events about \
            them. docs/privacy.md describes the document. May run beside the server. Several identifiers \
            must name the same customer.

            Example:
              offerd customers export --app com.example.pro --environment Production \\
                --original-transaction-id 2000000123 --config offerd.yaml \\
                --out customer.json
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var person: PersonOptions

    @Option(help: "The file to create; it must not exist. (default: standard output)", completion: .file())
    var out: String?

    func run() async throws {
        try await options.withDatabase { setup, database in
            let scope = try person.owner.scope(setup)
            let data = PersonalData(
                ledger: Ledger(database, digest: OpenSSLDigest()), digestKey: nil,
                author: AuditAuthor(actor: "offerd customers export"), clock: { .wallClock })
            let held: PersonalData.Held
            do {
                held = try await data.held(about: person.customer.reference, in: scope)
            } catch {
                throw CommandFailure(person: error) ?? error
            }
            let document = try PersonalDocument(held, scope: scope).jsonText()
            guard let out else { return try Console.output(document) }
            try AtomicFile.create(document + "\n", at: out)
            try Console.output("wrote \(out)")
        }
    }
}

/// The document of `customers export` (docs/privacy.md, "The export").
struct PersonalDocument: Encodable {
    /// The name of the document's form; its number changes with the form.
    static let schema = "offerd-customer-export-1"

    var schema = Self.schema
    var app: String
    var environment: String
    var exportedAt: Instant
    private var tables: [String: [[String: Cell]]]

    init(_ held: PersonalData.Held, scope: Scope) {
        app = scope.bundleId.rawValue
        environment = scope.environment.rawValue
        exportedAt = held.readAt
        tables = held.tables.mapValues { rows in
            rows.map { row in Dictionary(zip(row.columns, row.values.map(Cell.init(value:)))) { first, _ in first } }
        }
    }

    /// A value: bytes are shown as the text or the record of a decision that they are, others as hexadecimal digits.
    private struct Cell: Encodable {
        let value: StoredValue

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
