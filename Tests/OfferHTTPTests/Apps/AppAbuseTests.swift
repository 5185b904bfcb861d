import OfferApplication
import OfferModel
import Testing

/// Resources, limits and data that the holder of a publishable key could reach by free values of a request.
@Suite("Abuse of a publishable key")
struct AppAbuseTests {
    private static func regular(_ world: AppWorld, sessions: Int, _ more: String = "") -> String {
        #""offerId":"regular",\#(world.anna.proof),"signals":{"sessions":\#(sessions)}\#(more)"#
    }

    @Test("attack: what the offer's condition does not read makes no further record of a refusal")
    func unreadText() async throws {
        try await AppWorld.run { world in
            var decisions = Set<String?>()
            for number in 0..<10 {
                let device = """
                    {"appVersion":"1.\(number)","osVersion":"18.\(number)","locale":"de-\(number)","placement":"p\(number)"}
                    """
                let answer = try await world.ask(
                    "/v1/issued-offers", Self.regular(world, sessions: 1, #","request":\#(device)"#))
                #expect(answer.status == 403 && answer.code == "not-eligible", "\(answer.text)")
                decisions.insert(answer.json["decisionId"] as? String)
                let other = try await world.ask(
                    "/v1/issued-offers",
                    #""offerId":"family",\#(world.anna.proof),"signals":{"sessions":\#(number)},"request":\#(device)"#)
                #expect(other.status == 422, "\(other.text)")
            }
            #expect(decisions.count == 1)
            #expect(try world.service.rows("SELECT COUNT(*) FROM refusal") == [["2"]])
        }
    }

    @Test("attack: new refusals of one customer are recorded slowly; recorded ones, offers and others are not held up")
    func newRefusals() async throws {
        let time = TestTime()
        var limits = RateLimits.off
        limits.refusals = RateLimit(perSecond: 1, burst: 3, slowness: 600)
        try await AppWorld.run(rates: RequestRates(limits) { time.now }) { world in
            func refused(_ sessions: Int) async throws -> RawAnswer {
                try await world.ask("/v1/issued-offers", Self.regular(world, sessions: -sessions))
            }
            let first = try await refused(0)
            for sessions in 1...2 { #expect(try await refused(sessions).status == 403) }
            for sessions in 3...9 {
                let rejected = try await refused(sessions)
                #expect(rejected.status == 429 && rejected.code == "rate-limited", "\(rejected.text)")
                #expect(rejected.headers["retry-after"] == "600")
                #expect(rejected.headers["ratelimit-policy"] == #""refusals";q=3;w=1800"#)
            }
            #expect(try world.service.rows("SELECT COUNT(*) FROM refusal") == [["3"]])
            let again = try await refused(0)
            #expect(again.status == 403)
            #expect(again.json["decisionId"] as? String == first.json["decisionId"] as? String)
            let issued = try await world.ask("/v1/issued-offers", #""offerId":"comeback",\#(world.anna.proof)"#)
            #expect(issued.status == 201, "\(issued.text)")
            let other = try await world.ask(
                "/v1/issued-offers", #""offerId":"regular",\#(world.mallory.proof),"signals":{"sessions":1}"#)
            #expect(other.status == 403, "\(other.text)")
            // The backend says what it likes.
            let client = try await world.service.token(.client)
            for sessions in 10...15 {
                let stated = try await world.ask(
                    "/v1/issued-offers", Self.regular(world, sessions: -sessions), token: client)
                #expect(stated.status == 403, "\(stated.text)")
            }
            time.advance(milliseconds: 600_000)
            #expect(try await refused(20).status == 403)
            #expect(try await refused(21).status == 429)
        }
    }

    @Test("attack: a new Idempotency-Key for each request keeps no further answers")
    func newKeys() async throws {
        try await AppWorld.run { world in
            let issue = #""offerId":"comeback",\#(world.anna.proof)"#
            for number in 0..<10 {
                let key = [("Idempotency-Key", "key-\(number)")]
                let issued = try await world.ask("/v1/issued-offers", issue, headers: key)
                #expect(issued.status == (number == 0 ? 201 : 200), "\(issued.text)")
                let refused = try await world.ask("/v1/issued-offers", Self.regular(world, sessions: 1), headers: key)
                #expect(refused.status == 403, "\(refused.text)")
            }
            #expect(try world.service.rows("SELECT COUNT(*) FROM kept_answer") == [["2"]])
        }
    }

    @Test("two customers with the same Idempotency-Key get separate answers, each of them again")
    func sharedKey() async throws {
        try await AppWorld.run { world in
            let key = [("Idempotency-Key", "1")]
            let anna = #""offerId":"comeback",\#(world.anna.proof)"#
            let mallory = #""offerId":"comeback",\#(world.mallory.proof)"#
            let hers = try await world.ask("/v1/issued-offers", anna, headers: key)
            let his = try await world.ask("/v1/issued-offers", mallory, headers: key)
            #expect(hers.status == 201 && his.status == 201, "\(his.text)")
            #expect(try AppWorld.claims(hers)["transactionId"] as? String == "100")
            #expect(try AppWorld.claims(his)["transactionId"] as? String == "200")
            for (body, first) in [(anna, hers), (mallory, his)] {
                let again = try await world.ask("/v1/issued-offers", body, headers: key)
                #expect(again.status == 201 && again.body == first.body, "\(again.text)")
                #expect(again.headers["idempotent-replayed"] == "true")
            }
        }
    }

    @Test("attack: a limit per account is not evaded by a new account token, and shows no other holder's use")
    func accountLimit() async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            let first = try await world.ask(
                "/v1/issued-offers",
                #""offerId":"family",\#(world.anna.proof),"customer":{"appAccountToken":"\#(AppWorld.annasToken)"}"#,
                token: client)
            #expect(first.status == 201, "\(first.text)")
            for token in [AppWorld.annasToken, AppWorld.mallorysToken, "bbbbbbbb-4c5d-4e6f-8a9b-0c1d2e3f4a5b", nil] {
                let own = #""signedTransactions":[\#(try world.edited { $0["appAccountToken"] = token })]"#
                let answer = try await world.ask("/v1/issued-offers", #""offerId":"family",\#(own)"#)
                #expect(answer.status == 422 && answer.code == "undetermined", "\(answer.text)")
                #expect(answer.text.contains(#""reason":"accountUnknown""#), "\(answer.text)")
                let decided = try await world.ask("/v1/decisions", #""offerIds":["family"],\#(own)"#)
                #expect(decided.text.contains(#""reason":"accountUnknown""#), "\(decided.text)")
            }
        }
    }

    @Test("an offer that an app got names no account, and a replay decides it alike (invariant 5)")
    func replaysAlike() async throws {
        try await AppWorld.run { world in
            let issued = try await world.ask(
                "/v1/issued-offers",
                #""offerId":"comeback",\#(world.anna.proof),"customer":{"appAccountToken":"\#(AppWorld.annasToken)"},"request":{"placement":"paywall"}"#
            )
            let id = try #require(issued.json["issuedOfferId"] as? String, "\(issued.text)")
            #expect(try world.service.rows("SELECT app_account_token FROM issued_offer") == [["None"]])
            let replay = try await world.ask(
                "/v1/issued-offers/\(id)/replay", "", token: try await world.service.token(.support))
            #expect(replay.status == 200 && (replay.json["differences"] as? [Any])?.isEmpty == true, "\(replay.text)")
            let refused = try await world.ask("/v1/issued-offers", #""offerId":"family",\#(world.anna.proof)"#)
            let decision = try #require(refused.json["decisionId"] as? String, "\(refused.text)")
            let explained = try await world.service.ask(
                "GET", "/v1/decisions/\(decision)", token: try await world.service.token(.support))
            #expect(explained.text.contains("accountUnknown"), "\(explained.text)")
        }
    }

    @Test("attack: account tokens that a backend states are not shown, only those of the request's own data")
    func statedTokens() async throws {
        try await AppWorld.run { world in
            let stated = "cccccccc-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
            let bound = try await world.ask(
                "/v1/transactions", #"\#(world.mallory.proof),"customer":{"appAccountToken":"\#(stated)"}"#,
                token: try await world.service.token(.client))
            #expect(bound.status == 200 && bound.text.contains(stated), "\(bound.text)")
            func tokens(_ members: String) async throws -> [String]? {
                let answer = try await world.ask("/v1/transactions", members)
                #expect(!answer.text.contains(stated), "\(answer.text)")
                return (answer.json["customers"] as? [[String: Any]])?.first?["appAccountTokens"] as? [String]
            }
            #expect(try await tokens(world.mallory.proof) == [AppWorld.mallorysToken])
            let installed = #""signedTransactions":[],"signedAppTransaction":\#(world.mallory.appTransaction)"#
            #expect(try await tokens(installed) == [])
        }
    }

    @Test("attack: one address does not use up the rate of the key that all copies of the app share")
    func addresses() async throws {
        var limits = RateLimits.off
        limits.key = RateLimit(perSecond: 1, burst: 15)
        limits.address = RateLimit(perSecond: 1, burst: 5)
        let rates = RequestRates(limits) { 0 }
        try await AppWorld.run(rates: rates, trustedProxies: [try IPNetwork("127.0.0.1/32")]) { world in
            func ask(from address: String, token: String? = nil) async throws -> RawAnswer {
                try await world.ask(
                    "/v1/decisions", world.anna.proof, token: token, headers: [("X-Forwarded-For", address)])
            }
            for _ in 1...5 { #expect(try await ask(from: "192.0.2.1").status == 200) }
            for _ in 1...10 {
                let rejected = try await ask(from: "192.0.2.1")
                #expect(rejected.status == 429, "\(rejected.text)")
                #expect(rejected.headers["ratelimit-policy"] == #""address";q=5;w=5"#)
            }
            for _ in 1...5 { #expect(try await ask(from: "192.0.2.2").status == 200) }
            // Who hides their address behind the proxy shares a bucket with all others who do.
            for _ in 1...5 { #expect(try await ask(from: "unknown").status != 429) }
            #expect(try await ask(from: "unknown").status == 429)
            // A backend has one address, and its key is its own.
            let client = try await world.service.token(.client)
            for _ in 1...10 {
                #expect(try await ask(from: "192.0.2.1", token: client).status == 200)
            }
        }
    }

    @Test("attack: offers that are only planned are unknown, by whichever way they are asked for")
    func planned() async throws {
        try await AppWorld.run { world in
            for (id, _) in AppWorld.planned {
                for (path, named) in [
                    ("/v1/issued-offers", #""offerId":"\#(id)""#), ("/v1/decisions", #""offerIds":["\#(id)"]"#),
                ] {
                    let answer = try await world.ask(path, "\(named),\(world.anna.proof)")
                    let unknown = try await world.ask(
                        path, "\(named.replacing(id, with: "no-\(id)")),\(world.anna.proof)")
                    #expect(answer.status == 404 && answer.code == "unknown-offer", "\(answer.text)")
                    #expect(unknown.status == answer.status && unknown.code == answer.code)
                }
                let backend = try await world.ask(
                    "/v1/decisions", #""offerIds":["\#(id)"],\#(world.anna.proof)"#,
                    token: try await world.service.token(.client))
                #expect(backend.status == 200, "\(backend.text)")
            }
            let all = try await world.ask("/v1/decisions", world.anna.proof)
            let ids = (all.json["decisions"] as? [[String: Any]])?.compactMap { $0["offerId"] as? String }
            #expect(ids?.contains("comeback") == true, "\(all.text)")
            #expect(Set(ids ?? []).isDisjoint(with: AppWorld.planned.map(\.0)))
        }
    }

    @Test("attack: a copy of one transaction names the customer by no other purchase, and not by the Apple Account")
    func otherPurchases() async throws {
        try await AppWorld.run { world in
            let client = try await world.service.token(.client)
            let own = try world.edited { $0["appTransactionId"] = "app-200" }
            let other = try world.edited {
                $0["appTransactionId"] = "app-200"
                ($0["transactionId"], $0["originalTransactionId"]) = ("290029002900", "290029002900")
            }
            let stored = try await world.ask(
                "/v1/transactions", #""signedTransactions":[\#(own),\#(other)]"#, token: client)
            #expect(stored.text.contains("app-200") && stored.text.contains("290029002900"), "\(stored.text)")
            let copy = try world.edited { $0["appTransactionId"] = nil }
            let shown = try await world.ask("/v1/transactions", #""signedTransactions":[\#(copy)]"#)
            #expect(shown.status == 200, "\(shown.text)")
            let customer = try #require((shown.json["customers"] as? [[String: Any]])?.first, "\(shown.text)")
            #expect(customer["originalTransactionIds"] as? [String] == ["200"])
            #expect(!shown.text.contains("app-200"), "\(shown.text)")
        }
    }

    @Test("attack: a body may be smaller than that of a backend")
    func largeBody() async throws {
        try await AppWorld.run { world in
            let padding = String(repeating: " ", count: 300_000)
            for path in ["/v1/issued-offers", "/v1/decisions", "/v1/transactions", "/v1/customers/status"] {
                let answer = try await world.ask(path, "\(padding)\(world.anna.proof)")
                #expect(answer.status == 413 && answer.code == "too-large", "\(path): \(answer.text)")
            }
            let backend = try await world.ask(
                "/v1/transactions", "\(padding)\(world.anna.proof)", token: try await world.service.token(.client))
            #expect(backend.status == 200, "\(backend.text)")
        }
    }
}
