package import OfferModel

/// The content of `offerd.yaml` (docs/design.md#configuration); what it leaves out must come from the environment or a
/// flag.
package struct ServerConfiguration: Sendable, Hashable {
    package var listen: ListenAddress?
    /// The path of the SQLite file, as written; relative to the configuration file.
    package var database: String?
    /// The path of `keys.yaml`, as written; relative to the configuration file.
    package var keys: String?
    /// Where `/metrics` is served; nowhere if absent.
    package var metrics: ListenAddress?
    package var console = ConsoleSetting.automatic
    /// The people that a proxy signs in to the console.
    package var proxyUsers: ProxyUsers?
    package var log = LogFormat.text
    package var retention = RetentionTerms.standard
    package var rateLimits = RateLimits.standard
    package var tls: TLSPaths?
    package var trustedProxies: [IPNetwork] = []
    /// The interval at which notifications that did not arrive are fetched from Apple, in milliseconds; `nil` for
    /// never.
    package var recheck: Int64? = 6 * Instant.Duration.hour
    package var webhooks: [WebhookConfiguration] = []
    package var customerTokens: [CustomerTokensConfiguration] = []
    package var grants = GrantTerms.standard
    /// Servers to ask instead of Apple's, for tests; never for Production.
    package var appStoreServers: [AppStoreEnvironment: String] = [:]

    package mutating func resolvePaths(_ resolve: (String) -> String) {
        tls = tls.map {
            TLSPaths(
                certificate: resolve($0.certificate), key: resolve($0.key),
                clientCertificates: $0.clientCertificates.map(resolve))
        }
        for index in customerTokens.indices {
            if case .file(let path) = customerTokens[index].keys { customerTokens[index].keys = .file(resolve(path)) }
        }
    }
}

/// `tls` of `offerd.yaml`: paths of PEM files as written; relative to the configuration file.
package struct TLSPaths: Sendable, Hashable {
    /// The server's certificate first, then the intermediates below the root.
    package var certificate: String
    package var key: String
    /// The authorities that sign client certificates; absent if clients need none.
    package var clientCertificates: String?
}

package enum LogFormat: String, Sendable, Hashable, CaseIterable {
    case text, json
}

