import OfferModel

/// Reads `offerd.yaml` (docs/design.md#commands).
public enum ConfigurationReader {
    /// Reads YAML or JSON.
    ///
    /// - Throws: ``InvalidDocument`` with every error in the order of lines.
    public static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<ServerConfiguration> {
        try DocumentReading.read(bytes) { root in
            guard
                let mapping = root.mapping(["listen", "database", "keys", "retention", "rateLimits", "appStoreServer"])
            else {
                return nil
            }
            return ServerConfiguration(
                listen: mapping.optional("listen")?.listenAddress(),
                database: mapping.optional("database")?.text(.path),
                keys: mapping.optional("keys")?.text(.path),
                retention: mapping.optional("retention").map(RetentionReader.read) ?? RetentionTerms(),
                rateLimits: mapping.optional("rateLimits").map(RateLimitsReader.read) ?? RateLimits(),
                appStoreServers: mapping.optional("appStoreServer").map(AppStoreServerReader.read) ?? [:])
        }
    }
}

extension Field {
    fileprivate func listenAddress() -> ListenAddress? {
        guard let text = scalar("an address") else { return nil }
        if let address = ListenAddress(text) { return address }
        refuse(
            .invalidValue, "\(quoted(text)) is not an address to listen on",
            hint: "write a host and a port, such as `127.0.0.1:8080` or `[::1]:8080`; port 0 lets the system choose")
        return nil
    }
}

extension TextForm {
    /// The path of a file, as the caller will resolve it.
    static let path = TextForm(noun: "a path", hint: "write the path of a file") { text in
        (1...4_096).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
