import OfferModel

/// Reads the `keys` of an app: in each of its environments exactly one signs.
enum KeyListReader {
    static func read(_ field: Field, _ environments: [AppStoreEnvironment]) -> [KeyConfiguration]? {
        guard let items = field.list() else { return nil }
        var seen: Set<KeyId> = []
        let keys = items.compactMap { key($0, environments, &seen) }
        guard keys.count == items.count else { return nil }
        for environment in environments {
            let signing = keys.count { $0.use == .signing && $0.environments.contains(environment) }
            guard signing != 1 else { continue }
            let found = signing == 0 ? "no key of the app has" : "\(signing) keys of the app have"
            field.refuse(
                .contradiction, "\(found) `use: signing` for \(environment.rawValue)",
                hint: "in each environment exactly one key signs; the others are `use: retired` or state other "
                    + "`environments`")
            return nil
        }
        return keys
    }

    private static func key(
        _ field: Field, _ served: [AppStoreEnvironment], _ seen: inout Set<KeyId>
    ) -> KeyConfiguration? {
        guard let mapping = field.mapping(["keyId", "privateKey", "use", "environments"]) else { return nil }
        let idField = mapping.required("keyId")
        let id = idField?.text(.keyId).map { KeyId($0) }
        if let id, !seen.insert(id).inserted {
            idField?.refuse(.duplicateValue, "key \(quoted(id.rawValue)) is given twice", hint: "keep one")
        }
        let source = mapping.required("privateKey").flatMap(KeySourceReader.read)
        let use = mapping.required("use")?.choice(KeyUse.self)
        var environments: [AppStoreEnvironment]? = served
        if let stated = mapping.optional("environments") {
            environments = stated.list()?.distinct { $0.environment() }
            if let stranger = environments?.first(where: { !served.contains($0) }) {
                stated.refuse(
                    .contradiction, "the app is not served in `\(stranger.rawValue)`",
                    hint: "add it to the app's `environments`, or leave it out here")
            }
        } else if mapping.has("environments") {
            return nil
        }
        guard let id, let source, let use, let environments else { return nil }
        let position = field.node.position
        return KeyConfiguration(
            keyId: id, privateKey: source, use: use, environments: environments,
            place: DocumentPlace(path: field.path, line: position.line, column: position.column))
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
