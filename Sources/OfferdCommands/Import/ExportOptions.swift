import ArgumentParser
import OfferModel

/// What an operator says of an export as a whole: its date, and whether anything is missing.
struct ExportOptions: ParsableArguments {
    @Option(
        name: .customLong("exported-at"),
        help: "When the export was made, such as 2026-11-20T08:00:00Z: the date of what has no date of signing.")
    var exportedAt: String?

    @Flag(
        help: """
            You state that the file has everything that these customers ever bought in the app, as of --exported-at. \
            Rules about what a customer never did rely on it for 24 hours from then.
            """)
    var complete = false

    /// When the export was made.
    ///
    /// - Throws: ``CommandFailure`` for a text that is no moment, or one to come.
    func exportDate() throws -> Instant? {
        guard let exportedAt else { return nil }
        guard let instant = Instant(iso8601: exportedAt) else {
            throw CommandFailure.configuration(
                "`\(exportedAt)` is not a moment",
                hints: ["write it with `Z` or an offset from UTC, such as 2026-11-20T08:00:00Z"])
        }
        guard instant <= .wallClock() else {
            throw CommandFailure.configuration("`--exported-at \(exportedAt)` is to come")
        }
        return instant
    }

    /// Up to when nothing is missing, by the operator's word.
    ///
    /// - Throws: ``CommandFailure`` without a date of the export: what was bought since is not in it.
    func completeAsOf() throws -> Instant? {
        guard complete else { return nil }
        guard let date = try exportDate() else {
            throw CommandFailure.configuration(
                "`--complete` needs `--exported-at`", hints: ["an export knows nothing of what was bought after it"])
        }
        return date
    }
}
