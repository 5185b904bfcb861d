import ArgumentParser

struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers", abstract: "Give out everything held about a customer, or erase it.",
        discussion: """
            Example:
              offerd customers export --app com.example.pro --environment Production --original-transaction-id 2000000123 \
            --config offerd.yaml
            """,
        subcommands: [CustomersExport.self, CustomersErase.self])
}
