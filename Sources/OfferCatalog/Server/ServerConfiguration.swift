public import OfferModel

/// The content of `offerd.yaml` (docs/design.md#commands); whatever it leaves out must come from the environment or a flag.
public struct ServerConfiguration: Sendable, Hashable {
    /// Where to listen.
    public var listen: ListenAddress?
    /// The path of the SQLite file, as written; a relative one is relative to the configuration file.
    public var database: String?
    /// The path of `keys.yaml`, as written; a relative one is relative to the configuration file.
    public var keys: String?
    /// How long what is no longer needed is kept.
    public var retention: RetentionTerms
    /// How fast requests may come.
    public var rateLimits: RateLimits
    /// Servers that are asked in the place of Apple's, for tests; never for Production.
    public var appStoreServers: [AppStoreEnvironment: String]

    /// A configuration by its parts.
    public init(
        listen: ListenAddress? = nil, database: String? = nil, keys: String? = nil,
        retention: RetentionTerms = RetentionTerms(), rateLimits: RateLimits = RateLimits(),
        appStoreServers: [AppStoreEnvironment: String] = [:]
    ) {
        self.listen = listen
        self.database = database
        self.keys = keys
        self.retention = retention
        self.rateLimits = rateLimits
        self.appStoreServers = appStoreServers
    }
}

/// A host and a port to listen on; port 0 lets the system choose one.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    public var host: String
    /// 0 to 65,535.
    public var port: Int

    /// An address by its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080` or `[::1]:8080`; `nil` for anything else, a missing host included.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), port <= 65_535
        else { return nil }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        let isHost = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || ".-_:%".utf8.contains(byte)
        }
        guard !host.isEmpty, isHost else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The form that `init(_:)` reads.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
