import ArgumentParser

/// `offerctl issued`: offers that were given to customers.
struct IssuedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issued",
        abstract: "List, show, void and export offers that were issued to customers.",
        discussion: """
            Example:
              offerctl issued list --customer-id user-17
              offerctl issued show 6f1d3a52-7c0b-4b0e-9f3a-2d5e8c1b7a90
            """,
        subcommands: [IssuedList.self, IssuedShow.self, IssuedVoid.self, IssuedExport.self])
}
