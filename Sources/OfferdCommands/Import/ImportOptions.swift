import ArgumentParser
import OfferCatalog
import OfferModel

/// The options that every import has.
struct ImportOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Production, Sandbox or LocalTesting.")
    var environment: AppStoreEnvironment

    @Flag(help: "Read everything, say what importing it would come to, and write nothing.")
    var dryRun = false

    @Option(
        help: "Where to write the refused lines with their reasons; as CSV if the name ends in .csv, else JSON Lines.",
        completion: .file())
    var refused: String?

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

    @Flag(help: "Drop what an interrupted import of another file has staged and not applied.")
    var discard = false

    /// The configuration, and the app and environment if `keys.yaml` has them.
    ///
    /// - Throws: ``CommandFailure`` or ``DocumentFailure``, with exit code 2.
    func setup() throws -> (ServerSetup, Scope) {
        let setup = try configuration.setup()
        guard let known = setup.keys.app(BundleId(app)) else {
            throw CommandFailure.configuration(
                "keys.yaml has no app `\(app)`",
                hints: ["it has \(setup.keys.apps.map { "`\($0.bundleId)`" }.joined(separator: ", "))"])
        }
        guard known.environments.contains(environment) else {
            throw CommandFailure.configuration(
                "app `\(app)` has no environment `\(environment.rawValue)` in keys.yaml",
                hints: ["it has \(known.environments.map { "`\($0.rawValue)`" }.joined(separator: ", "))"])
        }
        return (setup, Scope(bundleId: BundleId(app), environment: environment))
    }

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
