import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferConsole
@testable import OfferHTTP

@Suite("Forms that are refused")
struct RefusedFormTests {
    private static let offer = "/console/offers/comeback"
    private static let customer = "/console/customers?q=100&kind=originalTransactionId"
    private static let named = [("q", "100"), ("kind", "originalTransactionId")]
    private static let markup = "\"><script>alert(1)</script>"

    private static let catalog =
        TestCatalog.head + TestCatalog.comeback(to: "expired") + TestCatalog.comeback("winter", to: "subscribed")

    struct Refusal: Sendable {
        /// The form's path, with the id of an issued offer for `ISSUED`.
        var form: String
        /// The page that has it.
        var page: String
        var fields: [(String, String)]
        var status = 400
        /// How the notice begins, or what it says.
        var says: String
        var boxes: [String] = []
    }

    private static let refusals = [
        Refusal(
            form: "\(offer)/pause", page: offer, fields: [("until", "2001-01-01"), ("reason", markup)],
            says: "Until: "),
        Refusal(
            form: "\(offer)/pause", page: offer,
            fields: [("until", ""), ("reason", markup + String(repeating: "a", count: 500))],
            says: "Reason: "),
        Refusal(
            form: "/console/pause", page: "/console/offers",
            fields: [("until", "2099-01-01"), ("reason", markup), ("agreed", "true")], says: "Until: ",
            boxes: ["agreed"]),
        Refusal(
            form: "/console/pause", page: "/console/offers", fields: [("until", ""), ("reason", markup)],
            says: "Agreed: nothing was paused: tick the box to agree"),
        Refusal(
            form: "\(offer)/audience", page: offer, fields: [("where", "subscription.stat is \(markup)")],
            says: "Only customers who meet this condition: "),
        Refusal(
            form: "\(offer)/audience", page: offer, fields: [("where", markup + String(repeating: "a", count: 2_000))],
            says: "Only customers who meet this condition: "),
        Refusal(
            form: "/console/grants", page: customer,
            fields: [("offer", "winter"), ("reason", markup), ("until", "2020-01-01")], says: "Until: "),
        Refusal(
            form: "/console/grants", page: customer,
            fields: [("offer", "winter"), ("reason", ""), ("until", "2099-01-01")],
            says: "Reason: an empty text is not a reason say why, without naming a person"),
        Refusal(
            form: "/console/issued-offers/ISSUED/void", page: "/console/issued-offers/ISSUED",
            fields: [("reason", markup + String(repeating: "a", count: 255)), ("release", "true")], says: "Reason: ",
            boxes: ["release"]),
        Refusal(form: "/console/customers/refresh", page: customer, fields: [], says: "no purchases"),
        Refusal(
            form: "/console/operations/resend", page: "/console/operations", fields: [("event", markup)], status: 404,
            says: "no event has the id"),
        Refusal(
            form: "/console/operations/test", page: "/console/operations", fields: [("webhook", markup)], status: 409,
            says: "no webhook"),
        Refusal(
            form: "/console/signatures", page: "/console/signatures",
            fields: [("timestamp", "now"), ("nonce", markup), ("format", "v2")], says: "Timestamp: now is not a number"),
    ]

