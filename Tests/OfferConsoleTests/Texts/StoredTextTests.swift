import Foundation
import OfferApplication
import OfferModel
import Testing

@testable import OfferConsole

/// Each attack is in every text that is stored, and every page has the tags and attributes that it has with plain letters.
@Suite("Script in every stored text")
struct StoredTextTests {
    @Test("no page has other markup because of a text that it shows", arguments: StoredText.attacks)
    func stored(_ attack: String) async throws {
        try await Self.run(attack, isAttacked: true) { attacked in
            try await Self.run(attack, isAttacked: false) { plain in
                var shown = ""
                for (role, session) in attacked.sessions {
                    for (number, target) in Self.targets(attacked).enumerated() {
                        let page = try await attacked.console.get(target, session)
                        let other = try await plain.console.get(
                            Self.targets(plain)[number], plain.sessions[role])
                        #expect(page.status == other.status, "\(role) \(target.prefix(80))")
                        guard page.status == 200 else { continue }
                        let read = try Self.expectSame(page, other, "\(role) \(target.prefix(80))")
                        shown += " \(read.words) \(read.all.flatMap(\.attributes.values).joined(separator: " "))"
                    }
                }
                let words = Self.normalised(shown)
                for stored in StoredText.allCases where stored != .app {
                    let text = Self.normalised(attacked.text(stored))
                    #expect(Self.contains(words, text), "no page shows `\(stored.rawValue)`: \(text.debugDescription)")
                }
            }
        }
    }

    private static func run(
        _ attack: String, isAttacked: Bool, _ body: @escaping @Sendable (TextWorld) async throws -> Void
    ) async throws {
        try await ConsoleFixture.run(
            webhooks: [TextWorld.webhook(attack, isAttacked: isAttacked)],
            own: TextWorld.reload(attack, isAttacked: isAttacked)
        ) { console in
            try await body(try await TextWorld(console, attack, isAttacked: isAttacked))
        }
    }

    private static func targets(_ world: TextWorld) -> [String] {
        let customer = "/console/customers?q=\(ConsoleFixture.encoded(world.customer))"
        return [
            "/console", "/console/customers", customer, "\(customer)&kind=customerId", "\(customer)&offer=comeback",
            "\(customer)&offer=either", "/console/customers?q=100", "/console/customers?q=101",
            "/console/issued-offers/\(world.issued)", "/console/decisions/\(world.refusal)", "/console/signatures",
            "/console/offers", "/console/offers/comeback", "/console/offers/either", "/console/offers/comeback/results",
            "/console/offers/either/results?by=week", "/console/offers/comeback/audience/\(world.simulation)",
            "/console/catalog", "/console/catalog/revisions/1", "/console/operations",
        ]
    }

    /// - Returns: the first of the pages, which has the markup of the second.
    @discardableResult
    private static func expectSame(_ page: Page, _ other: Page, _ name: String) throws -> PageElement {
        let (read, plain) = (try PageReader.read(page.body), try PageReader.read(other.body))
        // A drawing has a title where a text is cut to its room.
        let difference = read.markup.symmetricDifference(plain.markup).subtracting(["title "])
        #expect(difference.isEmpty, "\(name): \(difference.sorted())")
        expectHarmless(read, name)
        return read
    }

    /// Whether a page runs and loads nothing but the console's own files, and leads nowhere else.
    private static func expectHarmless(_ page: PageElement, _ name: String) {
        let elements = page.all
        #expect(
            elements.filter { ["script", "style", "iframe", "object", "base"].contains($0.name) }.count == 1, "\(name)")
        for element in elements {
            for (attribute, value) in element.attributes {
                #expect(!attribute.hasPrefix("on") && attribute != "style", "\(name): \(attribute)")
                guard ["href", "src", "action", "formaction"].contains(attribute) else { continue }
                let isOwn = value == "/console" || value.hasPrefix("/console/") || value.hasPrefix("/console?")
                let isHere = value.wholeMatch(of: /#[a-z0-9-]+/) != nil || value == "data:,"
                #expect(isOwn || isHere, "\(name): \(attribute)=\(value)")
            }
        }
    }

