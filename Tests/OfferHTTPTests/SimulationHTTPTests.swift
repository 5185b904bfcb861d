import Foundation
import HTTPTypes
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferHTTP

@Suite("Simulations and searches over HTTP")
struct SimulationHTTPTests {
    private static let few = #"{"fewerThan":10}"#

    @Test("a count is begun, watched and read, and neither changes what offers depend on")
    func counted() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            for id in ["100", "200"] { try await service.deliver(try service.lapsedCustomer(id)) }
            let begun = try await service.ask(
                "POST", "/v1/simulations", token: try await service.token(.marketing), body: #"{"offerId":"comeback"}"#)
            let id = try #require(begun.json["id"] as? String, "\(begun.text)")
            #expect(begun.status == 202 && begun.headers["location"] == "/v1/simulations/\(id)")
            let answer = try await service.ended(id)
            let result = try #require(answer.json["result"] as? [String: Any], "\(answer.text)")
            #expect(answer.json["state"] as? String == "done")
            #expect(result["customers"] as? Int == 2 && result["eligible"] as? Int == 2)
            #expect((result["next30Days"] as? [Any])?.count == 30)
            let shown = try await service.ask(
                "GET", "/v1/simulations/\(id)", token: try await service.token(.marketing))
            #expect(shown.text.contains(#""customers":\#(Self.few)"#) && !shown.text.contains("100"), "\(shown.text)")
            let cancelled = try await service.ask(
                "DELETE", "/v1/simulations/\(id)", token: try await service.token(.support))
            #expect(cancelled.status == 200 && cancelled.body == answer.body)
            for table in ["issued_offer", "refusal", "offer_opening"] {
                #expect(try service.rows("SELECT COUNT(*) FROM \(table)") == [["0"]])
            }
        }
    }

    @Test("the condition of a count, which may name a person, is shown to the API key that asked alone")
    func condition() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let token = try await service.token(.support)
            let begun = try await service.ask(
                "POST", "/v1/simulations", token: token,
                body: #"{"offerId":"comeback","where":"customer.attributes.email is 'a@example.com'"}"#)
            let id = try #require(begun.json["id"] as? String, "\(begun.text)")
            _ = try await service.ended(id)
            for (token, isShown) in [
                (token, true), (try await service.token(.support), false), (try await service.token(.marketing), false),
            ] {
                let shown = try await service.ask("GET", "/v1/simulations/\(id)", token: token)
                #expect(shown.status == 200)
                #expect(shown.text.contains("a@example.com") == isShown, "\(shown.text)")
                #expect(shown.text.contains("undeterminedWhere"), "that there was one is")
            }
        }
    }

    private static let mistakes: [(body: String, status: Int, code: String, words: String)] = [
        (#"{"offerId":"nope"}"#, 404, "unknown-offer", "the catalog has no offer `nope`"),
        (#"{"offerId":""}"#, 400, "invalid-request", "a text of 1 to 255 characters"),
        (#"{"offerId":"comeback","where":""}"#, 400, "invalid-request", "the condition is empty"),
        (
            #"{"offerId":"comeback","where":"subscription.stat is expired"}"#, 400, "invalid-request",
            "did you mean `subscription.state`?"
        ),
        (
            #"{"offerId":"comeback","where":"subscription.daysSinceExpired atMost soon"}"#, 400, "invalid-request",
            "must be a number"
        ),
        (
            #"{"offerId":"comeback","where":"\#(String(repeating: "x", count: 10_000))"}"#, 400, "invalid-request",
            "10000 characters"
        ),
        (
            #"{"offerId":"comeback","where":"\#(String(repeating: "(", count: 3_000))"}"#, 400, "invalid-request",
            "nested deeper than 20 levels"
        ),
        (#"{"offerId":"comeback","where":7}"#, 400, "invalid-request", "/where"),
        (#"{"offerId":"comeback","whre":"x is y"}"#, 400, "invalid-request", "/whre"),
        (#"{"offerId":"comeback","compareWith":"yesterday"}"#, 400, "invalid-request", "inForce"),
        (#"{"offerId":"comeback","compareWith":99}"#, 404, "unknown-revision", "99"),
        (#"{"offerId":"comeback","asOf":-1}"#, 400, "invalid-request", "/asOf"),
        (
            #"{"offerId":"comeback","catalog":"bundleId: com.example.pro\n"}"#, 422, "invalid-catalog",
            "subscriptionGroups"
        ),
        (
            #"{"offerId":"comeback","catalog":"bundleId: com.example.pro\nsubscriptionGroups:\n  - id: \"1\"\n    products:\n      - { productId: m, level: 1, period: P1M, price: { amount: \"1.00\", currency: USD } }\noffers: []\n"}"#,
            404, "unknown-offer", "the catalog has no offer `comeback`"
        ),
    ]

    @Test("what cannot be counted is refused at once, in the words of the catalog", arguments: mistakes)
    func refused(_ body: String, _ status: Int, _ code: String, _ words: String) async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let answer = try await service.ask(
                "POST", "/v1/simulations", token: try await service.token(.marketing), body: body)
            #expect(answer.status == status && answer.code == code, "\(answer.text)")
            #expect(answer.text.contains(words), "\(answer.text)")
            #expect(try service.rows("SELECT COUNT(*) FROM simulation") == [["0"]])
        }
    }

    @Test("a key whose simulation is not done is told which it is, and when to ask again")
    func unfinished() throws {
        let id = try #require(LowercaseUUID("019a9f2e-7c0b-7b0e-9f3a-2d5e8c1b7a90"))
        let problem = try #require(Problem(RequestError.simulationUnfinished(id, of: "comeback")))
        #expect(problem.document.status == 429 && problem.document.code == .rateLimited)
        #expect(problem.document.detail == "this API key's simulation `\(id)` has not finished")
        #expect(problem.document.hint == "wait for it, or cancel it with `DELETE /v1/simulations/{id}`")
        #expect(problem.headers[.retryAfter] == "2")
    }

    @Test("a key that has begun as many as it may is told when it may begin the next")
    func tooMany() async throws {
        var limits = RateLimits.off
        limits.simulations = RateLimit(perSecond: 1, burst: 2, slowness: 60)
        try await ServiceFixture.run(rates: RequestRates(limits, clock: { 0 })) { service in
            try await service.applyCatalog()
            let token = try await service.token(.support)
            func begin() async throws -> RawAnswer {
                try await service.ask("POST", "/v1/simulations", token: token, body: #"{"offerId":"comeback"}"#)
            }
            for _ in 0..<2 { _ = try await service.ended(try #require(try await begin().json["id"] as? String)) }
            let answer = try await begin()
            #expect(answer.status == 429 && answer.code == "rate-limited", "\(answer.text)")
            #expect(answer.json["detail"] as? String == "the API key has begun too many simulations")
            #expect(answer.headers["retry-after"] == "60")
            #expect(answer.headers["ratelimit-policy"] == #""simulations";q=2;w=120"#)
            #expect(try service.rows("SELECT COUNT(*) FROM simulation") == [["2"]])
        }
    }

    @Test("an instant before everything, and one to come, are counted as dry-runs decide")
    func instants() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            try await service.deliver(try service.lapsedCustomer("100"))
            let future = service.clock.now.milliseconds + 86_400_000
            for (asOf, status) in [(future, 202), (0, 404)] as [(Int64, Int)] {
                let body = #"{"offerId":"comeback","asOf":\#(asOf)}"#
                let answer = try await service.ask(
                    "POST", "/v1/simulations", token: try await service.token(.support), body: body)
                #expect(answer.status == status, "\(answer.text)")
                guard status == 202 else { continue }
                let ended = try await service.ended(try #require(answer.json["id"] as? String))
                #expect((ended.json["result"] as? [String: Any])?["eligible"] as? Int == 1, "\(ended.text)")
            }
        }
    }

    @Test("another app and another role do not have it, and after a day no key does")
    func withheld() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            let id = try await service.simulation(#"{"offerId":"comeback"}"#)
            for scope in [ServiceFixture.otherApp, ServiceFixture.otherEnvironment] {
                for method in ["GET", "DELETE"] {
                    let answer = try await service.ask(
                        method, "/v1/simulations/\(id)", token: try await service.token(.support, scope: scope))
                    #expect(answer.status == 404 && answer.code == "not-found", "\(answer.text)")
                }
            }
            for role in [Role.client, .app] {
                let answer = try await service.ask(
                    "GET", "/v1/simulations/\(id)", token: try await service.token(role))
                #expect(answer.status == 403)
            }
            service.clock.advance(milliseconds: 86_400_000)
            let answer = try await service.ask(
                "GET", "/v1/simulations/\(id)", token: try await service.token(.support))
            #expect(answer.status == 404 && answer.text.contains("results are kept for a day"))
        }
    }

    @Test("a search names customers to support alone, and a wrong page is refused")
    func search() async throws {
        try await ServiceFixture.run { service in
            try await service.applyCatalog()
            try await service.deliver(try service.lapsedCustomer("100"))
            let (support, marketing) = (try await service.token(.support), try await service.token(.marketing))
            let condition = #"{"where":"subscription.state is expired"}"#
            let found = try await service.ask("POST", "/v1/customers/search", token: support, body: condition)
            #expect(found.status == 200 && found.text.contains(#""originalTransactionId":"100""#), "\(found.text)")
            let few = try await service.ask("POST", "/v1/customers/search", token: marketing, body: condition)
            #expect(few.status == 200 && few.text == #"{"customers":[],"matching":{"fewerThan":10}}"#, "\(few.text)")
            for (body, pointer) in [
                ("{}", "/where"), (#"{"where":"x"}"#, "/where"),
                (#"{"where":"customer.refunds is 0","limit":501}"#, "/limit"),
                (#"{"where":"customer.refunds is 0","limit":0}"#, "/limit"),
                (#"{"where":"customer.refunds is 0","cursor":"x"}"#, "/cursor"),
                (#"{"where":"customer.refunds is 0","cursor":"-1"}"#, "/cursor"),
            ] {
                let answer = try await service.ask("POST", "/v1/customers/search", token: support, body: body)
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer.errors.compactMap { $0["pointer"] as? String } == [pointer], "\(answer.text)")
            }
        }
    }
}

extension ServiceFixture {
    /// Stores a customer's signed data.
    fileprivate func deliver(_ customer: SignedScenario) async throws {
        let list = customer.signedTransactions.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = try await ask(
            "POST", "/v1/transactions", token: try await token(.client),
            body:
                #"{"signedTransactions":[\#(list)],"signedRenewalInfo":[\#(customer.signedRenewalInfo.map { "\"\($0)\"" }.joined(separator: ","))],"historyComplete":true}"#
        )
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Waits until a simulation has ended.
    fileprivate func ended(_ id: String) async throws -> RawAnswer {
        let support = try await token(.support)
        while true {
            let answer = try await ask("GET", "/v1/simulations/\(id)", token: support)
            guard answer.json["state"] as? String == "running" else { return answer }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The id of a simulation that has ended.
    func simulation(_ body: String) async throws -> String {
        let begun = try await ask("POST", "/v1/simulations", token: try await token(.support), body: body)
        let id = try #require((begun.json["id"] as? String).flatMap { LowercaseUUID($0) }, "\(begun.text)")
        // Not by requests, whose number differs from run to run: each takes of a session's random numbers.
        let caller = Caller(apiKeyId: "0", scope: Self.scope, role: .support)
        while try await useCases.simulations.show(id, caller: caller).state == .running {
            try await Task.sleep(for: .milliseconds(10))
        }
        return id.description
    }
}
