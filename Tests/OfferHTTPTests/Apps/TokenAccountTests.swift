import Foundation
import OfferApplication
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

extension AppWorld {
    /// Trusts a login provider.
    func trust(_ keys: CustomerTokens.Provider.KeySource, app: BundleId? = nil) {
        service.useCases.customerTokens.replace(with: [
            CustomerTokens.Provider(
                issuer: LoginProvider.issuer, audience: LoginProvider.audience, keys: keys, app: app)
        ])
    }

    /// A header with a fresh token of a user.
    func token(_ user: String, _ provider: LoginProvider, key: String = "ec") throws -> (String, String) {
        let claims = LoginProvider.claims(user, at: service.clock.now.seconds)
        return ("Customer-Token", try provider.token(claims, key: key))
    }
}

/// A customer token names the account of the app that a request is for, and nothing else.
@Suite("The account that a customer token proves")
struct TokenAccountTests {
    private static let family = #""offerId":"family""#

    private static func run(
        _ body: @escaping @Sendable (AppWorld, LoginProvider) async throws -> Void
    ) async throws {
        let provider = try LoginProvider()
        let keys = try JSONWebKeySet.keys(Array(try provider.keySet("ec").utf8))
        try await AppWorld.run { world in
            world.trust(.known(keys))
            try await body(world, provider)
        }
    }

