import Foundation
import LocalAppStore
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@Suite("The kill switch, voids and revisions over HTTP")
struct SwitchTests {
    @Test(
        "a paused offer is refused from the next request on, applying the same catalog does not lift it, resuming does")
    func pause() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            let body = service.issueBody("comeback", try service.lapsedCustomer("100"))
            func order() async throws -> RawAnswer {
                try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
            }
            func flip(_ path: String) async throws -> RawAnswer {
                try await service.ask("POST", path, token: marketing)
            }
            func paused() async throws -> [String: Bool] {
                let list = try await service.ask("GET", "/v1/offers", token: marketing)
                let items = try #require(list.json["items"] as? [[String: Any]])
                return Dictionary(
                    uniqueKeysWithValues: items.compactMap { item in
                        (item["offerId"] as? String).map { ($0, item["paused"] as? Bool ?? false) }
                    })
            }
            #expect(try await order().status == 201)
            let first = try await flip("/v1/offers/comeback/pause")
            #expect(first.status == 200, "\(first.text)")
            #expect(
                first.text == #"{"changed":true,"everyOfferPaused":false,"offerId":"comeback","paused":true}"#)
            #expect(try await flip("/v1/offers/comeback/pause").json["changed"] as? Bool == false)
            let refused = try await order()
            #expect(refused.status == 403)
            #expect((refused.json["findings"] as? [[String: Any]])?.first?["rule"] as? String == "catalog.paused")
            #expect(try await paused() == ["comeback": true, "trial": false, "either": false])
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: marketing, body: "# anew\n" + TestCatalog.yaml,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            #expect(applied.status == 200)
            #expect(try await order().status == 403)
            #expect(try await flip("/v1/offers/comeback/resume").json["paused"] as? Bool == false)
            #expect(try await order().status == 200)
        }
    }

    @Test("the list of offers comes in pages of the revision that it began with, and an invented place is refused")
    func pages() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            func page(_ query: String) async throws -> (offers: [String], next: String?) {
                let answer = try await service.ask("GET", "/v1/offers\(query)", token: marketing)
                #expect(answer.status == 200, "\(answer.text)")
                let items = try #require(answer.json["items"] as? [[String: Any]])
                return (items.compactMap { $0["offerId"] as? String }, answer.json["next"] as? String)
            }
            let whole = try await page("")
            #expect(whole.offers == ["comeback", "trial", "either"] && whole.next == nil)
            let first = try await page("?limit=2")
            #expect(first.offers == ["comeback", "trial"] && first.next == "1-2")
            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: marketing, body: TestCatalog.app() + "offers: []\n",
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            #expect(applied.status == 200, "\(applied.text)")
            let last = try await page("?limit=2&cursor=1-2")
            #expect(last.offers == ["either"] && last.next == nil)
            #expect(try await page("").offers.isEmpty)
            for (query, path) in [
                ("limit=0", "query.limit"), ("limit=201", "query.limit"), ("cursor=3", "query.cursor"),
                ("cursor=1-x", "query.cursor"), ("cursor=0-1", "query.cursor"), ("cursor=01-1", "query.cursor"),
                ("cursor=3-1", "query.cursor"), ("cursor=1-1-1", "query.cursor"), ("cursor=", "query.cursor"),
                ("cursor=1-4", "query.cursor"), ("cursor=1~", "query.cursor"), ("cursor=3~a", "query.cursor"),
                ("cursor=+1~a", "query.cursor"), ("cursor=~a", "query.cursor"),
                ("page=2", "query.page"),
            ] {
                let refused = try await service.ask("GET", "/v1/offers?\(query)", token: marketing)
                #expect(refused.status == 400, "\(query)")
                let errors = refused.json["errors"] as? [[String: Any]]
                #expect(errors?.map { $0["path"] as? String } == [path], "\(query): \(refused.text)")
            }
        }
    }

    private typealias Page = (offers: [String], next: String?)

    private static func page(_ query: String, of service: ServiceFixture, token: String) async throws -> Page {
        let answer = try await service.ask("GET", "/v1/offers\(query)", token: token)
        #expect(answer.status == 200, "\(answer.text)")
        let items = try #require(answer.json["items"] as? [[String: Any]])
        let offers = items.map { "\($0["offerId"] ?? "") \($0["status"] ?? "")" }
        return (offers, answer.json["next"] as? String)
    }

    private static func apply(
        _ catalog: String, over revision: Int, to service: ServiceFixture, token: String
    ) async throws {
        let answer = try await service.ask(
            "PUT", "/v1/catalog", token: token, body: catalog,
            headers: [("Content-Type", "application/yaml"), ("If-Match", "\"\(revision)\"")])
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("an offer that was removed stands behind the others as archived, once anybody was evaluated for it")
    func removed() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            func list(_ query: String) async throws -> Page {
                try await Self.page(query, of: service, token: marketing)
            }
            func apply(_ catalog: String, over revision: Int) async throws {
                try await Self.apply(catalog, over: revision, to: service, token: marketing)
            }
            for offer in ["either", "comeback"] {
                let body = service.issueBody(
                    offer, try service.lapsedCustomer("100"), more: #","productId":"monthly""#)
                let answer = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                #expect(answer.status == 201, "\(answer.text)")
            }
            let all = ["comeback active", "trial active", "either active"]
            #expect(try await list("").offers == all)
            try await apply(TestCatalog.app() + "offers: []\n", over: 1)
            #expect(try await list("").offers == ["comeback archived", "either archived"])
            let first = try await list("?limit=1")
            #expect(first.offers == ["comeback archived"] && first.next == "2~comeback")
            let last = try await list("?limit=1&cursor=2~comeback")
            #expect(last.offers == ["either archived"] && last.next == nil)
            // A page of the revision that still had them has them as they were then.
            #expect(try await list("?cursor=1-1").offers == Array(all.dropFirst()))
            try await apply(TestCatalog.yaml, over: 2)
            #expect(try await list("").offers == all)
        }
    }

    @Test("pages miss and repeat no removed offer, whatever comes back or is new between them")
    func removedBetweenPages() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, marketing) = (try await service.token(.client), try await service.token(.marketing))
            func page(_ query: String) async throws -> Page {
                try await Self.page(query, of: service, token: marketing)
            }
            func apply(_ catalog: String, over revision: Int) async throws {
                try await Self.apply(catalog, over: revision, to: service, token: marketing)
            }
            func issue(_ offers: [String], to customer: String) async throws {
                let signed = try service.lapsedCustomer(customer)
                for offer in offers {
                    let answer = try await service.ask(
                        "POST", "/v1/issued-offers", token: client,
                        body: service.issueBody(offer, signed, more: #","productId":"monthly""#))
                    #expect(answer.status == 201, "\(answer.text)")
                }
            }
            try await issue(["comeback", "either"], to: "100")
            try await apply(TestCatalog.app() + "offers: []\n", over: 1)
            let first = try await page("?limit=1")
            #expect(first.offers == ["comeback archived"])
            // One is in force again, and an offer that stands before the first was never there before.
            let added = TestCatalog.yaml.replacing("id: trial", with: "id: trial0")
                .replacing("id: comeback", with: "id: added").replacing("comeback50", with: "added50")
            try await apply(added, over: 2)
            try await issue(["added", "either"], to: "200")
            let rest = try await page("?limit=1&cursor=\(try #require(first.next))")
            #expect(rest.offers == ["either active"] && rest.next == nil)
            // One page of a catalog that is gone has them all: those it had, and behind them the others, by id.
            #expect(try await page("?cursor=1-2").offers == ["either active", "added active"])
        }
    }

    @Test("what stands in a path is what its percent-encoding means; a wrong encoding is refused (invariant 10)")
    func encodedPaths() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            func pause(_ path: String) async throws -> RawAnswer {
                try await service.ask("POST", "/v1/offers/\(path)/pause", token: marketing)
            }
            for path in ["comeback", "com%65back", "%63%6f%6D%65%62%61%63%6b"] {
                let answer = try await pause(path)
                #expect(answer.status == 200 && answer.json["offerId"] as? String == "comeback", "\(answer.text)")
            }
            for (path, id) in [
                ("50%20%25%20off", "50 % off"), ("a%2Fb", "a/b"), ("Fr%C3%BChling", "Frühling"), ("a+b", "a+b"),
                ("a%2Bb", "a+b"), (String(repeating: "a", count: 256), String(repeating: "a", count: 256)),
            ] {
                let answer = try await pause(path)
                #expect(answer.status == 404)
                #expect((answer.json["detail"] as? String)?.contains("`\(id)`") == true, "\(answer.text)")
            }
            #expect(try await pause("a%00b").status == 404)
            for path in ["%", "%4", "%zz", "%FF"] {
                let answer = try await pause(path)
                #expect(answer.status == 400, "\(path): \(answer.text)")
                let errors = answer.json["errors"] as? [[String: Any]]
                #expect(errors?.map { $0["path"] as? String } == ["path.id"], "\(path)")
            }
            let revision = try await service.ask("GET", "/v1/catalog/revisions/%31", token: marketing)
            #expect(revision.status == 200)
        }
    }

    @Test("pausing every offer is independent of the pauses of single ones")
    func pauseEveryOffer() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            for path in ["/v1/offers/pause", "/v1/offers/trial/pause"] {
                #expect(try await service.ask("POST", path, token: marketing).status == 200)
            }
            let single = try await service.ask("POST", "/v1/offers/comeback/resume", token: marketing)
            #expect(single.text == #"{"changed":false,"everyOfferPaused":true,"offerId":"comeback","paused":false}"#)
            let all = try await service.ask("POST", "/v1/offers/resume", token: marketing)
            #expect(all.text == #"{"changed":true,"everyOfferPaused":false,"paused":false}"#)
            let list = try await service.ask("GET", "/v1/offers", token: marketing)
            let items = try #require(list.json["items"] as? [[String: Any]])
            #expect(items.filter { $0["paused"] as? Bool == true }.map { $0["offerId"] as? String } == ["trial"])
        }
    }

    @Test("an id that is missing from the path names nothing: it pauses and resumes not a single offer, nor all")
    func missingId() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            for path in ["/v1/offers//pause", "/v1/offers//resume", "/v1/offers/pause/", "//v1/offers/pause"] {
                let answer = try await service.ask("POST", path, token: marketing)
                #expect(answer.status == 404 && answer.code == "not-found", "\(path): \(answer.text)")
            }
            let list = try await service.ask("GET", "/v1/offers", token: marketing)
            let items = try #require(list.json["items"] as? [[String: Any]])
            #expect(items.count == 3 && items.allSatisfy { $0["paused"] as? Bool == false })
        }
    }

    @Test("where no catalog was applied yet, every question about an offer says so, and one about all has an answer")
    func noCatalog() async throws {
        try await ServiceFixture.run { service in
            func ask(_ role: Role, _ method: String, _ path: String, _ body: String? = nil) async throws -> RawAnswer {
                try await service.ask(method, path, token: try await service.token(role), body: body)
            }
            let signed = service.issueBody("trial", try service.lapsedCustomer("100"))
            let decision = #"{"customer":{"customerId":"a"},"offerIds":["trial"]}"#
            func answers() async throws -> [RawAnswer] {
                [
                    try await ask(.client, "POST", "/v1/issued-offers", signed),
                    try await ask(.client, "POST", "/v1/decisions", decision),
                    try await ask(.marketing, "POST", "/v1/offers/trial/pause"),
                    try await ask(.marketing, "POST", "/v1/offers/trial/resume"),
                    try await ask(.marketing, "GET", "/v1/reports/funnel?offerId=trial"),
                    try await ask(.support, "GET", "/v1/issued-offers/export?offerId=trial"),
                ]
            }
            for answer in try await answers() {
                #expect(answer.status == 404 && answer.code == "no-catalog", "\(answer.text)")
                #expect(
                    answer.json["detail"] as? String
                        == "no catalog has been applied for `com.example.pro` in LocalTesting", "\(answer.text)")
            }
            let every = try await ask(.client, "POST", "/v1/decisions", #"{"customer":{"customerId":"a"}}"#)
            #expect(every.status == 200 && (every.json["decisions"] as? [Any])?.isEmpty == true, "\(every.text)")

            let applied = try await service.ask(
                "PUT", "/v1/catalog", token: try await service.token(.marketing),
                body: TestCatalog.app() + "offers: []\n",
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"0\"")])
            #expect(applied.status == 200, "\(applied.text)")
            for answer in try await answers() {
                #expect(answer.status == 404 && answer.code == "unknown-offer", "\(answer.text)")
            }
        }
    }

    @Test("an offer that the catalog does not have cannot be paused")
    func unknownOffer() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let marketing = try await service.token(.marketing)
            let answer = try await service.ask("POST", "/v1/offers/nope/pause", token: marketing)
            #expect(answer.status == 404)
            #expect(answer.code == "unknown-offer")
            #expect(answer.text.contains("`nope`"))
        }
    }

    @Test("a voided offer gives no further signatures; its place counts on unless it is released")
    func void() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let (client, support) = (try await service.token(.client), try await service.token(.support))
            for (id, release) in [("100", false), ("200", true)] {
                let body = service.issueBody("comeback", try service.lapsedCustomer(id))
                let issued = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                let issuedOffer = try #require(issued.json["issuedOfferId"] as? String)
                let voided = try await service.ask(
                    "POST", "/v1/issued-offers/\(issuedOffer)/void", token: support,
                    body: #"{"reason":"wrong account","release":\#(release)}"#)
                #expect(voided.status == 200, "\(voided.text)")
                #expect(voided.json["state"] as? String == "voided")
                let again = try await service.ask("POST", "/v1/issued-offers", token: client, body: body)
                #expect(again.status == (release ? 201 : 403))
                #expect(again.json["issuedOfferId"] as? String != issuedOffer)
                let twice = try await service.ask(
                    "POST", "/v1/issued-offers/\(issuedOffer)/void", token: support, body: #"{"reason":"again"}"#)
                #expect(twice.json["state"] as? String == "voided", "a second void changes nothing")
            }
        }
    }

    @Test("a void needs a reason on one line, and an offer that was issued")
    func voidProblems() async throws {
        try await ServiceFixture.run { service in
            let support = try await service.token(.support)
            let path = "/v1/issued-offers/00000000-0000-4000-8000-000000000000/void"
            let unknown = try await service.ask("POST", path, token: support, body: #"{"reason":"x"}"#)
            #expect(unknown.status == 404)
            #expect(unknown.code == "unknown-issued-offer")
            // The last reads like a text that was removed, which the audit would miss an event of.
            let bodies = [
                "{}", #"{"reason":""}"#, #"{"reason":"a\nb"}"#, #"{"reason":"x","why":1}"#,
                #"{"reason":"hmac-sha256:\#(String(repeating: "a", count: 64))"}"#,
            ]
            for body in bodies {
                let answer = try await service.ask("POST", path, token: support, body: body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.code == "invalid-request")
            }
        }
    }

    @Test("revisions tell who applied what, with the label of the key, newest first, in pages; one has its document")
    func revisions() async throws {
        try await ServiceFixture.run { service in
            let marketing = try await service.token(.marketing)
            let lea = try await service.useCases.apiKeys.create(
                scope: ServiceFixture.scope, role: .marketing, label: "Lea")
            for number in 0..<3 {
                let applied = try await service.ask(
                    "PUT", "/v1/catalog?message=number%20\(number + 1)", token: number == 1 ? lea.text : marketing,
                    body: "# \(number + 1)\n" + TestCatalog.yaml,
                    headers: [("Content-Type", "application/yaml"), ("If-Match", "\"\(number)\"")])
                #expect(applied.status == 200, "\(applied.text)")
            }
            let first = try await service.ask("GET", "/v1/catalog/revisions?limit=2", token: marketing)
            let items = try #require(first.json["items"] as? [[String: Any]])
            #expect(items.map { $0["revision"] as? Int } == [3, 2])
            #expect(items.map { $0["message"] as? String } == ["number 3", "number 2"])
            #expect(items.map { $0["actor"] as? String } == [String(marketing.split(separator: "_")[3]), lea.id])
            #expect(items.map { $0["actorLabel"] as? String } == [nil, "Lea"])
            #expect(items.allSatisfy { $0["document"] == nil })
            let next = try #require(first.json["next"] as? String)
            let rest = try await service.ask("GET", "/v1/catalog/revisions?limit=2&cursor=\(next)", token: marketing)
            #expect((rest.json["items"] as? [[String: Any]])?.map { $0["revision"] as? Int } == [1])
            #expect(rest.json["next"] == nil)
            let one = try await service.ask("GET", "/v1/catalog/revisions/2", token: marketing)
            #expect(one.json["document"] as? String == "# 2\n" + TestCatalog.yaml)
            #expect(one.json["format"] as? String == "yaml")
            #expect(one.json["actor"] as? String == lea.id && one.json["actorLabel"] as? String == "Lea")
            for unknown in ["4", "0", "-1", "x", "99999999999999999999"] {
                let answer = try await service.ask("GET", "/v1/catalog/revisions/\(unknown)", token: marketing)
                #expect(answer.status == 404)
                #expect(answer.code == "unknown-revision")
            }
        }
    }
}
