import ArgumentParser
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
            offers with their signatures, decisions with the signals they were made on, kept answers, merges and the \
            events about them. docs/privacy.md describes the document. May run beside the server. Several identifiers \
            must name the same customer.

            Example:
              offerd customers export --app com.example.pro --environment Production --original-transaction-id 2000000123 \
            --config offerd.yaml --out customer.json
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var person: PersonOptions

    @Option(help: "The file to make; it must not exist. Standard output if left out.", completion: .file())
    var out: String?

    func run() async throws {
        let setup = try options.setup()
        let scope = try person.scope(setup)
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        let data = PersonalData(
            ledger: Ledger(database, digest: OpenSSLDigest()), digestKey: nil,
            author: AuditAuthor(actor: "offerd customers export"), clock: { .wallClock() })
        let held: PersonalData.Held
        do {
            held = try await data.held(about: person.identifiers, in: scope)
        } catch {
            throw CommandFailure(person: error) ?? error
        }
        let document = try PersonalDocument(held, scope: scope).json()
        guard let out else { return try Terminal.output(document) }
        try NewPrivateFile.make(document + "\n", at: out)
        try Terminal.output("wrote \(out)")
    }
}