    @Test("a limit per account counts across Apple Accounts: one user has one use, another has another")
    func twoAppleAccounts() async throws {
        try await Self.run { world, provider in
            let without = try await world.ask("/v1/issued-offers", "\(Self.family),\(world.anna.proof)")
            #expect(without.text.contains(#""reason":"accountUnknown""#), "\(without.text)")
            #expect((without.json["hint"] as? String)?.contains("`Customer-Token`") == true, "\(without.text)")
            let first = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)", headers: [try world.token("u1", provider)])
            #expect(first.status == 201, "\(first.text)")
            let again = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)", headers: [try world.token("u1", provider)])
            #expect(again.status == 200 && again.body == first.body, "\(again.text)")
            let second = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.mallory.proof)",
                headers: [try world.token("u1", provider)])
            #expect(second.status == 403 && second.code == "not-eligible", "\(second.text)")
            #expect(second.text.contains(#""rule":"limit.account""#), "\(second.text)")
            let decided = try await world.ask(
                "/v1/decisions", #""offerIds":["family"],\#(world.mallory.proof)"#,
                headers: [try world.token("u1", provider)])
            #expect(decided.text.contains(#""rule":"limit.account""#), "\(decided.text)")
            let other = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.mallory.proof)",
                headers: [try world.token("u2", provider)])
            #expect(other.status == 201, "\(other.text)")
            #expect(
                try world.service.rows("SELECT app_customer_id FROM issued_offer ORDER BY sequence")
                    == [["u1"], ["u2"]])
        }
    }

    @Test("a use is counted for the account by a call of the backend too, and the other way round")
    func backendToo() async throws {
        try await Self.run { world, provider in
            let client = try await world.service.token(.client)
            func stated(_ device: AppWorld.Device, _ id: String) async throws -> RawAnswer {
                try await world.ask(
                    "/v1/issued-offers", #"\#(Self.family),\#(device.proof),"customer":{"customerId":"\#(id)"}"#,
                    token: client)
            }
            let own = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)", headers: [try world.token("u1", provider)])
            #expect(own.status == 201, "\(own.text)")
            let refused = try await stated(world.mallory, "u1")
            #expect(refused.status == 403 && refused.text.contains("limit.account"), "\(refused.text)")
            #expect(try await stated(world.mallory, "u2").status == 201)
            let late = try AppWorld.device(world.service, "300", token: nil)
            let other = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(late.proof)", headers: [try world.token("u2", provider)])
            #expect(other.status == 403 && other.text.contains("limit.account"), "\(other.text)")
        }
    }

    @Test("other offers, and uses that were given back, leave the account its use, with however many Apple Accounts")
    func manyAppleAccounts() async throws {
        try await Self.run { world, provider in
            let token = try world.token("u1", provider)
            let support = try await world.service.token(.support)
            for number in 1...17 {
                let device = try AppWorld.device(world.service, "\(number)000", token: nil)
                let regular = #""offerId":"regular",\#(device.proof),"signals":{"sessions":5}"#
                let other = try await world.ask("/v1/issued-offers", regular, headers: [token])
                #expect(other.status == 201, "\(other.text)")
                let limited = try await world.ask(
                    "/v1/issued-offers", "\(Self.family),\(device.proof)", headers: [token])
                #expect(limited.status == 201, "\(limited.text)")
                let id = try #require(limited.json["issuedOfferId"] as? String)
                let void = try await world.ask(
                    "/v1/issued-offers/\(id)/void", #""reason":"given back","release":true"#, token: support)
                #expect(void.status == 200, "\(void.text)")
            }
            let last = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)", headers: [token])
            #expect(last.status == 201, "\(last.text)")
        }
    }

    @Test("of Apple Accounts at once one gets the account's one use (invariant 2)")
    func atOnce() async throws {
        try await Self.run { world, provider in
            let token = try world.token("u1", provider)
            let devices = try (1...6).map { try AppWorld.device(world.service, "\($0)00", token: nil) }
            let answers = try await withThrowingTaskGroup(of: RawAnswer.self) { group in
                for device in devices {
                    group.addTask {
                        var answer = RawAnswer(status: 503, headers: [:], body: [])
                        while answer.status == 503 {
                            answer = try await world.ask(
                                "/v1/issued-offers", "\(Self.family),\(device.proof)", headers: [token])
                        }
                        return answer
                    }
                }
                return try await group.reduce(into: [RawAnswer]()) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == [201, 403, 403, 403, 403, 403], "\(answers.map(\.text))")
            #expect(try world.service.rows("SELECT COUNT(*) FROM issued_offer") == [["1"]])
        }
    }

    @Test("attack: captured data of a customer and one's own token attach the customer to no account")
    func capturedData() async throws {
        try await Self.run { world, provider in
            let aliases = "SELECT value, customer_id FROM customer_alias ORDER BY value"
            let before = try world.service.rows(aliases)
            let mallory = try world.token("mallory", provider)
            for (path, members) in [
                ("/v1/transactions", world.anna.proof), ("/v1/decisions", world.anna.proof),
                ("/v1/customers/status", world.anna.proof),
                ("/v1/issued-offers", #""offerId":"regular",\#(world.anna.proof)"#),
            ] {
                let answer = try await world.ask(path, members, headers: [mallory])
                #expect([200, 422].contains(answer.status), "\(path): \(answer.text)")
                #expect(!answer.text.contains("\"anna\""), "\(path): \(answer.text)")
            }
            // What is issued is hers alone to redeem.
            let taken = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)", headers: [mallory])
            #expect(taken.status == 201, "\(taken.text)")
            #expect(try AppWorld.claims(taken)["transactionId"] as? String == "100")
            #expect(try world.service.rows(aliases) == before)
            // The backend finds no customer by the attacker's name, and her as before.
            let client = try await world.service.token(.client)
            let statuses = try await world.ask(
                "/v1/customers/status", #""customers":[{"customerId":"mallory"},{"customerId":"anna"}]"#, token: client)
            let items = statuses.json["items"] as? [[String: Any]]
            #expect(items?.map { $0["known"] as? Bool } == [false, true], "\(statuses.text)")
            // It used up the attacker's own use, and none of her account.
            let own = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.mallory.proof)", headers: [mallory])
            #expect(own.status == 403 && own.text.contains("limit.account"), "\(own.text)")
            let hers = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)",
                headers: [try world.token("anna", provider)])
            #expect(hers.status == 200 && hers.body == taken.body, "\(hers.text)")
            let elsewhere = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(try AppWorld.device(world.service, "300", token: nil).proof)",
                headers: [try world.token("anna", provider)])
            #expect(elsewhere.status == 201, "\(elsewhere.text)")
        }
    }

    @Test("of an Apple Account that got an offer under an account, only that offer counts for it")
    func onlyItsOffers() async throws {
        try await Self.run { world, provider in
            // Anna used the offer without the service: under which account is unknown.
            let use = try world.service.edited(try world.newest(world.anna)) {
                $0["transactionId"] = "100900"
                ($0["offerType"], $0["offerIdentifier"]) = (2, "family50")
            }
            _ = try await world.ask("/v1/transactions", #""signedTransactions":["\#(use)"]"#)
            let issued = try await world.ask(
                "/v1/issued-offers", #""offerId":"comeback",\#(world.anna.proof)"#,
                headers: [try world.token("u1", provider)])
            #expect(issued.status == 201, "\(issued.text)")
            let hers = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.anna.proof)", headers: [try world.token("u1", provider)])
            #expect(hers.text.contains("limit.account"), "\(hers.text)")
            let other = try await world.ask(
                "/v1/issued-offers", "\(Self.family),\(world.mallory.proof)",
                headers: [try world.token("u1", provider)])
            #expect(other.status == 201, "\(other.text)")
        }
    }

    @Test("a use of unknown account does not count for an account under which its Apple Account got another")
    func usesOfReceivers() async throws {
        try await Self.run { world, provider in
            let twice = AppWorld.catalog.replacing("count: 1, per: account", with: "count: 2, per: account")
            let applied = try await world.service.ask(
                "PUT", "/v1/catalog", token: try await world.service.token(.marketing), body: twice,
                headers: [("Content-Type", "application/yaml"), ("If-Match", "\"1\"")])
            #expect(applied.status == 200, "\(applied.text)")
            let use = try world.service.edited(try world.newest(world.anna)) {
                $0["transactionId"] = "100900"
                ($0["offerType"], $0["offerIdentifier"]) = (2, "family50")
            }
            _ = try await world.ask("/v1/transactions", #""signedTransactions":["\#(use)"]"#)
            var statuses: [Int] = []
            for device in [world.anna, world.mallory, try AppWorld.device(world.service, "300", token: nil)] {
                let answer = try await world.ask(
                    "/v1/issued-offers", "\(Self.family),\(device.proof)",
                    headers: [try world.token("u1", provider)])
                statuses.append(answer.status)
            }
            // Anna's second use and Mallory's one are the two of the account.
            #expect(statuses == [201, 201, 403])
        }
    }

    @Test("the record of a decision has the account and its uses, and a replay decides alike (invariant 5)")
    func replay() async throws {
        try await Self.run { world, provider in
            let support = try await world.service.token(.support)
            func ask(_ device: AppWorld.Device) async throws -> RawAnswer {
                try await world.ask(
                    "/v1/issued-offers", "\(Self.family),\(device.proof)",
                    headers: [try world.token("u1", provider)])
            }
            let first = try await ask(world.anna)
            let id = try #require(first.json["issuedOfferId"] as? String, "\(first.text)")
            let refused = try await ask(world.mallory)
            let decision = try #require(refused.json["decisionId"] as? String, "\(refused.text)")
            // The use has ended since.
            world.service.clock.advance(hours: 30)
            _ = try await ask(world.mallory)
            let replay = try await world.ask("/v1/issued-offers/\(id)/replay", "", token: support)
            #expect((replay.json["differences"] as? [Any])?.isEmpty == true, "\(replay.text)")
            #expect(replay.text.contains("limit: once per app account"), "\(replay.text)")
            let explained = try await world.service.ask("GET", "/v1/decisions/\(decision)", token: support)
            #expect(explained.text.contains("one of the uses with another Apple Account"), "\(explained.text)")
        }
    }

    @Test("under one Idempotency-Key the request of another account is another request")
    func idempotency() async throws {
        try await Self.run { world, provider in
            let key = ("Idempotency-Key", "1")
            let body = "\(Self.family),\(world.anna.proof)"
            let unknown = try await world.ask("/v1/issued-offers", body, headers: [key])
            #expect(unknown.status == 422, "\(unknown.text)")
            let first = try await world.ask(
                "/v1/issued-offers", body, headers: [key, try world.token("u1", provider)])
            #expect(first.status == 201 && first.headers["idempotent-replayed"] == nil, "\(first.text)")
            let again = try await world.ask(
                "/v1/issued-offers", body, headers: [key, try world.token("u1", provider)])
            #expect(again.status == 201 && again.headers["idempotent-replayed"] == "true", "\(again.text)")
            let other = try await world.ask(
                "/v1/issued-offers", body, headers: [key, try world.token("u2", provider)])
            #expect(other.status == 200 && other.headers["idempotent-replayed"] == nil, "\(other.text)")
        }
    }

    @Test("keys of a URL are fetched again for an unknown `kid`, once a minute, and stay in use while it is down")
    func rotation() async throws {
        let provider = try LoginProvider()
        for name in ["new", "newest"] { try provider.make(name, .p256) }
        let (old, both) = (try provider.keySet("ec"), try provider.keySet("ec", "new"))
        let replies: [AppleServer.Reply] = [
            .answer(500, "{}"), .answer(200, old), .answer(200, old), .answer(200, both), .drop,
        ]
        try await AppleServer.run(answering: replies) { server in
            try await AppWorld.run { world in
                world.trust(.url(server.address + "/jwks"))
                func ask(_ key: String) async throws -> RawAnswer {
                    try await world.ask(
                        "/v1/decisions", world.anna.proof, headers: [try world.token("u1", provider, key: key)])
                }
                for _ in 0..<3 {
                    let early = try await ask("ec")
                    #expect(early.status == 503 && early.code == "not-ready", "\(early.text)")
                    #expect(early.headers["retry-after"] == "5")
                }
                #expect(server.seen.count == 1)
                world.service.clock.advance(milliseconds: 60_000)
                #expect(try await ask("ec").status == 200)
                for _ in 0..<3 { #expect(try await ask("new").code == "customer-token-refused") }
                #expect(server.seen.count == 2)
                world.service.clock.advance(milliseconds: 60_000)
                for _ in 0..<3 { #expect(try await ask("new").code == "customer-token-refused") }
                #expect(server.seen.count == 3)
                world.service.clock.advance(milliseconds: 60_000)
                #expect(try await ask("new").status == 200)
                #expect(server.seen.count == 4)
                // Due hourly; it is down from now on.
                await world.service.useCases.customerTokens.refresh()
                #expect(server.seen.count == 4)
                world.service.clock.advance(hours: 1)
                await world.service.useCases.customerTokens.refresh()
                #expect(server.seen.count == 5)
                #expect(try await ask("ec").status == 200)
                await world.service.useCases.customerTokens.refresh()
                #expect(server.seen.count == 5)
                world.service.clock.advance(milliseconds: 60_000)
                await world.service.useCases.customerTokens.refresh()
                #expect(server.seen.count == 6)
                #expect(try await ask("new").status == 200)
                // A key that is not known may be new.
                let unknown = try await ask("newest")
                #expect(unknown.status == 503 && unknown.code == "not-ready", "\(unknown.text)")
                // A reload with the same URL fetches nothing again.
                world.trust(.url(server.address + "/jwks"))
                #expect(try await ask("new").status == 200)
                #expect(server.seen.count == 6)
                #expect(server.seen.allSatisfy { $0.uri == "/jwks" && $0.headers["authorization"] == nil })
            }
        }
    }
}
