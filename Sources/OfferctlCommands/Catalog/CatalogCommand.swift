import ArgumentParser

/// `offerctl catalog`: the offers as a file.
struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Check and apply the catalog of offers.",
        discussion: """
            Example:
              offerctl catalog validate catalog.yaml
              offerctl catalog apply catalog.yaml --message "spring offers"
            """,
        subcommands: [CatalogValidate.self, CatalogApply.self])
}
