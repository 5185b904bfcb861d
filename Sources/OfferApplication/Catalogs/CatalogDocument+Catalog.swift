import OfferCatalog
import OfferModel

extension CatalogDocument {
    /// Reads a document that is meant for an app.
    ///
    /// - Throws: ``RequestError/invalidCatalog(_:)`` with everything that is wrong with it.
    static func catalog(_ text: String, for scope: Scope) throws(RequestError) -> Catalog {
        let catalog: Catalog
        do throws(InvalidDocument) {
            catalog = try CatalogReader.read(text).value
        } catch {
            throw .invalidCatalog(error.errors)
        }
        guard catalog.bundleId == scope.bundleId else {
            throw .invalidCatalog([
                DocumentIssue(
                    code: .wrongApp, path: "bundleId", in: text,
                    detail: "the catalog is for `\(catalog.bundleId)`, the API key for `\(scope.bundleId)`",
                    hint: "use an API key of that app")
            ])
        }
        return catalog
    }
}
