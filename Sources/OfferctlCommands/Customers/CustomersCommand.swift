import ArgumentParser

/// `offerctl customers`: what is known of a customer, here and at Apple.
struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract: "Show what is known of a customer, fetch what Apple knows, and detach a wrong alias.",
        discussion: """
            Example:
              offerctl customers show --customer-id user-17
              offerctl customers refresh --customer-id user-17
            """,
        subcommands: [CustomersShow.self, CustomersRefresh.self, CustomersUnlink.self])
}
