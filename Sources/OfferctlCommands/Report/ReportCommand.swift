import ArgumentParser

/// `offerctl report`: what became of offers.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report what became of offers.",
        discussion: """
            Example:
              offerctl report funnel --offer comeback-half-price
            """,
        subcommands: [ReportFunnel.self])
}
