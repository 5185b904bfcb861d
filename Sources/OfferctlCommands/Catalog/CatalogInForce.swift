/// The catalog that the server issues offers by.
struct CatalogInForce: Sendable, Hashable {
    /// The entity tag: the revision in quotes. Changes are made from it, with `If-Match`.
    var tag: String
    /// The document.
    var document: [UInt8]

    /// The revision; 0 before the first catalog, `nil` if the tag is not of that form.
    var revision: Int? { Int(tag.dropFirst().dropLast()) }
}
