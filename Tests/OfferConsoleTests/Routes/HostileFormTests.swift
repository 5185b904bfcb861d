import HTTPTypes
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole
@testable import OfferHTTP

/// What a careless or hostile person sends to each form, and asks of each page.
@Suite("Hostile forms and questions")
struct HostileFormTests {
    private static let own = ("Sec-Fetch-Site", "same-origin")
    private static let form = ("Content-Type", "application/x-www-form-urlencoded")

    /// Whether an answer is a page that says in words what was wrong.
    private static func expectRefusal(
        _ answer: Page, _ name: String, _ statuses: Set<Int> = Set(400..<500)
    ) throws {
        #expect(statuses.contains(answer.status), "\(name): \(answer.status) \(answer.text.prefix(2_000))")
        #expect(answer["content-type"] == "text/html; charset=utf-8", "\(name)")
        let page = try PageReader.read(answer.body)
        let words = page.all.filter { $0.attributes["role"] == "alert" }.map(\.words).joined()
        #expect(!words.isEmpty, "\(name) says nothing")
    }

    /// A session, and its forms' token.
    private struct Person {
        var console: ConsoleFixture
        var session: String
        var token: String

        init(_ console: ConsoleFixture, scope: Scope = ConsoleFixture.scope) async throws {
            self.console = console
            session = try await console.signIn(try await console.token(.admin, scope: scope))
            token = try #require(try await console.get("/console", session).formToken)
        }

        func send(_ target: String, _ headers: [(String, String)], _ body: [UInt8]) async throws -> Page {
            try await Browser.send(
                port: console.port, "POST", target, [own, ("Cookie", session)] + headers, bytes: body)
        }
    }

