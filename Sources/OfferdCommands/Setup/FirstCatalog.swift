/// The first catalog of an app: the example's offers with the app's bundle ID.
enum FirstCatalog {
    /// The bundle ID of Examples/catalog.yaml.
    static let example = "com.example.pro"

    private static let heading = """
        # A first catalog: four offers to start from. In LocalTesting it works as it is. Before you apply it elsewhere, put your
        # products, prices and offers in, as App Store Connect has them, and check the file with `offerctl catalog validate`.
        # docs/catalog.md explains every key.

        """

    static func text(for app: String) -> String {
        let lines = String(decoding: PackageResources.catalog_yaml, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return heading + lines.drop { $0.hasPrefix("#") }.joined(separator: "\n").replacing(example, with: app)
    }
}
