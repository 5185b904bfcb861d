import OfferApplication
import OfferCatalog

extension CatalogDocument {
    /// The document in one of the two notations: as it was applied if it is in that one, else written anew.
    ///
    /// - Throws: ``InvalidDocument`` if a document applied by an older version is no longer accepted.
    func text(as type: MediaType) throws -> String {
        guard MediaType(format) != type else { return text }
        guard !text.isEmpty else { return type == .json ? "{}\n" : "" }
        let catalog = try CatalogReader.read(text).value
        return type == .json ? CatalogWriter.json(catalog) : CatalogWriter.yaml(catalog)
    }
}
