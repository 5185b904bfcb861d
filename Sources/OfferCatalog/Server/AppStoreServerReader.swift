import OfferModel

/// Reads `appStoreServer` of `offerd.yaml`: for tests, another server in the place of Apple's.
enum AppStoreServerReader {
    static func read(_ field: Field) -> [AppStoreEnvironment: String] {
        guard let mapping = field.mapping(AppStoreEnvironment.allCases.map(\.rawValue)) else { return [:] }
        // What such a server is sent would open Apple's doors to the app's customers.
        mapping.refuse(
            key: AppStoreEnvironment.production.rawValue, .notAllowed,
            "in Production Apple's own server is asked and no other", hint: "delete this entry")
        mapping.refuse(
            key: AppStoreEnvironment.xcode.rawValue, .notSupportedYet, "`Xcode` is not supported yet",
            hint: "use `LocalTesting` for tests")
        var servers: [AppStoreEnvironment: String] = [:]
        for environment in [AppStoreEnvironment.sandbox, .localTesting] {
            servers[environment] = mapping.optional(environment.rawValue)?.text(.serverAddress)
        }
        return servers
    }
}

extension TextForm {
    /// An address without a path; whether it may do without encryption is for its user to say.
    fileprivate static let serverAddress = TextForm(
        noun: "the address of a server", hint: "write it like `http://127.0.0.1:8081`, or with `https://`"
    ) { text in
        ["http://", "https://"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
            && text.utf8.count <= 300
    }
}
