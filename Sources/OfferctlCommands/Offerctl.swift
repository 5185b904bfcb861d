import ArgumentParser

/// The root command.
struct Offerctl: AsyncParsableCommand {
    /// The version of the program.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "offerctl",
        abstract: "Configure App Store offers and explain who gets them.",
        discussion: """
            Marketing keeps offers in a catalog file, checks it and applies it. Support asks why a customer does or does \
            not get an offer, and when that changes.

            Every command that asks a server takes `--server` (or OFFERCTL_SERVER) and `--token` (or OFFERCTL_TOKEN). \
            Data goes to stdout and messages to stderr.

            Exit status: 0 done, 1 the answer is no, 2 wrong use or an unreadable file, 3 the server cannot be reached or \
            failed.

            Example:
              offerctl dry-run --offer comeback-half-price --customer-id user-17
            """,
        version: version,
        subcommands: [
            CatalogCommand.self, OffersCommand.self, DryRun.self, TestCommand.self, ReplayCommand.self,
            CustomersCommand.self, IssuedCommand.self, ReportCommand.self,
        ])
}
