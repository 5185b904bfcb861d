public import OfferModel

/// Reads a catalog document (docs/catalog.md), strictly: every error of the document is found in one pass.
public enum CatalogReader {
    /// Reads YAML or JSON.
    ///
    /// - Throws: ``InvalidDocument`` with every error in the order of lines.
    public static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<Catalog> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["bundleId", "subscriptionGroups", "offers"]) else { return nil }
            let bundleId = mapping.required("bundleId")?.text(.bundleId).map { BundleId($0) }
            let groups = mapping.required("subscriptionGroups")?.list().map(GroupsReader.read)
            let fields = mapping.required("offers")?.list(allowsEmpty: true) ?? []
            var context = OfferContext(groups: groups?.groups ?? [], named: groups?.named)
            let offers = fields.compactMap { OfferReader.read($0, &context) }
            context.warnAboutUnknownOffers()
            context.warnAboutUnknownTags()
            guard let bundleId, let groups, offers.count == fields.count else { return nil }
            return Catalog(bundleId: bundleId, subscriptionGroups: groups.groups, offers: offers)
        }
    }

    /// Reads YAML or JSON.
    ///
    /// - Throws: ``InvalidDocument`` with every error in the order of lines.
    public static func read(_ text: String) throws(InvalidDocument) -> ValidDocument<Catalog> {
        try read(Array(text.utf8))
    }
}
