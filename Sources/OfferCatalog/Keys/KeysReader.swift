import OfferModel

/// Reads `keys.yaml` (docs/design.md#commands). It holds the places of keys; text that looks like a key itself is refused unseen.
public enum KeysReader {
    /// Reads YAML or JSON.
    ///
    /// - Throws: ``InvalidDocument`` with every error in the order of lines.
    public static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<KeysConfiguration> {
        try DocumentReading.read(bytes) { root in
            guard let mapping = root.mapping(["apps", "audit"]) else { return nil }
            var seen: Set<BundleId> = []
            let apps = mapping.required("apps")?.list()?.compactMap { app($0, &seen) }
            if let shared = KeySharing.issue(
                among: (apps ?? []).flatMap(\.keys), isSame: { $0.privateKey == $1.privateKey || $0.keyId == $1.keyId })
            {
                root.log.refuse(shared)
            }
            let audit = mapping.optional("audit").flatMap { auditKeys($0, apps: apps ?? []) }
            return apps.map { KeysConfiguration(apps: $0, audit: audit) }
        }
    }

    /// The audit answers for what the keys of apps sign, so it must not be one of them.
    private static func auditKeys(_ field: Field, apps: [AppConfiguration]) -> AuditConfiguration? {
        guard let mapping = field.mapping(["privateKey", "digestKey", "witness"]) else { return nil }
        let privateField = mapping.required("privateKey")
        let digestField = mapping.required("digestKey")
        let witness = mapping.optional("witness").flatMap { $0.text(.path) }
        guard let privateKey = privateField.flatMap(KeySourceReader.read),
            let digestKey = digestField.flatMap(KeySourceReader.read)
        else { return nil }
        if apps.flatMap(\.keys).contains(where: { $0.privateKey == privateKey }) {
            privateField?.refuse(
                .contradiction, "the audit's key is a key of an app",
                hint: "make one of its own: `offerd keys generate --out keys/audit.p8 --key-id AUDIT`")
            return nil
        }
        guard privateKey != digestKey else {
            digestField?.refuse(
                .contradiction, "`digestKey` is the same as `privateKey`",
                hint: "make one of its own: `openssl rand -hex 32 > keys/digest.key`, mode 600")
            return nil
        }
        return AuditConfiguration(privateKey: privateKey, digestKey: digestKey, witness: witness)
    }

    private static let keys = ["bundleId", "appAppleId", "issuerId", "environments", "keys", "sandbox", "trustedRoots"]

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
        let keys = mapping.required("keys").flatMap { KeyListReader.read($0, environments ?? []) }
        let signsV1InSandbox = mapping.optional("sandbox").map { signsV1($0, environments ?? []) } ?? false
        let roots = mapping.optional("trustedRoots").map { TrustedRootsReader.read($0, environments ?? []) } ?? [:]
        guard let bundleId, let issuerId, let environments, let keys else { return nil }
        return AppConfiguration(
            bundleId: bundleId, appAppleId: appAppleId.map(Int64.init), issuerId: issuerId,
            environments: environments, keys: keys, signsV1InSandbox: signsV1InSandbox, trustedRoots: roots)
    }

    private static func signsV1(_ field: Field, _ environments: [AppStoreEnvironment]) -> Bool {
        guard let mapping = field.mapping(["v1"]), let allowed = mapping.required("v1")?.boolean() else { return false }
        if !environments.contains(.sandbox) {
            field.warn(
                .unused, "the app is not served in Sandbox",
                hint: "add it to `environments`, or delete this entry")
        }
        return allowed
    }
}
