import ArgumentParser
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct CustomersErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase what names a customer; what limits need stays as internal ids, dates and keyed digests.",
        discussion: """
            Without --confirm it only says what would be erased. What is deleted is overwritten in the file; fragments can \
            stay in unused parts of it until --compact, which stops recording for as long as it copies the file. \
            Customers that were merged into this one are erased with it. It is one transaction, told in the audit with \
            the reason, and cannot be undone. May run beside the server. Copies made before still hold the customer: \
            docs/privacy.md says what to do about them.

            Who comes back with the same Apple account is known again by the digests, so once-only offers stay used; \
            the history begins anew. Needs `audit:` in keys.yaml. The reason is kept: name nobody in it.

            Exit status: 0 done, 1 refused or unknown customer, 2 wrong use or configuration.

            Example:
              offerd customers erase --app com.example.pro --environment Production --original-transaction-id 2000000123 \
            --reason "request 4711" --config offerd.yaml
              offerd customers erase --app com.example.pro --environment Production --original-transaction-id 2000000123 \
            --reason "request 4711" --config offerd.yaml --confirm
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var person: PersonOptions

    @Option(help: "Why, such as the number of the request; it names nobody.")
    var reason: String

    @Flag(help: "Erase; without it nothing is written.")
    var confirm = false

    @Flag(help: "Build the database file anew afterwards, without its unused parts; nothing can be recorded meanwhile.")
    var compact = false

    func validate() throws {
        guard (1...200).contains(reason.count),
            !reason.unicodeScalars.contains(where: {
                [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            })
        else { throw ValidationError("a reason has 1 to 200 characters on one line") }
        guard !reason.hasPrefix(Redacted.prefix) else {
            throw ValidationError("a reason does not begin with `\(Redacted.prefix)`, which marks a removed one")
        }
        let named = [
            person.originalTransactionId, person.appTransactionId, person.appAccountToken, person.customerId,
        ]
        guard !named.compactMap(\.self).contains(where: { Self.stands($0, in: reason) }) else {
            throw ValidationError("the reason is kept, so it does not name the customer")
        }
    }

    /// Whether a name stands in a text as a word of its own: `47` does not in `request 4711`.
    private static func stands(_ name: String, in text: String) -> Bool {
        let text = text.lowercased()
        return text.ranges(of: name.lowercased()).contains { range in
            let before = text[..<range.lowerBound].last
            let after = text[range.upperBound...].first
            return ![before, after].compactMap(\.self).contains { $0.isLetter || $0.isNumber }
        }
    }

    func run() async throws {
        let setup = try options.setup()
        let scope = try person.scope(setup)
        let key = try setup.auditKeys()?.digestKey
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        if confirm { try database.overwriteDeleted() }
        let data = PersonalData(
            ledger: Ledger(database, digest: OpenSSLDigest(), key: key), digestKey: key,
            author: AuditAuthor(actor: "offerd customers erase"), clock: { .wallClock() })
        do {
            let plan = try await data.plan(for: person.identifiers, in: scope)
            for line in ErasureText.lines(plan, isDone: confirm) { try Terminal.output(line) }
            guard confirm else {
                return try Terminal.output("nothing was erased: `--confirm` does it")
            }
            let outcome = try await data.erase(person.identifiers, in: scope, reason: reason)
            try Terminal.output(
                "erased: \(outcome.deleted.values.reduce(0, +)) rows deleted, \(outcome.digested) texts replaced by "
                    + "their keyed digest")
        } catch {
            throw CommandFailure(person: error) ?? error
        }
        let failure = compact ? try rebuild(database) : nil
        try empty(database)
        guard let failure else { return }
        throw CommandFailure.failed(
            "the customer was erased, but the file was not built anew: \(failure.detail)",
            hints: ["`sqlite3 \(setup.databasePath) VACUUM` does that while nothing else writes"])
    }

    private func rebuild(_ database: SQLiteDatabase) throws -> StoreError? {
        do {
            try database.compact()
            return nil
        } catch let error as StoreError {
            return error
        }
    }

    /// What was overwritten in the file still stands in its log, until that is emptied.
    private func empty(_ database: SQLiteDatabase) throws {
        guard database.emptyLog() else {
            return try Terminal.output(
                "the log beside the database still holds what was erased: the last process that uses the database empties "
                    + "it when it ends")
        }
    }
}
