import ArgumentParser
import CommandLineSupport
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct CustomersErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a customer's personal data; limits keep internal ids, dates and keyed digests.",
        discussion: """
            Without --confirm it only reports what would be erased. Deleted data is overwritten in the file; fragments can \
            remain in unused parts of the file until --compact, which stops all writes while it copies the file. \
            Customers that were merged into this one are erased with it. It is one transaction, recorded in the audit with \
            the reason, and cannot be undone. May run beside the server. Earlier backups still hold the customer: \
            docs/privacy.md says what to do about them.

            A customer who comes back with the same Apple account is recognised by the digests, so once-only offers stay \
            used; the history starts empty. Needs `audit:` in keys.yaml. The reason is kept: do not name a person in it.

            Exit status: 0 done, 1 refused or unknown customer, 2 wrong use or configuration.

            Example:
              offerd customers erase --app com.example.pro --environment Production \\
                --original-transaction-id 2000000123 --reason "request 4711" \\
                --config offerd.yaml
              offerd customers erase --app com.example.pro --environment Production \\
                --original-transaction-id 2000000123 --reason "request 4711" \\
                --config offerd.yaml --confirm
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var person: PersonOptions

    @Option(help: "The reason, such as the number of the request. It must not name a person.")
    var reason: String

    @Flag(help: "Erase. Without it nothing is written.")
    var confirm = false

    @Flag(help: "Rebuild the database file afterwards, without its unused parts; nothing can be recorded meanwhile.")
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
        guard !person.customer.given.contains(where: { Self.has($0, in: reason) }) else {
            throw ValidationError("the reason is kept, so it does not name the customer")
        }
    }

    /// Whether a text has a name as a whole word: `request 4711` does not have `47`.
    private static func has(_ name: String, in text: String) -> Bool {
        let text = text.lowercased()
        return text.ranges(of: name.lowercased()).contains { range in
            let before = text[..<range.lowerBound].last
            let after = text[range.upperBound...].first
            return ![before, after].compactMap(\.self).contains { $0.isLetter || $0.isNumber }
        }
    }

    func run() async throws {
        try await options.withDatabase(erase)
    }

    private func erase(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws {
        let scope = try person.owner.scope(setup)
        let key = try setup.auditKeys()?.digestKey
        let file = database as? SQLiteDatabase
        if compact, file == nil {
            throw CommandFailure(
                .usage, "`--compact` rebuilds a database file, and `\(setup.database)` is on a PostgreSQL server",
                hints: ["after the erasure, `VACUUM FULL` rebuilds its tables"])
        }
        if confirm { try file?.overwriteDeleted() }
        let data = PersonalData(
            ledger: Ledger(database, digest: OpenSSLDigest(), key: key), digestKey: key,
            author: AuditAuthor(actor: "offerd customers erase"), clock: { .wallClock })
        do {
            let plan = try await data.plan(for: person.customer.reference, in: scope)
            for line in ErasureText.lines(plan, isDone: confirm) { try Console.output(line) }
            guard confirm else {
                return try Console.output("nothing was erased: add `--confirm` to erase")
            }
            let outcome = try await data.erase(person.customer.reference, in: scope, reason: reason)
            try Console.output(
                "erased: \(outcome.deleted.values.reduce(0, +).counted("row")) deleted, \(outcome.digested.counted("text")) replaced by "
                    + "keyed digests")
        } catch {
            throw CommandFailure(person: error) ?? error
        }
        var failure: StoreError?
        do {
            if compact { try file?.compact() }
        } catch let error as StoreError {
            failure = error
        }
        if let file { try empty(file) }
        guard let failure else { return }
        throw CommandFailure(
            .failed, "the customer was erased, but the file was not rebuilt: \(failure.detail)",
            hints: ["`sqlite3 \(setup.database) VACUUM` does that while nothing else writes"])
    }

    /// The log still holds what was overwritten in the file, until it is emptied.
    private func empty(_ database: SQLiteDatabase) throws {
        guard database.emptyLog() else {
            return try Console.output(
                "the log beside the database still holds what was erased: the last process that uses the database empties "
                    + "it when it ends")
        }
    }
}

enum ErasureText {
    static func lines(_ plan: ErasurePlan, isDone: Bool) -> [String] {
        let merged = plan.chain.count - plan.customers.count
        var lines = [
            "\(isDone ? "erasing" : "would erase") \(plan.customers.count.counted("customer"))"
                + (merged == 0 ? "" : ", with \(merged) merged into them")
        ]
        for table in Table.all {
            guard let rows = plan.rows[table.name] else { continue }
            lines.append("  \(table.name): \(rows.counted("row")) \(action(of: table))")
        }
        if !plan.mentions.isEmpty {
            lines.append(
                "  decision: \(plan.mentions.count.counted("record")) about other or unknown customers that "
                    + "\(plan.mentions.count == 1 ? "names" : "name") the customer, too")
        }
        if plan.sharing > 0 {
            lines.append(
                "\(plan.sharing.counted("other customer")) with an account or name in common "
                    + "\(plan.sharing == 1 ? "keeps" : "keep") it, with their own data")
        }
        return lines
    }

    private static func action(of table: Table) -> String {
        let actions = Set(table.columns.map(\.erasure))
        if actions == [.deleted] { return "deleted" }
        let changed = table.columns.filter { $0.erasure == .digested || $0.erasure == .emptied }.map { "`\($0.name)`" }
        return changed.isEmpty ? "kept" : "kept without \(changed.joined(separator: ", "))"
    }
}
