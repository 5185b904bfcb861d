import OfferModel

/// Reads `keys.yaml` (DESIGN §8). It holds the places of keys; text that looks like a key itself is refused unseen.
public enum KeysReader {
    /// Reads YAML or JSON.
    ///
    /// - Throws: ``InvalidDocument`` with every error in the order of lines.
    public static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<KeysConfiguration> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["apps", "audit"]) else { return nil }
            mapping.refuse(
                key: "audit", .notSupportedYet, "`audit` is not supported yet", hint: "leave it out for now")
            var seen: Set<BundleId> = []
            let apps = mapping.required("apps")?.list()?.compactMap { app($0, &seen) }
            return apps.map { KeysConfiguration(apps: $0) }
        }
    }

    private static let keys = ["bundleId", "appAppleId", "issuerId", "environments", "keys", "trustedRoots"]

    private static func app(_ field: Field, _ seen: inout Set<BundleId>) -> AppConfiguration? {
        guard let mapping = field.mapping(keys) else { return nil }
        let bundleField = mapping.required("bundleId")
        let bundleId = bundleField?.text(.bundleId).map { BundleId($0) }
        if let bundleId, !seen.insert(bundleId).inserted {
            bundleField?.refuse(
                .duplicateValue, "app \(quoted(bundleId.rawValue)) is given twice",
                hint: "list all its environments in one entry")
        }
        let appAppleId = mapping.optional("appAppleId")?.wholeNumber(1...999_999_999_999)
        let issuerId = mapping.required("issuerId")?.uuid()
        let environments = mapping.required("environments")?.list()?.distinct { $0.environment() }
        if let environments, environments.contains(.production), !mapping.has("appAppleId") {
            field.refuse(
                .missingKey, "missing key `appAppleId`, which Production needs",
                hint: "copy the number of the app from App Store Connect, App Information")
        }
        let keys = mapping.required("keys").flatMap(KeyListReader.read)
        let roots = mapping.optional("trustedRoots").map { TrustedRootsReader.read($0, environments ?? []) } ?? [:]
        guard let bundleId, let issuerId, let environments, let keys else { return nil }
        return AppConfiguration(
            bundleId: bundleId, appAppleId: appAppleId.map(Int64.init), issuerId: issuerId,
            environments: environments, keys: keys, trustedRoots: roots)
    }
}
