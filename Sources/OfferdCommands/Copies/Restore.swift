import ArgumentParser
import Foundation
import OfferCatalog
import OfferModel
import SQLiteStore

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Check a copy of the database, or put it in the database's place.",
        discussion: """
            With --check the copy is only read: its schema, its structure with every index, its newest moment, how much it \
            holds. With --config too, its ledger is proven with the audit's keys, as verify-ledger does.

            With --config alone it takes the database's place. A database that is there is replaced with --replace alone, is \
            kept under another name, and is not touched while a server has it open. What was issued after the copy was \
            made is then forgotten, and its signatures may still live: see docs/operations.md. Where keys.yaml names a \
            witness, `offerd verify-ledger --accept-restore` says that the step back was on purpose.

            Example:
              offerd restore --check offers-2026-12-01.sqlite --config offerd.yaml
              offerd restore offers-2026-12-01.sqlite --config offerd.yaml --replace
            """)

    @Argument(help: "The copy.", completion: .file())
    var file: String

    @Flag(help: "Only check the copy.")
    var check = false

    @Option(
        help: "The configuration whose database it becomes, or whose keys it is checked with.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Flag(help: "Put it in the place of the database that is there, which is kept under another name.")
    var replace = false

    func validate() throws {
        guard check || config != nil else {
            throw ValidationError("say `--check`, or `--config` with the configuration to restore for")
        }
        guard !(check && replace) else { throw ValidationError("`--replace` is not for `--check`") }
    }

    func run() throws {
        let content = try SQLiteDatabase.inspect(path: file)
        if check {
            let ledger = try prove(content)
            try Terminal.output("\(file) can be restored")
            for line in ContentText.lines(content) + ledger { try Terminal.output(line) }
            return
        }
        if let config {
            let path = try ServerSetup.read(config: config).databasePath
            if let kept = try DatabaseReplacement(path: path).run(from: file, replace: replace) {
                try Terminal.output("kept the former database as \(kept)")
            }
            try Terminal.output("restored \(path) from \(file)")
            if try ServerSetup.read(config: config).keys.audit?.witness != nil {
                try Terminal.output(
                    "`offerd serve` starts once `offerd verify-ledger --accept-restore REASON` has signed that into the "
                        + "witness")
            }
        }
        for line in ContentText.lines(content) { try Terminal.output(line) }
    }

    /// Proves the copy's ledger with the keys of the configuration.
    ///
    /// - Returns: what was proven, or why nothing was.
    /// - Throws: ``CommandFailure`` at the first broken row.
    private func prove(_ content: DatabaseContent) throws -> [String] {
        guard let config else { return ["the ledger was not proven: `--config` names the audit's keys"] }
        let check = try LedgerCheck(try ServerSetup.read(config: config))
        guard content.isCurrent else {
            return ["the ledger was not proven: this version proves its own schema, see `offerd migrate`"]
        }
        let outcome = try SQLiteDatabase.readInline(at: file) { try check.outcome($0) }
        if case .broken(let row) = outcome { throw LedgerOutcome.failure(row) }
        return outcome.lines()
    }
}