    @Test("what is no form, or too large, or ambiguous, or of another encoding is refused at each form in words")
    func malformed() async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let person = try await Person(console)
            let before = try await console.everything()
            for route in KnownRoute.forms {
                let target = route.target(records)
                let name = route.isOpen ? "token" : "formToken"
                let token = "\(name)=\(route.isOpen ? "" : person.token)"
                let valid = ([token] + route.fields.map { "\($0)=\(ConsoleFixture.encoded($1))" })
                    .joined(separator: "&")
                for type in ["application/json", "multipart/form-data; boundary=x", "text/plain", ""] {
                    let answer = try await person.send(target, [("Content-Type", type)], Array(valid.utf8))
                    try Self.expectRefusal(answer, "\(route.name) as `\(type)`", [415])
                }
                try Self.expectRefusal(
                    try await person.send(target, [], Array(valid.utf8)), "\(route.name) without a type", [415])
                try Self.expectRefusal(
                    try await person.send(target, [Self.form], []), "\(route.name), empty", [401, 403])
                let large = Array("\(valid)&reason=".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
                try Self.expectRefusal(try await person.send(target, [Self.form], large), "\(route.name), 1 MiB", [413])
                let bodies = [
                    "&\(name)=\(person.token)&\(name)=\(person.token)", "&nonsense=1", "&=1", "&%", "&%zz=1",
                    "&\(name)=%f",
                    String(repeating: "&a", count: 1_001), "&nonsense[]=1", "&\(name)=%ff", "&\(name)=%c3%28",
                    "&\(name)=%ed%a0%80", "&\(name)=%f4%90%80%80",
                ]
                for body in bodies {
                    let answer = try await person.send(target, [Self.form], Array("\(valid)\(body)".utf8))
                    try Self.expectRefusal(answer, "\(route.name), \(body)", [400])
                }
                for bytes in [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
                    let body = Array("\(valid)&message=".utf8) + bytes
                    let answer = try await person.send(target, [Self.form], body)
                    try Self.expectRefusal(answer, "\(route.name), bytes \(bytes)", [400])
                }
            }
            let changed = try await console.changes(since: before)
            #expect(changed == [])
        }
    }

    /// Fields that are taken as any text are left out: a reason may be `0000-00-00`.
    private static let values: [String: [String]] = [
        "until": [
            "0000-00-00", "0000-01-01", "99999-12-31", "9999-12-31", "0001-01-01", "-0001-01-01", "2026-02-29",
            "2026-13-01", "26-06-01", "2026-06-01T00:00:00Z", "2026-6-1", "1780000000000", "now", "１２３４-０６-０１",
        ],
        "revision": [
            "", "-1", "0x2", "2.0", "2e0", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
            "99999999999999999999", "NaN", "two", "２", "3",
        ],
        "timestamp": ["9223372036854775808", "1e400", "-0x1", "now", "1.5", "１"], "format": ["v3", "V1", "0"],
        "release": ["yes", "1", "TRUE"], "agreed": ["yes", "1", "TRUE"], "kind": ["", "customer", "CustomerId", "0"],
        "where": ["customer.", "(((((", "customer.storefront in", "and", String(repeating: "not ", count: 400)],
        "event": ["", "0", "-1", "01980000", "01980000-0000-8000-8000-00000000000g"], "webhook": ["nonesuch", "-1"],
    ]

    @Test("extreme numbers, dates that are none, control characters and what is too long change nothing at any form")
    func extremes() async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let person = try await Person(console)
            let fields: [String: [String]] = [
                "/sign-in": ["token", "name", "next"], "/customers/refresh": ConsoleSite.refreshFields,
                "/issued-offers/{id}/void": ["reason", "release"], "/signatures": ConsoleSite.signatureFields,
                "/offers/{id}/pause": ConsoleSite.pauseFields, "/pause": ConsoleSite.pauseFields + ["agreed"],
                "/offers/{id}/audience": ["where"], "/catalog/plan": ["text", "revision", "message"],
                "/catalog": ["text", "revision", "message"], "/catalog/add": ["text", "revision", "message"],
                "/catalog/audience": ["text", "revision", "message"],
                "/grants": ["q", "kind", "offer", "reason"], "/grants/{id}/revoke": ["q", "kind"],
                "/catalog/revisions/{n}/rollback": ["revision", "message", "agreed"],
                "/operations/resend": ["event"], "/operations/test": ["webhook"],
            ]
            let before = try await console.everything()
            for route in KnownRoute.forms {
                for field in fields[route.path] ?? [] {
                    let long = String(repeating: "a", count: field == "text" ? 50_000 : 2_001)
                    var values = (Self.values[field] ?? []) + ["a\0b", "\0", "a\u{7}b", "a\u{85}b"]
                    // What the check of a signature takes may be as long.
                    if !ConsoleSite.signatureFields.contains(field) { values.append(long) }
                    for value in values {
                        let others = route.fields.filter { $0.0 != field }
                        let form = [("formToken", person.token)].filter { _ in !route.isOpen }
                        let answer = try await console.post(
                            route.target(records), form + others + [(field, value)], person.session)
                        try Self.expectRefusal(answer, "\(route.name), \(field) `\(value.prefix(40))`")
                    }
                }
            }
            let changed = try await console.changes(since: before)
            #expect(changed == [])
        }
    }

    @Test("what there is not, and what is another app's or environment's, is not found, and not changed")
    func foreign() async throws {
        try await ConsoleFixture.run { console in
            let records = try await console.makeRecords()
            let own = try await Person(console)
            var others = [own]
            for scope in [
                Scope(bundleId: "com.example.pro", environment: .sandbox),
                Scope(bundleId: "com.example.other", environment: .localTesting),
            ] {
                others.append(try await Person(console, scope: scope))
            }
            let before = try await console.everything()
            let unknown = [
                "00000000-0000-4000-8000-000000000000", "x", "0", "-1", "9223372036854775807", "99999999999999999999",
                "%00", "%ff", "%zz", "%", "%e2%80%ae", "%20", "%3Cscript%3E", String(repeating: "a", count: 3_000),
            ]
            for route in KnownRoute.signedIn where route.path.contains("{") {
                var targets = unknown.map { id in
                    route.path.contains("{simulation}")
                        ? route.target(id: "comeback", simulation: id, revision: id)
                        : route.target(id: id, simulation: id, revision: id)
                }
                targets.append(route.target(records))
                for (place, target) in targets.enumerated() {
                    // The person whose records they are is asked for those that there are not.
                    for person in others.dropFirst(place + 1 == targets.count ? 1 : 0) {
                        let answer =
                            route.method == .get
                            ? try await console.get(target, person.session)
                            : try await console.post(
                                target, [("formToken", person.token)] + route.fields, person.session)
                        try Self.expectRefusal(
                            answer, "\(route.name), \(target.prefix(80))", [400, 404, 409, 412, 422, 503])
                        // The form of a grant is on the page of a customer, which the app's own staff see.
                        if person.session == own.session, route.path == "/grants/{id}/revoke" { continue }
                        for secret in ["quentin", "app-100", "monthly"] {
                            #expect(!answer.text.contains(secret), "\(route.name), \(target.prefix(80))")
                        }
                    }
                }
            }
            for person in others.dropFirst() {
                let event = [("formToken", person.token), ("event", records.event)]
                let resent = try await console.post("/console/operations/resend", event, person.session)
                try Self.expectRefusal(resent, "an event of another scope", [404])
                for text in ["100", "quentin", "app-100", records.issued, records.refusal] {
                    let found = try await console.get("/console/customers?q=\(text)", person.session)
                    try Self.expectRefusal(found, "`\(text)` of another scope", [404])
                }
            }
            let changed = try await console.changes(since: before)
            #expect(changed == [])
        }
    }

    private static let questions: [(path: String, fields: [String])] = [
        ("/customers", ["q", "kind", "asOf", "offer", "cursor"]), ("/offers", ["cursor"]),
        ("/offers/comeback/results", ["by", "timeZone", "from", "to", "products"]), ("/catalog", ["cursor"]),
        ("/results", ["from", "to"]), ("/sign-in", ["next"]),
    ]

    @Test("a question of a page that makes no sense has an answer in words, whatever is in it")
    func questions() async throws {
        let values = [
            "", "\0", "a\0b", "0", "-1", "9223372036854775807", "99999999999999999999", "1e400", "0000-00-00",
            "99999-12-31", "9999-12-31", "0001-01-01", "1970-01-01", "2026-02-30", "Mars/Phobos", "../../etc/passwd",
            "\u{202E}abc", "<script>", "\"'", String(repeating: "a", count: 2_000),
        ]
        try await ConsoleFixture.run { console in
            _ = try await console.makeRecords()
            let person = try await Person(console)
            let before = try await console.everything()
            for (path, fields) in Self.questions {
                let first = path == "/customers" ? "?q=100&" : "?"
                for field in fields {
                    for value in values {
                        let start = field == "q" ? "?" : first
                        let target = "/console\(path)\(start)\(field)=\(ConsoleFixture.encoded(value))"
                        let answer = try await console.get(target, person.session)
                        #expect(answer.status < 500 && !answer.body.isEmpty, "\(target.prefix(120))")
                        if answer.status >= 400 { try Self.expectRefusal(answer, String(target.prefix(120))) }
                        _ = try PageReader.read(answer.body)
                    }
                    for query in ["\(field)=1&\(field)=2", "\(field)=%ff", "\(field)=%", "\(field)=1&nonsense=1"] {
                        let answer = try await console.get("/console\(path)?\(query)", person.session)
                        try Self.expectRefusal(answer, "\(path)?\(query)", [400])
                    }
                }
            }
            let changed = try await console.changes(since: before)
            #expect(changed == [])
        }
    }
}
