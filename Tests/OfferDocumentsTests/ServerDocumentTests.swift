import Testing

@testable import OfferDocuments
@testable import OfferModel

@Suite struct ServerDocumentTests {
    @Test("offerd.yaml is read, whole or in part")
    func configuration() throws {
        let text = "listen: 127.0.0.1:8080\ndatabase: data/offers.sqlite\nkeys: keys.yaml\n"
        let whole = try ConfigurationReader.read(Array(text.utf8)).value
        #expect(
            whole
                == ServerConfiguration(
                    listen: ListenAddress(host: "127.0.0.1", port: 8080), database: "data/offers.sqlite",
                    keys: "keys.yaml"))
        let part = try ConfigurationReader.read(Array("listen: \"[::1]:0\"\n".utf8)).value
        #expect(part == ServerConfiguration(listen: ListenAddress(host: "::1", port: 0)))
    }

    @Test("metrics have an address of their own, and the log is text or JSON")
    func observation() throws {
        func read(_ text: String) throws -> ServerConfiguration {
            try ConfigurationReader.read(Array(text.utf8)).value
        }
        #expect(try read("listen: 127.0.0.1:0\n").metrics == nil)
        #expect(try read("listen: 127.0.0.1:0\n").log == .text)
        let both = try read("listen: 127.0.0.1:0\nmetrics: 127.0.0.1:0\nlog: json\n")
        #expect(both.metrics == ListenAddress(host: "127.0.0.1", port: 0))
        #expect(both.log == .json)
        #expect(
            issues(ConfigurationReader.read, "listen: 127.0.0.1:8080\nmetrics: 127.0.0.1:8080\nlog: xml\n")
                == ["contradiction 2 metrics", "unknownValue 3 log"])
        #expect(
            issues(ConfigurationReader.read, "metrics: 9464\nlog: 5\n")
                == ["invalidValue 1 metrics", "wrongType 2 log"])
    }

    @Test("the number of grants a key may make in a day is a whole number, and 20 where it is left out")
    func grants() throws {
        func read(_ text: String) throws -> Int {
            try ConfigurationReader.read(Array(text.utf8)).value.grants.perKeyAndDay
        }
        #expect(try read("log: text\n") == 20)
        #expect(try read("grants: { perKeyAndDay: 0 }\n") == 0)
        #expect(try read("grants: { perKeyAndDay: 10000 }\n") == 10_000)
        for (text, issue) in [
            ("grants: { perKeyAndDay: -1 }\n", "outOfRange 1 grants.perKeyAndDay"),
            ("grants: { perKeyAndDay: 10001 }\n", "outOfRange 1 grants.perKeyAndDay"),
            ("grants: { perKeyAndDay: many }\n", "wrongType 1 grants.perKeyAndDay"),
            ("grants: { perDay: 1 }\n", "unknownKey 1 grants"),
        ] {
            #expect(issues(ConfigurationReader.read, text) == [issue], "\(text)")
        }
    }

    @Test("the console is on, off, at an address of its own, or where only this machine reaches the server")
    func console() throws {
        func read(_ text: String) throws -> ConsoleSetting {
            try ConfigurationReader.read(Array("listen: 127.0.0.1:1\nmetrics: 127.0.0.1:2\n\(text)".utf8)).value.console
        }
        #expect(try read("") == .automatic)
        #expect(try read("console: on\n") == .on)
        #expect(try read("console: \"off\"\n") == .off)
        let address = ListenAddress(host: "::1", port: 8090)
        #expect(try read("console: { listen: \"[::1]:8090\" }\n") == .listen(address))
        let settings: [(ConsoleSetting, onLoopback: Bool, elsewhere: Bool)] = [
            (.automatic, true, false), (.on, true, true), (.off, false, false), (.listen(address), false, false),
        ]
        for (setting, onLoopback, elsewhere) in settings {
            #expect(setting.isWithAPI(isLoopback: true) == onLoopback)
            #expect(setting.isWithAPI(isLoopback: false) == elsewhere)
        }
        let wrong: [(String, String)] = [
            ("yes", "invalidValue"), ("{ listen: 8090 }", "invalidValue"), ("{}", "missingKey"), ("[on]", "wrongType"),
            ("{ listen: 127.0.0.1:1, on: true }", "unknownKey"),
        ]
        for (text, code) in wrong {
            let found = issues(ConfigurationReader.read, "console: \(text)\n")
            #expect(found.contains { $0.hasPrefix(code) }, "\(text): \(found)")
        }
        for taken in ["listen: 127.0.0.1:1", "metrics: 127.0.0.1:1"] {
            #expect(
                issues(ConfigurationReader.read, "\(taken)\nconsole: { listen: 127.0.0.1:1 }\n")
                    == ["contradiction 2 console"])
        }
    }

    @Test("people that a proxy signs in have each the id of an API key, and a proxy that is trusted")
    func proxyUsers() throws {
        let trusted = "listen: 127.0.0.1:1\ntrustedProxies: [127.0.0.1/32]\n"
        func read(_ console: String) throws -> ServerConfiguration {
            try ConfigurationReader.read(Array("\(trusted)console: \(console)\n".utf8)).value
        }
        let ids = "{ anna: 0123456789abcdef, ben@example.com: 1234567890123456 }"
        let users = ProxyUsers(
            header: "X-Forwarded-User", keys: ["anna": "0123456789abcdef", "ben@example.com": "1234567890123456"])
        let both = try read("{ listen: 127.0.0.1:8090, proxyUsers: { header: X-Forwarded-User, keys: \(ids) } }")
        #expect(both.proxyUsers == users)
        #expect(both.console == .listen(ListenAddress(host: "127.0.0.1", port: 8090)))
        let alone = try read("{ proxyUsers: { header: X-Forwarded-User, keys: \(ids) } }")
        #expect(alone.proxyUsers == users)
        #expect(alone.console == .automatic)
        #expect(try read("on").proxyUsers == nil)
        let wrong: [(String, String)] = [
            ("{ header: X-User }", "missingKey"), ("{ keys: { a: 0123456789abcdef } }", "missingKey"),
            ("{ header: 'X User', keys: { a: 0123456789abcdef } }", "invalidValue"),
            ("{ header: '', keys: { a: 0123456789abcdef } }", "invalidValue"),
            ("{ header: X-User, keys: {} }", "outOfRange"), ("{ header: X-User, keys: [a] }", "wrongType"),
            ("{ header: X-User, keys: { a: 0123456789ABCDEF } }", "invalidValue"),
            ("{ header: X-User, keys: { a: 0123 } }", "invalidValue"),
            ("{ header: X-User, keys: { a: } }", "missingValue"),
            ("{ header: X-User, keys: { a: [0123456789abcdef] } }", "wrongType"),
            ("{ header: X-User, keys: { 'a b': 0123456789abcdef } }", "invalidValue"),
            ("{ header: X-User, keys: { é: 0123456789abcdef } }", "invalidValue"),
            ("{ header: X-User, keys: { a: 0123456789abcdef, a: 0123456789abcdef } }", "duplicateKey"),
            ("{ header: X-User, keys: { a: 0123456789abcdef }, trust: all }", "unknownKey"), ("anna", "wrongType"),
        ]
        for (text, code) in wrong {
            let found = issues(ConfigurationReader.read, "\(trusted)console: { proxyUsers: \(text) }\n")
            #expect(found.contains { $0.hasPrefix(code) }, "\(text): \(found)")
        }
        let untrusted = "console: { proxyUsers: { header: X-User, keys: { a: 0123456789abcdef } } }\n"
        #expect(issues(ConfigurationReader.read, untrusted) == ["contradiction 1 console"])
    }

    @Test("terms of retention are periods of fixed length or `forever`, and what is left out keeps its default")
    func retention() throws {
        let text = "retention:\n  signatures: P30D\n  refusals: forever\n  notifications: P1D\n"
        let terms = try ConfigurationReader.read(Array(text.utf8)).value.retention
        #expect(
            terms
                == RetentionTerms(
                    signatures: 30 * 86_400_000, refusals: nil, answers: 86_400_000, notifications: 86_400_000))
        #expect(
            RetentionTerms()
                == RetentionTerms(
                    signatures: 7_776_000_000, refusals: 31_536_000_000, answers: 86_400_000,
                    notifications: 7_776_000_000))
        #expect(
            issues(
                ConfigurationReader.read,
                "retention:\n  signatures: PT47H\n  refusals: P1M\n  answers: PT23H\n  customers: P1D\n"
                    + "  notifications: PT23H\n")
                == [
                    "outOfRange 2 retention.signatures", "invalidValue 3 retention.refusals",
                    "outOfRange 4 retention.answers", "unknownKey 5 retention",
                    "outOfRange 6 retention.notifications",
                ])
    }

    @Test("Apple is asked for what did not arrive every six hours, from hourly to daily, or never")
    func recheck() throws {
        func read(_ text: String) throws -> Int64? {
            try ConfigurationReader.read(Array(text.utf8)).value.recheck
        }
        #expect(try read("listen: 127.0.0.1:1\n") == 21_600_000)
        #expect(try read("notifications: {}\n") == 21_600_000)
        #expect(try read("notifications: { recheck: PT1H }\n") == 3_600_000)
        #expect(try read("notifications: { recheck: P1D }\n") == 86_400_000)
        #expect(try read("notifications: { recheck: off }\n") == nil)
        for wrong in ["PT59M", "PT25H", "P1M"] {
            #expect(
                issues(ConfigurationReader.read, "notifications:\n  recheck: \(wrong)\n")
                    == ["outOfRange 2 notifications.recheck"], "\(wrong)")
        }
    }

    @Test("rate limits are set, switched off or left at their defaults, and wrong ones are refused with their lines")
    func rateLimits() throws {
        func read(_ text: String) throws -> RateLimits {
            try ConfigurationReader.read(Array(text.utf8)).value.rateLimits
        }
        #expect(try read("listen: 127.0.0.1:1\n") == RateLimits())
        #expect(try read("rateLimits: off\n") == .off)
        #expect(
            try read("rateLimits:\n  key: { perSecond: 7, burst: 1000000 }\n  customer: off\n")
                == RateLimits(key: RateLimit(perSecond: 7, burst: 1_000_000), customer: nil))
        #expect(
            try read("rateLimits: { address: { perSecond: 3, burst: 4 } }\n")
                == RateLimits(address: RateLimit(perSecond: 3, burst: 4)))
        #expect(
            issues(
                ConfigurationReader.read,
                """
                rateLimits:
                  key: { perSecond: 0, burst: 9223372036854775808 }
                  customer: { perSecond: 0.5 }
                  failedAuthentication: on
                  account: off

                """)
                == [
                    "outOfRange 2 rateLimits.key.perSecond", "wrongType 2 rateLimits.key.burst",
                    "missingKey 3 rateLimits.customer", "wrongType 3 rateLimits.customer.perSecond",
                    "wrongType 4 rateLimits.failedAuthentication", "unknownKey 5 rateLimits",
                ])
    }

    @Test("trusted proxies are networks, none by default; wrong, repeated and too many are refused with their lines")
    func trustedProxies() throws {
        func read(_ text: String) throws -> [String] {
            try ConfigurationReader.read(Array(text.utf8)).value.trustedProxies.map(\.description)
        }
        #expect(try read("listen: 127.0.0.1:1\n") == [])
        #expect(try read("trustedProxies: []\n") == [])
        #expect(try read("trustedProxies: [10.0.0.0/8, \"::1/128\"]\n") == ["10.0.0.0/8", "::1/128"])
        #expect(
            issues(
                ConfigurationReader.read,
                """
                trustedProxies:
                  - 10.0.0.1/8
                  - 10.0.0.0/33
                  - 192.0.2.1
                  - 10.0.0.0/8
                  - ::ffff:10.0.0.0/104
                  - [10.0.0.0/8]

                """)
                == [
                    "invalidValue 2 trustedProxies[0]", "invalidValue 3 trustedProxies[1]",
                    "invalidValue 4 trustedProxies[2]", "duplicateValue 6 trustedProxies[4]",
                    "wrongType 7 trustedProxies[5]",
                ])
        let many = (0...100).map { "10.0.0.\($0)/32" }.joined(separator: ", ")
        #expect(issues(ConfigurationReader.read, "trustedProxies: [\(many)]\n") == ["outOfRange 1 trustedProxies"])
    }

    @Test("`tls` names the files of a certificate; both halves are needed, and an unknown member is named")
    func tls() throws {
        let read = try ConfigurationReader.read(Array("tls: { certificate: a.pem, key: b.pem }\n".utf8)).value.tls
        #expect(read == TLSPaths(certificate: "a.pem", key: "b.pem"))
        #expect(
            issues(ConfigurationReader.read, "tls:\n  certificate: ''\n  keys: b.pem\n")
                == ["missingKey 2 tls", "invalidValue 2 tls.certificate", "unknownKey 3 tls"])
        let pasted = "tls:\n  certificate: a.pem\n  key: \"-----BEGIN PRIVATE KEY-----c2VjcmV0\"\n"
        let refused = try #require(throws: InvalidDocument.self) {
            try ConfigurationReader.read(Array(pasted.utf8))
        }
        #expect(refused.errors.map(\.path) == ["tls.key"])
        #expect(!"\(refused)".contains("c2VjcmV0"))
    }

    @Test("another server may be asked in Apple's place, but never in Production")
    func appStoreServer() throws {
        let text = "appStoreServer: { Sandbox: 'http://127.0.0.1:8081', LocalTesting: 'https://apple.example.com' }\n"
        let servers = try ConfigurationReader.read(Array(text.utf8)).value.appStoreServers
        #expect(servers == [.sandbox: "http://127.0.0.1:8081", .localTesting: "https://apple.example.com"])
        #expect(
            issues(
                ConfigurationReader.read,
                "appStoreServer:\n  Production: https://x.example\n  Sandbox: x.example\n  LocalTesting: 'https://'\n")
                == [
                    "notAllowed 2 appStoreServer.Production", "invalidValue 3 appStoreServer.Sandbox",
                    "invalidValue 4 appStoreServer.LocalTesting",
                ])
    }

    @Test("a wrong offerd.yaml is refused with its lines")
    func wrongConfiguration() {
        #expect(
            issues(ConfigurationReader.read, "listen: 8080\ndatabase: 5\nkey: k\n")
                == ["invalidValue 1 listen", "wrongType 2 database", "unknownKey 3 "])
    }

    @Test(
        "addresses that are not a host and a port are refused",
        arguments: [
            "", ":8080", "8080", "localhost", "localhost:", "localhost:65536", "::1:80", "[::1]", "a b:1", "[a]:1",
        ])
    func wrongAddress(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test("keys.example is a valid template of keys.yaml")
    func keysExample() throws {
        let keys = try KeysReader.read(Fixture.repository("keys.example"))
        #expect(keys.warnings.isEmpty)
        let app = try #require(keys.value.app("com.example.pro"))
        #expect(app.appAppleId == 1_234_567_890)
        #expect(app.issuerId.description == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(app.environments == [.production, .sandbox, .localTesting])
        #expect(app.trustedRoots.isEmpty)
        #expect(app.signsV1InSandbox == false)
        #expect(app.keys.map(\.keyId) == ["2X9R4HXF34", "LOCALTEST1"])
        #expect(
            app.keys.map(\.privateKey) == [
                .path("keys/SubscriptionKey_2X9R4HXF34.p8"), .path("keys/SubscriptionKey_LOCALTEST1.p8"),
            ])
        #expect(app.keys.map(\.use) == [.signing, .signing])
        #expect(app.keys.map(\.environments) == [[.production, .sandbox], [.localTesting]])
    }

    private static let shared = """
        apps:
          - bundleId: com.example.pro
            appAppleId: 1234567890
            issuerId: 57246542-96fe-1a63-e053-0824d011072a
            environments: [Production, Sandbox, LocalTesting]
            sandbox: { v1: true }
            keys:
              - { keyId: REAL1, privateKey: real.p8, use: signing, environments: [Production, Sandbox] }
              - { keyId: LOCAL1, privateKey: local.p8, use: signing, environments: [LocalTesting] }
          - bundleId: com.example.other
            issuerId: 57246542-96fe-1a63-e053-0824d011072a
            environments: [LocalTesting]
            keys:
              - { keyId: LOCAL2, privateKey: other.p8, use: signing }

        """

    @Test("a key signs where its entry says, else in every environment of the app; V1 of Sandbox is a choice")
    func environments() throws {
        let keys = try KeysReader.read(Array(Self.shared.utf8))
        #expect(keys.warnings.isEmpty)
        #expect(keys.value.apps.map(\.signsV1InSandbox) == [true, false])
        #expect(
            keys.value.apps.flatMap(\.keys).map(\.environments)
                == [[.production, .sandbox], [.localTesting], [.localTesting]])
    }

    @Test(
        "attack: a signature of LocalTesting is one of Production where both have one key, which is refused with its line",
        arguments: [
            (
                "environments: [LocalTesting] }", "environments: [LocalTesting, Sandbox] }",
                "contradiction 8 apps[0].keys"
            ),
            (
                ", environments: [Production, Sandbox] }\n      - { keyId: LOCAL1, privateKey: local.p8, use: signing, "
                    + "environments: [LocalTesting] }", " }", "contradiction 8 apps[0].keys[0]"
            ),
            ("local.p8", "real.p8", "contradiction 9 apps[0].keys[1]"),
            ("other.p8", "real.p8", "contradiction 14 apps[1].keys[0]"),
            ("LOCAL2", "REAL1", "contradiction 14 apps[1].keys[0]"),
            (
                "      - { keyId: LOCAL1",
                "      - { keyId: OLD, privateKey: old.p8, use: retired }\n      - { keyId: LOCAL1",
                "contradiction 9 apps[0].keys[1]"
            ),
            (
                "use: signing, environments: [LocalTesting]", "use: retired, environments: [LocalTesting]",
                "contradiction 8 apps[0].keys"
            ),
            ("environments: [LocalTesting] }", "environments: [] }", "emptyList 9 apps[0].keys[1].environments"),
            ("sandbox: { v1: true }", "sandbox: { v1: yes }", "wrongType 6 apps[0].sandbox.v1"),
            ("sandbox: { v1: true }", "sandbox: { v2: true }", "unknownKey 6 apps[0].sandbox"),
        ])
    func sharedKey(old: String, new: String, expected: String) {
        let found = issues(KeysReader.read, Self.shared.replacing(old, with: new))
        #expect(found.contains(expected), "\(found)")
    }

    @Test("the hint says how the entries are written")
    func hintOfSharedKey() throws {
        let error = try #require(throws: InvalidDocument.self) {
            try KeysReader.read(Array(Self.shared.replacing("local.p8", with: "real.p8").utf8))
        }
        let issue = try #require(error.errors.first)
        #expect(
            issue.detail.hasPrefix("keys `REAL1` and `LOCAL1` are one key, used in `LocalTesting` and in `Production`"))
        #expect(issue.hint?.contains("`environments: [LocalTesting]`") == true)
    }

    private static let app = """
        apps:
          - bundleId: com.example.pro
            issuerId: 57246542-96FE-1A63-E053-0824D011072A
            environments: [LocalTesting]
            keys:
              - { keyId: LOCAL1, privateKey: "env:LOCAL_KEY", use: signing }
              - { keyId: LOCAL0, privateKey: old.p8, use: retired }
            trustedRoots: { LocalTesting: [certs/root.der] }

        """

    @Test("keys from the environment, retired keys and extra roots are read")
    func keys() throws {
        let app = try #require(try KeysReader.read(Array(Self.app.utf8)).value.apps.first)
        #expect(app.keys.map(\.privateKey) == [.environment("LOCAL_KEY"), .path("old.p8")])
        #expect(app.keys.map(\.use) == [.signing, .retired])
        #expect(app.trustedRoots == [.localTesting: ["certs/root.der"]])
        #expect(app.issuerId.description == "57246542-96fe-1a63-e053-0824d011072a")
    }

    @Test("an app may be served in Xcode, with the certificate that Xcode signs with")
    func xcode() throws {
        let text = Self.app.replacing("LocalTesting", with: "Xcode").replacing("certs/root.der", with: "xcode.cer")
        let app = try #require(try KeysReader.read(Array(text.utf8)).value.apps.first)
        #expect(app.environments == [.xcode])
        #expect(app.trustedRoots == [.xcode: ["xcode.cer"]])
    }

    @Test(
        "a wrong keys.yaml is refused with its line",
        arguments: [
            ("use: retired", "use: signing", "contradiction 6 apps[0].keys"),
            ("use: signing", "use: retired", "contradiction 6 apps[0].keys"),
            ("use: signing", "use: sign", "unknownValue 6 apps[0].keys[0].use"),
            ("LOCAL0", "LOCAL1", "duplicateValue 7 apps[0].keys[1].keyId"),
            ("LOCAL0", "1234567890", "wrongType 7 apps[0].keys[1].keyId"),
            ("env:LOCAL_KEY", "env:9", "invalidValue 6 apps[0].keys[0].privateKey"),
            ("[LocalTesting]", "[Production]", "missingKey 2 apps[0]"),
            ("57246542-", "57246542", "invalidValue 3 apps[0].issuerId"),
            ("{ LocalTesting:", "{ Production:", "notAllowed 8 apps[0].trustedRoots.Production"),
            ("apps:\n", "audit: { privateKey: a }\napps:\n", "missingKey 1 audit"),
            ("apps:\n", "audit: { privateKey: a, digestKey: a }\napps:\n", "contradiction 1 audit.digestKey"),
            (
                "apps:\n", "audit: { privateKey: env:LOCAL_KEY, digestKey: b }\napps:\n",
                "contradiction 1 audit.privateKey"
            ),
        ])
    func wrongKeys(old: String, new: String, expected: String) {
        #expect(issues(KeysReader.read, Self.app.replacing(old, with: new)) == [expected])
    }

    @Test("a key pasted into keys.yaml is refused and never repeated (invariant 9)")
    func pastedKey() throws {
        // Split, so that no file of the repository looks as if it held a key.
        let secret = "-----BEGIN " + "PRIVATE KEY----- MIGH" + "AgEAMBMGByqGSM49AgEG"
        let text = Self.app.replacing("env:LOCAL_KEY", with: secret)
        let invalid = try #require(throws: InvalidDocument.self) { try KeysReader.read(Array(text.utf8)) }
        #expect(invalid.errors.map(\.path) == ["apps[0].keys[0].privateKey"])
        #expect(!"\(invalid)".contains("MIGHAg"))
    }

    @Test("the example scenarios are read", arguments: [("new", 1), ("subscriber", 3), ("lapsed", 5), ("year", 16)])
    func scenarios(name: String, steps: Int) throws {
        let scenario = try ScenarioReader.read(Fixture.repository("Examples/scenarios/\(name).yaml")).value
        #expect(scenario.bundleId == "com.example.pro")
        #expect(scenario.environment == .localTesting)
        #expect(scenario.steps.count == steps)
    }

    @Test("each step of a scenario is read with its members and defaults")
    func steps() throws {
        let scenario = try ScenarioReader.read(Fixture.repository("Examples/scenarios/lapsed.yaml")).value
        let price = Money(milliunits: 9_990, currency: "USD")
        let at = ScenarioTime.ago(Period(days: 200))
        #expect(
            scenario.steps == [
                .appTransaction(at: at),
                .trial(
                    product: "com.example.pro.monthly", group: "21500001", at: at, length: Period(days: 7),
                    period: Period(months: 1), price: price),
                .renew(times: 3),
                .cancel(at: .ago(Period(days: 105))),
                .expire(),
            ])
        #expect(scenario.customer.appTransactionId == "7040000003")
        #expect(scenario.customer.storefront == "USA")
    }

    @Test(
        "a wrong scenario is refused with its line",
        arguments: [
            ("environment: LocalTesting", "environment: Production", ["notAllowed 3 environment"]),
            ("\"7040000003\"", "7040000003", ["wrongType 5 customer.appTransactionId"]),
            ("  appTransactionId: \"7040000003\"\n", "", ["missingKey 5 customer"]),
            ("at: -P105D", "at: yesterday", ["invalidValue 17 steps[3].cancel.at"]),
            ("times: 3", "times: 0", ["outOfRange 16 steps[2].renew.times"]),
            ("times: 3", "times: 3, at: now", ["contradiction 16 steps[2].renew.at"]),
            ("expire: {}", "end: {}", ["missingKey 18 steps[4]", "unknownKey 18 steps[4]"]),
            ("expire: {}", "expire: { reason: bored }", ["unknownValue 18 steps[4].expire.reason"]),
        ])
    func wrongScenario(old: String, new: String, expected: [String]) throws {
        let text = String(decoding: try Fixture.repository("Examples/scenarios/lapsed.yaml"), as: UTF8.self)
        #expect(issues(ScenarioReader.read, text.replacing(old, with: new)) == expected)
    }
}

/// The errors of a document, as `code line path`; none if it is valid.
func issues<Value>(
    _ read: ([UInt8]) throws(InvalidDocument) -> ValidDocument<Value>, _ text: String
) -> [String] {
    do throws(InvalidDocument) {
        _ = try read(Array(text.utf8))
        return []
    } catch {
        return error.errors.map { "\($0.code.rawValue) \($0.line) \($0.path)" }
    }
}
