import ArgumentParser

/// `offerctl catalog`: the offers as a file.
struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Check, compare, apply and roll back the catalog of offers.",
        discussion: """
            Example:
              offerctl catalog validate catalog.yaml
              offerctl catalog plan catalog.yaml
              offerctl catalog apply catalog.yaml --message "spring offers"
            """,
        subcommands: [
            CatalogValidate.self, CatalogPlanCommand.self, CatalogApply.self, CatalogExport.self,
            CatalogRevisions.self, CatalogRollback.self,
        ])
}
