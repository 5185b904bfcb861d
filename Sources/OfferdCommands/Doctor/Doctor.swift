import ArgumentParser
import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything the service needs, and report problems.",
        discussion: """
            Checks what the next start of the server would do with the configuration, the keys and the certificates as \
            their files are now, the database file, its schema and structure, whether it can be written durably, free disk \
            space, the clock against what was recorded, what is paused, and whether webhooks accept events. It may run \
            beside the server. Checking the structure reads the whole file. On PostgreSQL it looks at the database server \
            instead: its settings, its standby, its connections, and what slows it.

            With --reset-clock it only resets the recorded time, after a clock that ran ahead was corrected: requests are \
            dated by the clock again. Records with a later date keep it, and count under limits until then. It is refused \
            if data that the App Store has signed shows that the clock is behind.

            With --rebuild-facts it only derives the facts rows, which decisions read, from the histories again. It may \
            run beside the server.

            Exit status: 0 healthy (warnings included), 1 something failed, 2 wrong use or configuration.

            Example:
              offerd doctor --config offerd.yaml
              offerd doctor --config offerd.yaml --json
              offerd doctor --config offerd.yaml --reset-clock
              offerd doctor --config offerd.yaml --rebuild-facts
            """)

    @OptionGroup var options: ConfigurationOptions

    @OptionGroup var output: OutputOptions

    @Flag(help: "Date requests by the clock again, after it once ran ahead.")
    var resetClock = false

    @Flag(help: "Derive the facts rows from the history again.")
    var rebuildFacts = false

    func validate() throws {
        guard !(output.isData && (resetClock || rebuildFacts)) else {
            throw ValidationError(
                "`--json` and `--output` are for the report, not for `--reset-clock` or `--rebuild-facts`")
        }
        guard !(resetClock && rebuildFacts) else {
            throw ValidationError("`--reset-clock` and `--rebuild-facts` are run one after the other")
        }
    }

    func run() async throws {
        if resetClock { return try await options.withDatabase(reset) }
        if rebuildFacts { return try await options.withDatabase(rebuild) }
        let setup = try options.setup()
        let file = DoctorChecks.database(setup.database)
        let content = file.contains { $0.verdict == .failed } ? [] : await DoctorChecks.content(setup)
        let configured =
            DoctorChecks.keys(setup) + [DoctorChecks.audit(setup)] + DoctorChecks.certificate(setup)
            + DoctorChecks.loginProviders(setup)
        // What has failed by then would fail here, too.
        let start = configured.contains { $0.verdict == .failed } ? [] : [await DoctorChecks.start(setup)]
        let report = DoctorReport(checks: configured + start + file + content)
        try Console.output(try output.data(report.jsonText()) ?? report.lines.joined(separator: "\n"))
        if !report.ok { throw ExitCode(1) }
    }

    private func rebuild(_: ServerSetup, _ database: any DatabaseDriver) async throws {
        let counts = try await HistoryFactsCheck(database).run(rebuilding: true)
        try Console.output(
            """
            \(counts.rows) facts rows match their history: \(counts.changed) rewritten, \(counts.missing) added, \
            \(counts.superfluous) removed
            """)
        guard counts.unreadable.isEmpty else { throw StoreError.corrupt(DoctorChecks.unreadable(counts)) }
    }

    private func reset(_ setup: ServerSetup, _ database: any DatabaseDriver) async throws {
        let author = AuditAuthor(actor: "offerd doctor --reset-clock")
        let reset = ClockReset(ledger: try setup.ledger(database), author: author, clock: { .wallClock })
        switch try await reset.run() {
        case .nothingToReset:
            try Console.output("nothing was changed: the clock is not behind what was recorded")
        case .reset(let last, let now):
            try Console.output(
                """
                requests are dated by the clock again: it is \(TimeText.absolute(now)), and the last recorded \
                moment was \(TimeText.absolute(last))
                what was recorded later than now keeps its dates, and counts under limits until then
                """)
        }
    }
}

struct DoctorReport: Encodable {
    enum Verdict: String, Encodable {
        case ok, warning, failed
    }

    struct Check: Encodable {
        var name: String
        var verdict: Verdict
        var detail: String
        var hint: String?

        static func ok(_ name: String, _ detail: String) -> Check {
            Check(name: name, verdict: .ok, detail: detail)
        }

        static func warning(_ name: String, _ detail: String, hint: String? = nil) -> Check {
            Check(name: name, verdict: .warning, detail: detail, hint: hint)
        }

        static func failed(_ name: String, _ detail: String, hint: String? = nil) -> Check {
            Check(name: name, verdict: .failed, detail: detail, hint: hint)
        }
    }

    let checks: [Check]
    let ok: Bool

    init(checks: [Check]) {
        self.checks = checks
        // Warnings are no failures.
        ok = !checks.contains { $0.verdict == .failed }
    }

    var lines: [String] {
        let names = checks.map(\.name.count).max() ?? 0
        return checks.flatMap { check in
            let (name, verdict) = (check.name.padded(to: names), check.verdict.rawValue.padded(to: 7))
            return ["\(verdict)  \(name)  \(check.detail)"] + (check.hint.map { ["         hint: \($0)"] } ?? [])
        }
    }
}
