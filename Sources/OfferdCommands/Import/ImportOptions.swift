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
}
