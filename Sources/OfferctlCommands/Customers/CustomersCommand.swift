import ArgumentParser

/// `offerctl customers`: what is known of a customer.
struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract: "Show what is known of a customer.",
        discussion: """
            Example:
              offerctl customers show --customer-id user-17
            """,
        subcommands: [CustomersShow.self])
}