    @Test("a refused form is shown again as it was typed, with the refusal above it by the label of its field")
    func again() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            let issued = try await console.issue("100")
            let session = try await console.signIn(.admin)
            let before = try await console.everything()
            for refusal in Self.refusals {
                let form = refusal.form.replacing("ISSUED", with: issued)
                let page = refusal.page.replacing("ISSUED", with: issued)
                let hidden = refusal.page == Self.customer ? Self.named : []
                let answer = try await console.send(form, from: page, session, hidden + refusal.fields)
                #expect(answer.status == refusal.status, "\(form): \(answer.text)")
                let read = try PageReader.read(answer.body)
                let (notice, shown) = try #require(read.refused(form), "\(form): \(answer.text)")
                #expect(notice.words.contains(refusal.says), "\(form): \(notice.words)")
                for word in ["/until", "/expiresAt", "query.", "/v1/", "``"] {
                    #expect(!notice.words.contains(word), "\(form): \(notice.words)")
                }
                for (name, value) in refusal.fields {
                    let field = try #require(shown.all.first { $0.attributes["name"] == name }, "\(form) \(name)")
                    if field.name == "select" {
                        guard field.all("option", ["value": value]).first != nil else { continue }
                        #expect(field.all("option", ["selected": ""]).first?.attributes["value"] == value, "\(form)")
                    } else {
                        #expect(field.attributes["value"] == value, "\(form) \(name)")
                    }
                }
                for box in shown.all("input", ["type": "checkbox"]) {
                    let isChecked = box.attributes["checked"] != nil
                    #expect(isChecked == refusal.boxes.contains(box.attributes["name"] ?? ""), "\(form)")
                }
                #expect(!answer.hasBytes("<script>alert"), "\(form)")
                #expect(read.all("form", ["action": "/console/sign-out"]).count == 1)
                #expect(read.all("a", ["href": "/console/sign-in"]).isEmpty, "\(form)")
            }
            #expect(try await console.changes(since: before) == [])
        }
    }

    @Test("what is wrong is said once, and of several fields each")
    func once() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            let session = try await console.signIn(.marketing)
            func notice(_ fields: [(String, String)]) async throws -> String {
                let answer = try await console.send("\(Self.offer)/pause", from: Self.offer, session, fields)
                return try #require(try PageReader.read(answer.body).refused("\(Self.offer)/pause")).notice.words
            }
            #expect(try await notice([("until", "soon")]) == "Until: soon is not a day give it as 2026-12-01")
            let both = try await notice([("until", "soon"), ("reason", "a\u{7}")])
            #expect(both.hasPrefix("2 entries are refused: Until: soon is not a day give it as 2026-12-01 Reason: "))
            #expect(both.components(separatedBy: "is not a day").count == 2, "\(both)")
            #expect(both.components(separatedBy: "Reason: ").count == 2, "\(both)")
        }
    }

    @Test("a form of a customer that there is not leads to the search, and a grant that there is not to the customer")
    func unknown() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            _ = try await console.issue("100")
            let session = try await console.signIn()
            let fields = [("q", "999"), ("kind", "originalTransactionId"), ("offer", "winter"), ("reason", "a")]
            let stranger = try await console.send("/console/grants", from: Self.customer, session, fields)
            let search = try PageReader.read(stranger.body)
            #expect(stranger.status == 404)
            #expect(search.all("input", ["id": "q", "value": "999"]).count == 1, "\(stranger.text)")
            #expect(search.all("div", ["role": "alert"]).first?.words.hasPrefix("no customer found") == true)
            let grant = "00000000-0000-4000-8000-000000000000"
            let revoked = try await console.send(
                "/console/grants/\(grant)/revoke", from: Self.customer, session, Self.named)
            #expect(revoked.status == 404)
            let grants = try #require(try PageReader.read(revoked.body).section("grants"))
            #expect(
                grants.all("div", ["role": "alert"]).map(\.words) == [
                    "no grant has the id \(grant) in this app and environment the customer’s page lists those of a customer"
                ])
        }
    }

    @Test("an error of another kind leads on, and offers no sign-in to people who are signed in, nor files of programs")
    func problem() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            let session = try await console.signIn()
            for (target, status) in [
                ("/console/nowhere", 404), ("/console/offers/nope", 404), ("/console/operations", 403),
                ("/console/customers?q=100&asOf=soon", 400),
            ] {
                let answer = try await console.get(target, session)
                #expect(answer.status == status, "\(target)")
                let main = try #require(try PageReader.read(answer.body).all("main").first)
                #expect(main.all("a").map(\.attributes["href"]) == ["/console"], "\(target): \(answer.text)")
                #expect(!main.words.contains("openapi") && !main.words.contains("query."), "\(target): \(main.words)")
            }
        }
    }

    @Test("a refusal names buttons and pages, and no call or setting, which only an operator could use")
    func terms() throws {
        let id = try #require(LowercaseUUID("01980000-0000-8000-8000-000000000000"))
        let errors: [(RequestError, String)] = [
            (
                .grantExists(id, offer: "a"),
                "it is used by the customer's next request for the offer; Revoke beside it revokes it"
            ),
            (.grantUsed(id, by: id), "Void on the issued offer’s page stops further signatures of that"),
            (.unknownGrant("a"), "the customer’s page lists those of a customer"),
            (.unknownRevision("9"), "the page Catalog lists them"),
            (.unknownEvent("a"), "events are kept for 30 days; `offerctl events list` lists them"),
            (.unknownSimulation("a"), "results are kept for a day; Count on the offer’s page begins a new one"),
            (.simulationsWaiting, "try again when one of them is done, or cancel one with Cancel on its page"),
            (.simulationUnfinished(id, of: "a"), "wait for it, or cancel it with Cancel on its page"),
            (
                .noCatalog(ConsoleFixture.scope),
                "apply one with the page Catalog; each app has one in each environment"
            ),
            (
                .grantLimitReached(perDay: 3, resets: ConsoleFixture.start, secondsToWait: 1),
                "the server’s configuration sets how many a key may make in a day (UTC)"
            ),
            (.noSuchWebhook(nil, known: []), "add one to `webhooks` in offerd.yaml; docs/webhooks.md explains them"),
        ]
        for (error, words) in errors {
            let problem = try #require(Problem(error)).document
            #expect(PageMembers.of(problem)["hint"] as? String == words)
        }
    }

    @Test("a refusal because of a simulation that is running leads to it, of whichever offer it is")
    func running() throws {
        let id = try #require(LowercaseUUID("01980000-0000-8000-8000-000000000000"))
        let error = RequestError.simulationUnfinished(id, of: "winter")
        let form = try QueryParameters("where=a", known: ["where"])
        let refused = try #require(RefusedForm("/console/offers/{id}/audience", form, ["where"], error))
        let shown = refused.added(to: ["typed": ["until": "2026-12-01", "where": "b"]])
        #expect(shown["typed"] as? [String: String] == ["until": "2026-12-01", "where": "a"])
        let notice = (shown["refused"] as? [String: Any])?["audience"] as? [String: Any]
        #expect(notice?["runningPath"] as? String == "/console/offers/winter/audience/\(id)")
        #expect(RefusedForm("/a", form, [], ConsoleFailure()) == nil)
    }

    private struct ConsoleFailure: Error {}

    @Test("each label by which a refusal names a field is how the field's label on a page begins")
    func labels() async throws {
        try await ConsoleFixture.run { console in
            try await console.apply(Self.catalog)
            try await console.apply(Self.catalog + "# the second\n", on: 1)
            let issued = try await console.issue("100")
            let session = try await console.signIn(.admin)
            var found: [String: [String]] = [:]
            for target in [
                Self.offer, "/console/offers", Self.customer, "/console/issued-offers/\(issued)", "/console/signatures",
                "\(Self.offer)/results", "/console/operations", "/console/catalog/revisions/1", "/console/sign-in",
            ] {
                let page = try PageReader.read(try await console.get(target, session).body)
                for label in page.all("label") {
                    let named = page.all.first {
                        $0.attributes["id"] == label.attributes["for"] && label.attributes["for"] != nil
                    }
                    let name = (named ?? label.all("input").first)?.attributes["name"] ?? ""
                    found[name, default: []].append(label.words)
                }
            }
            // The API's names for what a form calls otherwise, and the customer whose page has the form.
            for (name, label) in ConsoleTerms.labels where !["expiresAt", "offerId", "jws", "q"].contains(name) {
                #expect(found[name]?.contains { $0.hasPrefix(label) } == true, "\(name): \(found[name] ?? [])")
            }
        }
    }
}

extension PageElement {
    private var elements: [PageElement] {
        children.compactMap { child in
            if case .element(let element) = child { element } else { nil }
        }
    }

    /// The form with an action, and the refusal directly above it, or above what it is folded into.
    func refused(_ action: String) -> (notice: PageElement, form: PageElement)? {
        for parent in [self] + all {
            for (notice, next) in zip(parent.elements, parent.elements.dropFirst())
            where notice.attributes["role"] == "alert" {
                guard next.name == "form" || next.name == "details" && next.attributes["open"] != nil else { continue }
                let form = ([next] + next.all).first {
                    $0.name == "form" && $0.attributes["action"]?.split(separator: "#").first ?? "" == action
                }
                if let form { return (notice, form) }
            }
        }
        return nil
    }
}
