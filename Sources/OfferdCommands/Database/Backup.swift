import ArgumentParser
import CommandLineSupport
import Foundation
import OfferDocuments
import OfferModel
import OfferStore
import SQLiteStore
import Synchronization

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database into a new file, also while the server runs.",
        discussion: """
            The copy is the database at one moment; the server keeps running. It is checked before it gets its name, is \
            readable only by its owner, and never replaces a file. It holds no private key and no token, but customers' \
            histories and live signatures: protect it like the original.

            If --out is a folder, the file is named by the time, and with --keep the oldest copies of this database in it \
            are then deleted. The time is noted in the database, and `/metrics` shows it.

            Example:
              offerd backup --config offerd.yaml --out offers-2026-12-01.sqlite
              offerd backup --config offerd.yaml --out /var/backups/offerd --keep 14
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "The file to create (it must not exist), or a folder.", completion: .file())
    var out: String

    @Option(help: "How many copies stay in the folder, the new one included.")
    var keep: Int?

    func validate() throws {
        guard (1...10_000).contains(keep ?? 1) else { throw ValidationError("`--keep` takes 1 to 10000 copies") }
    }

    func run() async throws {
        let setup = try options.setup()
        let begin = Instant.wallClock
        let path = try setup.database.requirePath("backup", instead: ServerTools.hint)
        let folder = BackupFolder(out, of: path)
        guard keep == nil || folder != nil else {
            throw CommandFailure(
                .usage, "`--keep` is for a folder, and `\(out)` is none",
                hints: ["name a folder that exists as `--out`, or leave `--keep` out"])
        }
        let file = folder?.file(at: begin) ?? out
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(
                .failed, "`\(file)` exists already and is not replaced", hints: ["give the copy another name"])
        }
        let parent = URL(filePath: file).deletingLastPathComponent().relativePath
        guard FileManager.default.fileExists(atPath: parent) else {
            throw CommandFailure(
                .failed, "the folder `\(parent)` does not exist", hints: ["create it, or give another name as `--out`"])
        }
        let content = try SQLiteDatabase.copy(from: path, to: file)
        try Disk.flushName(of: file)
        try Console.output("made \(file)")
        for line in ContentText.lines(content) { try Console.output(line) }
        // A database that is yet to be migrated has no place for it.
        if content.isCurrent { await setup.database.note(.backup, at: begin) }
        guard let folder, let keep else { return }
        for name in try folder.prune(keeping: keep, newest: file) { try Console.output("deleted \(name)") }
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Check a copy of the database, or replace the database with it.",
        discussion: """
            With --check the copy is only read: its schema, its structure with every index, its newest moment, how much it \
            holds. With --config too, its ledger is proven with the audit's keys, as verify-ledger does.

            Without --check it replaces the configuration's database. An existing database is replaced only with \
            --replace, is kept under another name, and is not touched while a server has it open. Where keys.yaml names a \
            witness, `offerd verify-ledger --accept-restore` records that this was on purpose.

            What was issued after the copy was made is forgotten, and its signatures may still be redeemed. So that \
            limits hold, offers with a limit are issued for new uses only 25 hours after --issued-until; all others \
            are issued at once. `offerd limits` changes that later.

            Example:
              offerd restore --check offers-2026-12-01.sqlite --config offerd.yaml
              offerd restore offers-2026-12-01.sqlite --config offerd.yaml --replace
            """)

    @Argument(help: "The copy.", completion: .file())
    var file: String

    @Flag(help: "Only check the copy.")
    var check = false

    @Option(
        help:
            "The configuration whose database it becomes (default: offerd.yaml here, or /etc/offerd/offerd.yaml), or whose keys it is checked with.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Flag(help: "Replace the existing database, which is kept under another name.")
    var replace = false

    @Option(
        help: "The last moment at which the former database may have issued an offer. (default: now)",
        transform: Instant.argument)
    var issuedUntil: Instant?

    func validate() throws {
        guard issuedUntil == nil || !check else {
            throw ValidationError("`--issued-until` is for a restore, not for `--check`")
        }
        guard !(check && replace) else { throw ValidationError("`--replace` is not for `--check`") }
    }

    func run() async throws {
        let setup = check ? nil : try ServerSetup.read(config: try ConfigurationFile.path(config))
        let content = try naming { try SQLiteDatabase.inspect(path: file) }
        guard let setup else {
            let ledger = try prove(content)
            try Console.output("\(file) can be restored")
            for line in ContentText.lines(content) + ledger { try Console.output(line) }
            return
        }
        let path = try setup.database.requirePath("restore", instead: ServerTools.hint)
        let lines = Mutex<[String]>([])
        let kept = try await DatabaseReplacement(path: path).run(from: file, replace: replace) { copy in
            let said = try await pauseLimited(copy, content, setup)
            lines.withLock { $0 = said }
        }
        if let kept { try Console.output("kept the former database as \(kept)") }
        try Console.output("restored \(path) from \(file)")
        for line in lines.withLock({ $0 }) { try Console.output(line) }
        if setup.keys.audit?.witness != nil {
            try Console.output(
                "`offerd serve` starts once `offerd verify-ledger --accept-restore REASON` has signed that into the "
                    + "witness")
        }
        for line in ContentText.lines(content) { try Console.output(line) }
    }

    /// Names the copy in what is wrong with it: the words of the store are of the database.
    private func naming<Result>(_ read: () throws -> Result) throws -> Result {
        do {
            return try read()
        } catch let error as StoreError where error.isPermanent {
            let hint =
                switch error {
                case .foreign: "name a file that `offerd backup` made"
                case .newerThanThisVersion: error.hint
                default: "name another copy"
                }
            throw CommandFailure(
                .failed, "`\(file)` cannot be restored: \(error.detail)", hints: [hint].compactMap(\.self))
        }
    }

    /// Pauses offers with a limit in the copy, so that no server ever opens it without.
    ///
    /// - Returns: what to say about it.
    private func pauseLimited(_ copy: String, _ content: DatabaseContent, _ setup: ServerSetup) async throws -> [String]
    {
        if let issuedUntil, let newest = content.census.lastInstant, issuedUntil <= newest {
            return ["offers with a limit are issued: nothing was issued since the copy"]
        }
        guard content.isCurrent else {
            return [
                "before `offerd serve`, run `offerd migrate` and `offerd limits pause`: offers issued since the copy are unknown"
            ]
        }
        return try await LimitsPause.pause(
            setup, UnsharedDatabase(path: copy), issuedUntil: issuedUntil, by: "offerd restore")
    }

    /// - Returns: what was proven, or why nothing was.
    private func prove(_ content: DatabaseContent) throws -> [String] {
        guard let config else { return ["the ledger was not proven: `--config` names the audit's keys"] }
        let check = try LedgerCheck(try ServerSetup.read(config: config))
        guard content.isCurrent else {
            return ["the ledger was not proven: this version proves its own schema, see `offerd migrate`"]
        }
        let outcome = try naming { try SQLiteDatabase.readInline(at: file) { try check.outcome($0) } }
        if case .broken(let row) = outcome { throw LedgerOutcome.failure(row) }
        return outcome.lines()
    }
}

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create the database or migrate it to this version's schema.",
        discussion: """
            Migration goes forward only. Stop the server and keep a copy of the database first.

            Example:
              offerd migrate --config offerd.yaml
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let setup = try options.setup()
        let steps = try setup.database.migrate()
        for step in steps { try Console.output("migrated: \(step)") }
        try Console.output(
            steps.isEmpty ? "\(setup.database) is up to date" : "\(setup.database) is now up to date")
    }
}

/// What copies a database on a server.
enum ServerTools {
    static let hint =
        "use the server's own tools, such as `pg_basebackup` or `pg_dump`; then `offerd verify-ledger` proves the copy"
}

enum ContentText {
    static func lines(_ content: DatabaseContent) -> [String] {
        let census = content.census
        let counts = [
            ("customers", census.customers), ("history", census.history),
            ("catalog revisions", census.catalogRevisions),
            ("issued offers", census.issuedOffers), ("signatures", census.signatures), ("decisions", census.decisions),
        ].map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        return [
            "schema \(content.schema)\(content.isCurrent ? "" : ", older than this version: `offerd migrate` brings it up")",
            "structure and indexes are whole",
            "newest moment \(census.lastInstant.map(TimeText.absolute) ?? "none")",
            counts,
        ]
    }
}
