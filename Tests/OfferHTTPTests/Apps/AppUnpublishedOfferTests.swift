import Foundation
import OfferModel
import OfferTestSupport
import Testing

/// Everyone can have an `app` key, so what is planned, was planned or is gone must be answered as what never was.
@Suite("Offers that an app may not learn of")
struct AppUnpublishedOfferTests {
    /// Planned and withdrawn offers, by the id that an app asks for.
    private static let hidden = [
        "drafted", "later", "elsewhere",
        // Ids that hidden offers have had, published or not.
        "codename-drafted", "once-published", "codename-later", "codename-elsewhere",
        // The id under which an offer was planned that is published now, and one that was published itself.
        "codename-published", "former-published",
        // Removed from the catalog: an offer that was published, one that never was, and a former id.
        "gone", "gone-draft", "codename-gone",
        // Of every delivery, with several products, and with each kind of limit.
        "drafted-trial", "drafted-winback", "drafted-v1", "drafted-many", "drafted-account", "drafted-total",
    ]

    private static let before = """
        \(AppWorld.catalog)\(offer("once-published"))\(offer("former-published"))\
        \(offer("gone", more: "formerly: codename-gone"))\(offer("gone-draft", "status: draft"))
        """

    /// The catalog that the requests find: what everyone may know, and everything else.
    private static let after =
        AppWorld.catalog
        .replacing("  - id: drafted\n", with: "  - id: drafted\n    formerly: [codename-drafted, once-published]\n")
        .replacing("  - id: later\n", with: "  - id: later\n    formerly: codename-later\n")
        .replacing("  - id: elsewhere\n", with: "  - id: elsewhere\n    formerly: codename-elsewhere\n")
        + offer("published", more: "formerly: [codename-published, former-published]")
        // Its rules name offers that are hidden.
        + offer("picky", more: "excludes: [drafted, gone]\n    tags: [secret-tag]")
        .replacing("limits: []", with: #"limits: [ { count: 1, per: customer, across: "tag:secret-tag" } ]"#)
        + offer("drafted-many", "status: draft").replacing("[monthly]", with: "[monthly, yearly]")
        + offer("drafted-account", "status: draft").replacing("[]", with: "[ { count: 1, per: account } ]")
        + offer("drafted-total", "status: draft", more: "tags: [secret-tag]")
        .replacing("[]", with: "[ { count: 1 } ]")
        + offer("drafted-v1", "status: draft", more: "formats: [v1]")
        + offer("drafted-winback", "status: draft").replacing("promotional", with: "winBack")
        + offer("drafted-trial", "status: draft").replacing("promotional", with: "introductory")
        .replacing("    offerIdentifier: drafted-trial50\n", with: "")

    private static func offer(_ id: String, _ status: String = "status: active", more: String = "") -> String {
        """
          - id: \(id)
            type: promotional
            offerIdentifier: \(id)50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            \(status)
            limits: []
        \(more.isEmpty ? "" : "    \(more)\n")
        """
    }

    private struct Question {
        let path: String
        /// With `OFFER` in place of the id.
        let members: String
        var headers: [(String, String)] = []
    }

    /// How an offer is asked for.
    private static let questions: [Question] = {
        let issued = [
            "", #","productId":"monthly""#, #","productId":"yearly""#, #","productId":"unheard-of""#,
            #","formats":["v2"]"#, #","formats":["v2","v1"]"#, #","fresh":true"#, #","signals":{"sessions":5}"#,
            #","signals":{"plan":"team"}"#, #","request":{"locale":"de-DE","placement":"paywall"}"#,
        ]
        let decided = [
            #"["OFFER"]"#, #"["OFFER"],"productId":"monthly""#, #"["OFFER"],"productId":"unheard-of""#,
            #"["comeback","OFFER"]"#, #"["OFFER","comeback"],"productId":"yearly""#,
            #"["OFFER"],"signals":{"sessions":5}"#, #"["OFFER"],"fresh":true"#,
        ]
        var questions = issued.map { Question(path: "/v1/issued-offers", members: #""offerId":"OFFER""# + $0) }
        questions += decided.map { Question(path: "/v1/decisions", members: #""offerIds":"# + $0) }
        questions.append(
            Question(
                path: "/v1/issued-offers", members: #""offerId":"OFFER""#, headers: [("Idempotency-Key", "one-key")]))
        return questions
    }()

    private static func run(_ body: @escaping @Sendable (AppWorld) async throws -> Void) async throws {
        try await AppWorld.run { world in
            for (revision, catalog) in [(1, before), (2, after)] {
                let applied = try await world.service.ask(
                    "PUT", "/v1/catalog", token: try await world.service.token(.marketing), body: catalog,
                    headers: [("Content-Type", "application/yaml"), ("If-Match", "\"\(revision)\"")])
                try #require(applied.status == 200, "\(applied.text)")
            }
            try await body(world)
        }
    }

    /// The content of an answer, without values that differ between any two requests.
    private static func told(_ answer: RawAnswer, about id: String) -> String {
        let text = answer.text.replacing(id, with: "OFFER")
            .replacing(#/"requestId":"[0-9a-f-]{36}"/#, with: #""requestId":"R""#)
        let headers = answer.headers.filter { !["x-request-id", "date", "content-length"].contains($0.key) }
            .map { "\($0.key): \($0.value)" }.sorted()
        return (["\(answer.status)"] + headers + [text]).joined(separator: "\n")
    }

    @Test("attack: each is answered byte for byte as an id that no offer ever had", arguments: hidden)
    func sameAsUnknown(_ id: String) async throws {
        try await Self.run { world in
            for question in Self.questions {
                func told(_ id: String) async throws -> String {
                    let members = question.members.replacing("OFFER", with: id)
                    let answer = try await world.ask(
                        question.path, "\(members),\(world.anna.proof)", headers: question.headers)
                    return Self.told(answer, about: id)
                }
                let (hidden, unknown) = (try await told(id), try await told("never-existed"))
                #expect(hidden == unknown, "\(question.path) \(question.members)")
            }
        }
    }

    @Test("attack: a question without offers is answered as by a catalog that has none of them")
    func lists() async throws {
        try await Self.run { world in
            func all() async throws -> RawAnswer { try await world.ask("/v1/decisions", world.anna.proof) }
            let beside = try await all()
            #expect(beside.text.contains(#""offerId":"picky""#), "\(beside.text)")
            let planned = AppWorld.planned.map(\.0)
            let parts = Self.after.components(separatedBy: "  - id: ")
            let published = parts.filter { part in
                !planned.contains { part.hasPrefix("\($0)\n") } && !part.hasPrefix("drafted-")
            }.joined(separator: "  - id: ")
            let applied = try await world.service.ask(
                "PUT", "/v1/catalog", token: try await world.service.token(.marketing), body: published,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"3\"")])
            try #require(applied.status == 200, "\(applied.text)")
            #expect(try await all().text == beside.text)
        }
    }

    @Test("attack: no answer to an app names one of them, what they share with others, or when they begin")
    func names() async throws {
        try await Self.run { world in
            let offers = ["comeback", "trial", "either", "regular", "family", "unbound", "published", "picky"]
            var answers = [
                try await world.ask("/v1/decisions", world.anna.proof),
                try await world.ask("/v1/decisions", world.mallory.proof),
                try await world.ask("/v1/customers/status", world.anna.proof),
                try await world.ask("/v1/transactions", world.anna.proof),
                try await world.ask("/v1/transactions", world.mallory.proof),
            ]
            for offer in offers {
                for device in [world.anna, world.mallory] {
                    let members = #""offerId":"\#(offer)",\#(device.proof)"#
                    // Again, for what a used limit says.
                    for more in ["", #","fresh":true"#] {
                        answers.append(try await world.ask("/v1/issued-offers", members + more))
                    }
                }
                answers.append(
                    try await world.ask("/v1/decisions", #""offerIds":["\#(offer)"],\#(world.anna.proof)"#))
            }
            #expect(answers.contains { $0.status == 201 } && answers.contains { $0.status == 403 })
            for answer in answers {
                for secret in Self.hidden + ["secret-tag", "codename", "4102444800000", "2100-01-01"] {
                    // By chance a signature may have a word in it.
                    let text = answer.text.replacing(/"jws":"[^"]*"/, with: "")
                    #expect(!text.contains(secret), "\(secret) in \(text)")
                }
            }
        }
    }

    @Test("a backend is told of them, and which id an offer has now")
    func backends() async throws {
        try await Self.run { world in
            let client = try await world.service.token(.client)
            for (id, status) in [("drafted", 403), ("drafted-total", 403), ("gone", 404)] {
                let answer = try await world.ask(
                    "/v1/issued-offers", #""offerId":"\#(id)",\#(world.anna.proof)"#, token: client)
                #expect(answer.status == status, "\(answer.text)")
            }
            for (former, now) in [("codename-drafted", "drafted"), ("codename-published", "published")] {
                let answer = try await world.ask(
                    "/v1/issued-offers", #""offerId":"\#(former)",\#(world.anna.proof)"#, token: client)
                #expect(answer.status == 404 && answer.text.contains("it is `\(now)` now"), "\(answer.text)")
            }
        }
    }
}
