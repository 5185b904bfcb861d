import OfferApplication
import OfferModel
import OfferStore
import OpenSSLCrypto
import SQLiteStore

/// Runs an import of any source for a command, and tells how it goes and what came of it.
struct ImportRunner {
    let setup: ServerSetup
    let scope: Scope
    let options: ImportOptions
    /// The command, as the audit names it.
    let command: String

    /// Imports, or with `--dry-run` rehearses.
    ///
    /// - Parameter inputs: the files that the source reads.
    /// - Throws: ``CommandFailure``, what the source throws, and what the store throws.
    func run(_ source: some ImportSource, of inputs: [String], _ terms: ImportTerms) async throws {
        let refused = try RefusedLines(path: options.refused, inputs: inputs)
        let database = try SQLiteDatabase(path: setup.databasePath)
        defer { try? database.close() }
        let imports = HistoryImport(
            ledger: Ledger(database, digest: OpenSSLDigest(), key: try setup.auditKeys()?.digestKey), scope: scope,
            author: AuditAuthor(actor: command), clock: { .wallClock() })
        let line = ImportProgressLine()
        let report = try await report(imports, source, terms, refused, line)
        line.end()
        try refused.finish()
        for text in ImportText.lines(report, isRehearsal: options.dryRun, completeAsOf: terms.completeAsOf) {
            try Terminal.output(text)
        }
        refused.showFirst()
        if report.counts.lines > 0, report.counts.refused == report.counts.lines {
            throw CommandFailure.failed("every line was refused, so nothing was imported")
        }
    }

    private func report(
        _ imports: HistoryImport, _ source: some ImportSource, _ terms: ImportTerms, _ refused: RefusedLines,
        _ line: ImportProgressLine
    ) async throws -> ImportReport {
        if options.dryRun {
            return try await imports.rehearse(
                source, provenance: terms.provenance, progress: line.show, refusals: refused.add)
        }
        if options.discard, let dropped = try await imports.discard(source: terms.source) {
            Terminal.message(
                "dropped an open import: \(dropped.staged - dropped.applied) purchases that were staged and not applied"
            )
        }
        do {
            return try await imports.run(
                source, terms, progress: line.show, refusals: refused.add, reported: refused.finish)
        } catch ImportError.anotherIsOpen(let run) {
            throw CommandFailure.configuration(
                "an import of another file, or with other options, was begun at \(run.beganAt) and is not done",
                hints: [
                    "give the same file and options again to finish it, or drop what it has staged with `--discard`"
                ])
        }
    }
}
