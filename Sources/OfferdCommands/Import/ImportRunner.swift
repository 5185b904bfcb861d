import CommandLineSupport
import Foundation
import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto

/// Runs an import of any source for a command, and reports its progress and result.
struct ImportRunner {
    let setup: ServerSetup
    let scope: Scope
    let options: ImportOptions
    /// The command, as the audit names it.
    let command: String

    /// Imports, or with `--dry-run` rehearses.
    ///
    /// - Parameter inputs: the files that the source reads.
    func run(_ source: some ImportSource, of inputs: [String], _ terms: ImportTerms) async throws {
        let refused = try RefusedLines(path: options.refused, inputs: inputs)
        guard !options.dryRun || options.ids == nil else {
            throw CommandFailure(
                .usage, "`--ids` is of what was imported, and `--dry-run` imports nothing",
                hints: ["leave one of them out"])
        }
        let ids = try AtomicFile.named(by: "--ids", options.ids, inputs: inputs)
        let database = try setup.database.open()
        defer { try? database.close() }
        let imports = HistoryImport(
            ledger: try setup.ledger(database), scope: scope, author: AuditAuthor(actor: command),
            clock: { .wallClock })
        let line = ImportProgressLine()
        let report = try await report(imports, source, terms, refused, ids, line)
        line.end()
        if report.wasReported, options.refused != nil || options.ids != nil {
            Console.note(
                "the import was interrupted after its lists were complete: `--refused` and `--ids` are not written again"
            )
        }
        for text in ImportText.lines(report, isRehearsal: options.dryRun, completeAsOf: terms.completeAsOf) {
            try Console.output(text)
        }
        refused.showFirst()
        if report.counts.lines == 0 { Console.note("nothing was imported: there is no purchase in the input") }
        if let customers = report.customers, customers.needingApple > 0 {
            for hint in ImportText.hints(ids: report.wasReported ? nil : options.ids, options) {
                Console.note("hint: \(hint)")
            }
        }
        if report.counts.lines > 0, report.counts.refused == report.counts.lines {
            throw CommandFailure(.failed, "every line was refused, so nothing was imported")
        }
    }

    private func report(
        _ imports: HistoryImport, _ source: some ImportSource, _ terms: ImportTerms, _ refused: RefusedLines,
        _ ids: AtomicFile?, _ line: ImportProgressLine
    ) async throws -> ImportReport {
        if options.dryRun {
            let report = try await imports.rehearse(
                source, provenance: terms.provenance, progress: line.show, refusals: refused.add)
            try refused.finish()
            return report
        }
        if options.discard, let dropped = try await imports.discard(source: terms.source) {
            Console.note(
                "dropped an open import: \(dropped.staged - dropped.applied) purchases that were staged and not applied"
            )
        }
        do {
            return try await imports.run(
                source, terms, progress: line.show, refusals: refused.add,
                needingApple: { found in try ids?.write(found.map { "\($0)\n" }.joined()) }
            ) {
                try refused.finish()
                try ids?.finish()
            }
        } catch ImportError.anotherIsOpen(let run) {
            throw CommandFailure(
                .usage,
                """
                an import of another file or with other options began at \(TimeText.absolute(run.beganAt)) and is \
                unfinished
                """,
                hints: [
                    "give the same file and options again to finish it, or drop what it has staged with `--discard`"
                ])
        }
    }
}

enum ImportText {
    static func lines(_ report: ImportReport, isRehearsal: Bool, completeAsOf: Instant?) -> [String] {
        let counts = report.counts
        var lines = ["read: \(counts.lines.counted("line")), \(counts.refused) refused"]
        lines += report.refused.sorted { $0.key < $1.key }.map { reason, count in "  \(reason): \(count)" }
        let would = isRehearsal ? "would be " : ""
        lines.append(
            "\(would)added: \(counts.added), updated: \(counts.updated), unchanged: \(counts.unchanged), "
                + "repeated: \(counts.repeated)")
        lines.append("subscriptions: \(counts.subscriptions)")
        if let completeAsOf { lines.append(complete(report, asOf: completeAsOf, isRehearsal: isRehearsal)) }
        if let customers = report.customers, customers.count > 0 { lines += self.customers(customers) }
        if isRehearsal { lines.append("nothing was written") }
        return lines
    }

