import ArgumentParser
import CommandLineSupport
import Foundation

struct Offerctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offerctl",
        abstract: "Configure App Store offers and explain who gets them.",
        discussion: """
            Marketing keeps offers in a catalog file, checks it and applies it. Support asks why a customer does or does \
            not get an offer, and when that changes.

            `offerctl login` saves a server and an API key under a name. `--server` (or OFFERCTL_SERVER) and `--token` (or \
            OFFERCTL_TOKEN) go before what is saved. Data goes to stdout and messages to stderr.

            Exit status: 0 done, 1 the answer is no, 2 wrong use or an unreadable file, 3 the server cannot be reached or \
            failed.

            Example:
              offerctl dry-run --offer comeback-half-price --customer-id user-17
            """,
        version: ProgramVersion.text,
        subcommands: [
            CatalogCommand.self, OffersCommand.self, DryRun.self, SimulateCommand.self, TestCommand.self,
            ReplayCommand.self,
            DecisionsCommand.self, CustomersCommand.self, IssuedCommand.self, EventsCommand.self, SignatureCommand.self,
            ReportCommand.self, LoginCommand.self, ContextsCommand.self,
        ])
}

public enum OfferctlProgram {
    public static func run() async {
        let program = CommandLineProgram(
            Offerctl.self, unexpected: .unavailable, example: "offerctl offers list --server URL")
        exit(await program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
