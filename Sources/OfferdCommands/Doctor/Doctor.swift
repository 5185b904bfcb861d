import ArgumentParser
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at everything the service needs, and say what is wrong with it.",
        discussion: """
            Looks at the keys, the database file, its schema and structure, whether it can be written durably, the room \
            on its disk, the clock against what was recorded, and what is paused. It may run beside the server. Reading \
            the structure reads the whole file.

            With --reset-clock it does one thing instead: after a clock that once ran ahead and is right again, it lets \
            requests be dated by the clock from now on. What was recorded at a later moment keeps its dates, and counts \
            under limits until then. It is refused where data that the App Store has signed shows that it is the clock \
            that is behind.

            With --rebuild-facts it does one thing instead: it derives the facts rows, from which decisions read a \
            customer's history, from that history again. It may run beside the server.

            Exit status: 0 well (warnings included), 1 something failed, 2 wrong use or configuration.

            Example:
              offerd doctor --config offerd.yaml
              offerd doctor --config offerd.yaml --json
              offerd doctor --config offerd.yaml --reset-clock
              offerd doctor --config offerd.yaml --rebuild-facts
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print one JSON document.")
    var json = false

    @Flag(help: "Date requests by the clock again, after it once ran ahead.")
    var resetClock = false

    @Flag(help: "Derive the facts rows from the history again.")
    var rebuildFacts = false

    func validate() throws {
        guard !(json && (resetClock || rebuildFacts)) else {
            throw ValidationError("`--json` is of the report, not of `--reset-clock` or `--rebuild-facts`")
        }
        guard !(resetClock && rebuildFacts) else {
            throw ValidationError("`--reset-clock` and `--rebuild-facts` are run one after the other")
        }
    }

    func run() async throws {
        let setup = try options.setup()
        if resetClock { return try await reset(setup) }
        if rebuildFacts { return try await rebuild(setup) }
        var report = DoctorReport()
        report.add(DoctorChecks.keys(setup) + [DoctorChecks.audit(setup)])
        let file = DoctorChecks.file(setup.databasePath)
        report.add(file)
        if !file.contains(where: { $0.verdict == .failed }) { report.add(await DoctorChecks.content(setup)) }
        if json {
            try Terminal.output(try report.json())
        } else {
            for line in report.lines { try Terminal.output(line) }
        }
        if !report.isWell { throw ExitCode(1) }
    }

    private func rebuild(_ setup: ServerSetup) async throws {
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        let counts = try await HistoryFactsCheck(database).run(rebuilding: true)
        try Terminal.output(
            """
            \(counts.rows) facts rows match their history: \(counts.changed) rewritten, \(counts.missing) added, \
            \(counts.superfluous) removed
            """)
        guard counts.unreadable.isEmpty else { throw StoreError.corrupt(DoctorChecks.unreadable(counts)) }
    }

    private func reset(_ setup: ServerSetup) async throws {
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        let ledger = Ledger(database, digest: OpenSSLDigest(), key: try setup.auditKeys()?.digestKey)
        let author = AuditAuthor(actor: "offerd doctor --reset-clock")
        switch try await ClockReset(ledger: ledger, author: author, clock: { .wallClock() }).run() {
        case .nothingToReset:
            try Terminal.output("nothing was changed: the clock is not behind what was recorded")
        case .reset(let last, let now):
            try Terminal.output(
                """
                requests are dated by the clock again: it is \(now), and the last recorded moment was \(last)
                what was recorded later than now keeps its dates, and counts under limits until then
                """)
        }
    }
}
