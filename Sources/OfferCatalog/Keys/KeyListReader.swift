import OfferModel

/// Reads the `keys` of an app: exactly one signs.
enum KeyListReader {
    static func read(_ field: Field) -> [KeyConfiguration]? {
        guard let items = field.list() else { return nil }
        var seen: Set<KeyId> = []
        let keys = items.compactMap { key($0, &seen) }
        guard keys.count == items.count else { return nil }
        let signing = keys.filter { $0.use == .signing }
        guard signing.count == 1 else {
            let found = signing.isEmpty ? "no key" : "\(signing.count) keys"
            field.refuse(
                .contradiction, "\(found) of the app has `use: signing`",
                hint: "exactly one key signs; the others are `use: retired`")
            return nil
        }
        return keys
    }

    private static func key(_ field: Field, _ seen: inout Set<KeyId>) -> KeyConfiguration? {
        guard let mapping = field.mapping(["keyId", "privateKey", "use"]) else { return nil }
        let idField = mapping.required("keyId")
        let id = idField?.text(.keyId).map { KeyId($0) }
        if let id, !seen.insert(id).inserted {
            idField?.refuse(.duplicateValue, "key \(quoted(id.rawValue)) is given twice", hint: "keep one")
        }
        let source = mapping.required("privateKey").flatMap(KeySourceReader.read)
        let use = mapping.required("use")?.choice(KeyUse.self)
        guard let id, let source, let use else { return nil }
        return KeyConfiguration(keyId: id, privateKey: source, use: use)
    }
}

/// Reads `trustedRoots`: extra roots for tests, never for Production.
enum TrustedRootsReader {
    static func read(_ field: Field, _ environments: [AppStoreEnvironment]) -> [AppStoreEnvironment: [String]] {
        guard let mapping = field.mapping(AppStoreEnvironment.allCases.map(\.rawValue)) else { return [:] }
        mapping.refuse(
            key: AppStoreEnvironment.production.rawValue, .notAllowed,
            "Production trusts Apple's root and no other", hint: "delete this entry")
        mapping.refuse(
            key: AppStoreEnvironment.xcode.rawValue, .notSupportedYet, "`Xcode` is not supported yet",
            hint: "use `LocalTesting` for tests")
        var roots: [AppStoreEnvironment: [String]] = [:]
        for environment in [AppStoreEnvironment.sandbox, .localTesting] {
            guard let entry = mapping.optional(environment.rawValue) else { continue }
            roots[environment] = entry.list()?.distinct { $0.text(.path) }
            if !environments.contains(environment) {
                entry.warn(
                    .unused, "the app is not served in \(environment.rawValue)",
                    hint: "add it to `environments`, or delete this entry")
            }
        }
        return roots
    }
}

extension Field {
    /// A UUID in any case.
    func uuid() -> LowercaseUUID? {
        guard let text = scalar("a UUID") else { return nil }
        if let uuid = LowercaseUUID(text) { return uuid }
        refuse(
            .invalidValue, "\(quoted(text)) is not a UUID",
            hint: "write it like `57246542-96fe-1a63-e053-0824d011072a`")
        return nil
    }
}