    private static func normalised(_ text: String) -> String {
        text.replacing("\0", with: "\u{FFFD}").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// By bytes: characters of Swift join what a browser does not.
    private static func contains(_ text: String, _ part: String) -> Bool {
        Data(text.utf8).range(of: Data(part.utf8)) != nil
    }

    @Test("the app of a key is a text", arguments: StoredText.attacks)
    func app(_ attack: String) async throws {
        let app = StoredText.app.text(attack)
        guard StoredText.app.takes(app) else { return }
        try await ConsoleFixture.run { console in
            var pages: [Page] = []
            for name in [app, "app"] {
                let scope = Scope(bundleId: BundleId(name), environment: .localTesting)
                let session = try await console.signIn(try await console.token(.admin, scope: scope))
                pages.append(try await console.get("/console", session))
            }
            let read = try Self.expectSame(pages[0], pages[1], "home")
            #expect(Self.contains(Self.normalised(read.words), Self.normalised(app)))
        }
    }

    /// What is asked of a page, with a place for a text.
    private static let questions = [
        "customers?q=", "customers?q=100&kind=", "customers?q=100&asOf=", "customers?q=100&offer=",
        "customers?q=100&cursor=", "customers?nonsense=", "customers?", "issued-offers/", "decisions/",
        "offers?cursor=",
        "offers/", "offers/comeback?", "offers/comeback/results?by=", "offers/comeback/results?timeZone=",
        "offers/comeback/results?from=", "offers/comeback/results?to=", "offers/comeback/results?products=",
        "offers/comeback/audience/", "catalog?cursor=",
        "catalog/revisions/", "sign-in?next=", "sign-in?next=/console/", "sign-in?next=/console/customers?q=",
        "nowhere/", "results?from=", "results?to=",
        "style.css/",
    ]

    /// The fields of forms whose text is shown again, or in what is said against it.
    private static let fields: [(form: String, field: String, others: [(String, String)])] = [
        ("/sign-in", "name", [("token", "x")]), ("/sign-in", "next", []), ("/sign-in", "token", []),
        ("/customers/refresh", "q", [("kind", "customerId")]), ("/customers/refresh", "kind", [("q", "100")]),
        ("/customers/refresh", "orderId", []), ("/offers/comeback/pause", "until", []), ("/pause", "until", []),
        ("/offers/comeback/audience", "where", []), ("/operations/resend", "event", []),
        ("/operations/test", "webhook", []), ("/catalog/plan", "text", [("revision", "1")]),
        ("/catalog/plan", "revision", [("text", "a")]), ("/catalog", "text", [("revision", "1")]),
        ("/catalog/plan", "message", [("text", ConsoleFixture.campaign + "# more\n"), ("revision", "1")]),
        ("/catalog/revisions/1/rollback", "revision", []), ("/pause", "nonsense", []),
    ]

    @Test("no page has other markup because of what was asked or typed", arguments: StoredText.attacks)
    func reflected(_ attack: String) async throws {
        // A header line is no longer than this.
        let asked = String(String.UnicodeScalarView(attack.unicodeScalars.prefix(400)))
        let letters = String(repeating: "x", count: min(asked.unicodeScalars.count, 200))
        try await ConsoleFixture.run { console in
            try await console.apply(ConsoleFixture.campaign)
            _ = try await console.issue("100")
            let session = try await console.signIn(.admin)
            let token = try #require(try await console.get("/console", session).formToken)
            for question in Self.questions {
                let page = try await console.get("/console/\(question)\(ConsoleFixture.encoded(asked))", session)
                let other = try await console.get("/console/\(question)\(letters)", session)
                try Self.expectSameIfAnswered(page, other, question)
            }
            let signature = ConsoleSite.signatureFields.map { ("/signatures", $0, [(String, String)]()) }
            for (form, field, others) in Self.fields + signature {
                let start = form == "/sign-in" ? [] : [("formToken", token)]
                let page = try await console.post("/console\(form)", start + others + [(field, attack)], session)
                let other = try await console.post("/console\(form)", start + others + [(field, letters)], session)
                try Self.expectSameIfAnswered(page, other, "\(form) \(field)")
            }
        }
    }

    /// Two refusals of one kind have the same markup; of others only that nothing is run.
    private static func expectSameIfAnswered(_ page: Page, _ other: Page, _ name: String) throws {
        guard page.status != 303, page["content-type"]?.hasPrefix("text/html") == true else { return }
        #expect(page.status < 500, "\(name)")
        if page.status == other.status, page.status == 404 {
            try expectSame(page, other, name)
        } else {
            expectHarmless(try PageReader.read(page.body), name)
        }
    }
}