/// A host and a port to listen on; port 0 lets the system choose one.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, IPv6 without brackets.
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080` or `[::1]:8080`; `nil` for anything else, a missing host included.
    package init?(_ text: String) {
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
        guard String(host).isMade(of: ".-_:%") else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Whether both cannot be listened on; names of one host that are spelled differently show only then.
    package func isTaken(by other: ListenAddress) -> Bool { self == other && port != 0 }

    package static let metricsHint =
        "`/metrics` needs an address of its own that clients do not reach, such as `127.0.0.1:9464`"

    /// The form that `init(_:)` reads.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

package enum ConfigurationReader {
    package static func read(_ bytes: [UInt8]) throws(InvalidDocument) -> ValidDocument<ServerConfiguration> {
        try DocumentReading.read(bytes) { root in
            let keys = [
                "listen", "metrics", "console", "log", "database", "keys", "retention", "rateLimits", "tls",
                "trustedProxies", "notifications", "webhooks", "customerTokens", "grants", "appStoreServer",
            ]
            guard let mapping = root.mapping(keys) else { return nil }
            let listen = mapping.optional("listen")?.listenAddress()
            let metrics = mapping.optional("metrics")?.listenAddress()
            if let metrics, let listen, metrics.isTaken(by: listen) {
                mapping.key("metrics")?.refuse(
                    .contradiction, "`\(metrics)` is the address of `listen` too",
                    hint: ListenAddress.metricsHint)
            }
            let (console, proxyUsers) = mapping.optional("console")?.console() ?? (.automatic, nil)
            let trustedProxies = mapping.optional("trustedProxies")?.networks() ?? []
            if proxyUsers != nil, trustedProxies.isEmpty {
                mapping.key("console")?.refuse(
                    .contradiction, "`proxyUsers` needs `trustedProxies`: only a proxy in that list is believed",
                    hint: "list the proxy in `trustedProxies`, or leave `proxyUsers` out")
            }
            if let taken = console.conflict(with: [("listen", listen), ("metrics", metrics)]) {
                mapping.key("console")?.refuse(.contradiction, taken, hint: ConsoleSetting.hint)
            }
            let own = ServerConfiguration()
            return ServerConfiguration(
                listen: listen,
                database: mapping.optional("database")?.text(.path),
                keys: mapping.optional("keys")?.text(.path),
                metrics: metrics,
                console: console,
                proxyUsers: proxyUsers,
                log: mapping.optional("log")?.choice(LogFormat.self) ?? .text,
                retention: mapping.optional("retention")?.retention() ?? .standard,
                rateLimits: mapping.optional("rateLimits")?.rateLimits() ?? .standard,
                tls: mapping.optional("tls")?.tlsPaths(),
                trustedProxies: trustedProxies,
                recheck: mapping.optional("notifications").map { $0.recheck(default: own.recheck) } ?? own.recheck,
                webhooks: mapping.optional("webhooks").map(WebhooksReader.read) ?? [],
                customerTokens: mapping.optional("customerTokens").map(CustomerTokensReader.read) ?? [],
                grants: mapping.optional("grants")?.grants() ?? .standard,
                appStoreServers: mapping.optional("appStoreServer")?.appStoreServers() ?? [:])
        }
    }
}

extension Field {
    fileprivate func tlsPaths() -> TLSPaths? {
        guard let mapping = mapping(["certificate", "key", "clientCertificates"]) else { return nil }
        let certificate = mapping.required("certificate")?.text(.path)
        let key = mapping.required("key")?.keyPath()
        let clients = mapping.optional("clientCertificates")?.text(.path)
        guard let certificate, let key else { return nil }
        return TLSPaths(certificate: certificate, key: key, clientCertificates: clients)
    }

    /// The path of a private key; a key pasted in its place is never quoted.
    private func keyPath() -> String? {
        guard let text = scalar("a path") else { return nil }
        guard text.contains("PRIVATE KEY") || !TextForm.path.accepts(text) else { return text }
        return refuse(
            .invalidValue, "this is not a path",
            hint: "put the key into a file of its own, mode 600, and write its path here")
    }

    private static let mostNetworks = 100

    fileprivate func networks() -> [IPNetwork] {
        let fields = list(
            of: "networks", atMost: Self.mostNetworks, allowsEmpty: true, hint: "combine neighbouring networks")
        return fields?.distinct { $0.network() } ?? []
    }

    private func network() -> IPNetwork? {
        guard let text = scalar("a network") else { return nil }
        do {
            return try IPNetwork(text)
        } catch {
            return refuse(.invalidValue, "\(quoted(text)) is not a network", hint: error.hint)
        }
    }

    func listenAddress() -> ListenAddress? {
        guard let text = scalar("an address") else { return nil }
        if let address = ListenAddress(text) { return address }
        return refuse(
            .invalidValue, "\(quoted(text)) is not an address to listen on",
            hint: "write a host and a port, such as `127.0.0.1:8080` or `[::1]:8080`; port 0 lets the system choose")
    }
}

extension TextForm {
    /// The path of a file, as the caller will resolve it.
    static let path = TextForm(noun: "a path", hint: "write the path of a file") { text in
        (1...4_096).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

extension Field {
    fileprivate func retention() -> RetentionTerms {
        var terms = RetentionTerms.standard
        guard let mapping = mapping(["signatures", "refusals", "answers", "notifications"]) else { return terms }
        // A signature may be asked for again, and its issued offer counts, for 25 hours.
        let shortest = 2 * Instant.Duration.day
        if let life = mapping.optional("signatures") { terms.signatures = life.life(atLeast: shortest, "P2D") }
        if let life = mapping.optional("refusals") { terms.refusals = life.life(atLeast: Instant.Duration.day, "P1D") }
        // docs/design.md#issuing: an answer is given again for 24 hours.
        if let life = mapping.optional("answers") { terms.answers = life.life(atLeast: Instant.Duration.day, "PT24H") }
        if let life = mapping.optional("notifications") {
            terms.notifications = life.life(atLeast: Instant.Duration.day, "P1D")
        }
        return terms
    }

    /// A period of fixed length in milliseconds; `nil` for `forever`.
    private func life(atLeast shortest: Int64, _ shortestText: String) -> Int64? {
        if case .scalar("forever", _) = node.content { return nil }
        guard let period = period() else { return nil }
        guard let life = period.fixedMilliseconds else {
            return refuse(
                .invalidValue, "months and years have no fixed length", hint: "write days, such as `P90D`, or `forever`"
            )
        }
        guard life >= shortest else {
            return refuse(
                .outOfRange, "this is needed for at least `\(shortestText)`",
                hint: "write `\(shortestText)` or more, or `forever`")
        }
        return life
    }

    fileprivate func recheck(default own: Int64?) -> Int64? {
        guard let field = mapping(["recheck"])?.optional("recheck") else { return own }
        guard !field.isOff else { return nil }
        guard let period = field.period() else { return own }
        guard let interval = period.fixedMilliseconds, (Instant.Duration.hour...Instant.Duration.day).contains(interval)
        else {
            field.refuse(
                .outOfRange, "missing notifications are fetched hourly at most and daily at least",
                hint: "write `PT6H`, or `off`")
            return own
        }
        return interval
    }

    fileprivate func rateLimits() -> RateLimits {
        var limits = RateLimits.standard
        guard !isOff else { return .off }
        guard let mapping = mapping(["key", "customer", "address", "failedAuthentication"]) else { return limits }
        if let limit = mapping.optional("key") { limits.key = limit.rateLimit() }
        if let limit = mapping.optional("customer") { limits.customer = limit.rateLimit() }
        if let limit = mapping.optional("address") { limits.address = limit.rateLimit() }
        if let limit = mapping.optional("failedAuthentication") { limits.failedAuthentication = limit.rateLimit() }
        return limits
    }

    /// Whether it says `off`, quoted or not.
    var isOff: Bool {
        if case .scalar("off", _) = node.content { true } else { false }
    }

    /// `nil` for `off`, and for what is logged as an error.
    private func rateLimit() -> RateLimit? {
        guard !isOff, let mapping = mapping(["perSecond", "burst"]) else { return nil }
        let perSecond = mapping.required("perSecond")?.wholeNumber(RateLimit.range)
        let burst = mapping.required("burst")?.wholeNumber(RateLimit.range)
        guard let perSecond, let burst else { return nil }
        return RateLimit(perSecond: perSecond, burst: burst)
    }

    fileprivate func grants() -> GrantTerms {
        var terms = GrantTerms.standard
        guard let field = mapping(["perKeyAndDay"])?.optional("perKeyAndDay") else { return terms }
        if let number = field.wholeNumber(GrantTerms.range) { terms.perKeyAndDay = number }
        return terms
    }

    fileprivate func appStoreServers() -> [AppStoreEnvironment: String] {
        // What such a server is sent would open Apple's doors to the app's customers.
        let entries = testEnvironments("Production always asks Apple's own server")
        var servers: [AppStoreEnvironment: String] = [:]
        for (environment, entry) in entries { servers[environment] = entry.text(.serverAddress) }
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
