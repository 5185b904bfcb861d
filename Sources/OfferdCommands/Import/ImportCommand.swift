import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring in purchase history from elsewhere.",
        discussion: """
            What is imported is not signed by Apple: it is kept as the operator's word, never merges customers, and gives \
            way to signed data of the same purchase. docs/import.md has the formats.

            Example:
              offerd import transactions export.csv --app com.example.pro --environment Production \
            --config offerd.yaml --dry-run
            """,
        subcommands: [ImportTransactions.self, ImportReceipts.self])
}