    private static func customers(_ customers: ImportedCustomers) -> [String] {
        let undetermined = customers.undetermined.values.reduce(0, +)
        return [
            "customers: \(customers.count)",
            "  can be decided, as far as their subscriptions go: \(customers.decided)",
            "  undetermined: \(undetermined)",
        ]
            + customers.undetermined.sorted { $0.key < $1.key }.map { reason, count in
                "    \(reason)\(meanings[reason].map { ", \($0)" } ?? ""): \(count)"
            } + ["  cannot be signed for before Apple's data of them arrives: \(customers.unsigned)"]
    }

    /// The reasons why a subscription's state is unknown (docs/eligibility.md).
    private static let meanings = [
        "expiryUnknown": "nothing says when access ends", "groupMismatch": "a purchase names another group",
        "historyStale": "what followed the last period is not known",
    ]

    static func hints(ids: String?, _ options: ImportOptions) -> [String] {
        let owner = options.owner
        let backfill =
            "offerd backfill --ids \(ids ?? "ids.txt") --app \(owner.app) --environment \(owner.environment.rawValue)"
            + (options.configuration.config.map { " --config \($0)" } ?? "")
        return [
            ids == nil
                ? "the same import with `--ids ids.txt` lists them, and `\(backfill)` fetches what Apple has signed"
                : "`\(backfill)` fetches what Apple has signed",
            "or let the app send its transactions: `POST /v1/transactions`",
        ]
    }

    private static func complete(_ report: ImportReport, asOf: Instant, isRehearsal: Bool) -> String {
        let end = asOf.adding(milliseconds: Instant.Duration.day)
        if report.counts.gaps > 0 {
            return "complete: for no customer, because \(report.counts.gaps) refused lines may hold more purchases"
        }
        return isRehearsal
            ? "complete: would be stated as of \(asOf), which serves until \(end)"
            : "complete: stated of \(report.counts.stated) customers as of \(asOf), which serves until \(end)"
    }
}

/// How far an import is, on standard error: on a terminal one line that changes, elsewhere a line now and then.
final class ImportProgressLine {
    private let isTerminal = isatty(STDERR_FILENO) != 0
    private let clock = ContinuousClock()
    private var began: ContinuousClock.Instant
    private var shown: ContinuousClock.Instant
    private var stage: ImportProgress?
    private var isOnScreen = false

    init() {
        began = clock.now
        shown = clock.now
    }

    func show(_ progress: ImportProgress) {
        let now = clock.now
        if stage?.stage != progress.stage {
            (began, shown) = (now, now)
            stage = progress
            return
        }
        guard now - shown >= (isTerminal ? .milliseconds(500) : .seconds(10)) else { return }
        shown = now
        let text = text(progress, since: now - began)
        if isTerminal {
            isOnScreen = true
            Console.draw("\r\u{1B}[K\(text)")
        } else {
            Console.note(text)
        }
    }

    func end() {
        if isOnScreen { Console.draw("\r\u{1B}[K") }
    }

    /// Such as `reading 45 %, 23000 lines/s, 12 s left`. Rates are from when this process began with the stage.
    private func text(_ progress: ImportProgress, since elapsed: Duration) -> String {
        let seconds = max(Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18, 0.001)
        let first = stage ?? progress
        let rate = Double(progress.items - first.items) / seconds
        let pace = Double(progress.done - first.done) / seconds
        let left = pace > 0 ? "\(Int(saturating: Double(progress.total - progress.done) / pace)) s left" : "waiting"
        let share = progress.total > 0 ? progress.done.saturatingMultiplied(by: 100) / progress.total : 100
        return switch progress.stage {
        case .staging: "reading \(share) %, \(Int(saturating: rate)) lines/s, \(left)"
        case .applying: "applying \(share) %, \(Int(saturating: rate)) purchases/s, \(left)"
        case .stating, .closing, .closed: "stating \(share) %, \(Int(saturating: rate)) customers/s"
        }
    }
}

/// How far a long command is, on one line of standard error; for people only, so nothing if that is not a terminal.
final class ProgressLine {
    private let isShown = isatty(STDERR_FILENO) != 0
    private var shown = -1

    func show(thousandths: Int) {
        guard isShown, thousandths / 10 != shown else { return }
        shown = thousandths / 10
        Console.draw("\r\(shown) %")
    }

    func end() {
        if shown >= 0 { Console.draw("\r     \r") }
    }
}
