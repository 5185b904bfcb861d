import Foundation
import LocalAppStore
import OfferApplication
import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("Rate limits")
struct RateLimitTests {
    private func limits(
        key: RateLimit? = nil, customer: RateLimit? = nil, failedAuthentication: RateLimit? = nil, _ time: TestTime
    ) -> RequestRates {
        RequestRates(
            RateLimits(key: key, customer: customer, failedAuthentication: failedAuthentication), clock: { time.now })
    }

    @Test("a flood with one key is rejected before anything is read or written; other keys go on")
    func key() async throws {
        let time = TestTime()
        let rates = limits(key: RateLimit(perSecond: 2, burst: 3), time)
        try await ServiceFixture.run(rates: rates) { service in
            let (busy, other) = (try await service.token(.marketing), try await service.token(.marketing))
            for _ in 1...3 { #expect(try await service.ask("GET", "/v1/offers", token: busy).status == 200) }
            let before = service.statements.total
            for _ in 1...20 {
                let rejected = try await service.ask("GET", "/v1/offers", token: busy)
                #expect(rejected.status == 429)
                #expect(rejected.code == "rate-limited")
                #expect(rejected.headers["retry-after"] == "1")
                #expect(rejected.headers["ratelimit"] == #""key";r=0;t=1"#)
                #expect(rejected.headers["ratelimit-policy"] == #""key";q=3;w=2"#)
                #expect((rejected.json["hint"] as? String)?.hasPrefix("retry in 1 s") == true)
            }
            #expect(service.statements.total == before)
            #expect(try await service.ask("GET", "/v1/offers", token: other).status == 200)
            #expect(try await service.ask("GET", "/healthz").status == 200)
            time.advance(milliseconds: 500)
            #expect(try await service.ask("GET", "/v1/offers", token: busy).status == 200)
            #expect(try await service.ask("GET", "/v1/offers", token: busy).status == 429)
        }
    }

    @Test("a flood about one customer is rejected by every call that names one, and writes nothing")
    func customer() async throws {
        let time = TestTime()
        let rates = limits(customer: RateLimit(perSecond: 1, burst: 2), time)
        try await ServiceFixture.run(rates: rates) { service in
            try await service.applyCatalog()
            let admin = try await service.token(.admin)
            let calls = [
                ("POST", "/v1/issued-offers", #"{"offerId":"comeback","customer":{"customerId":"NAME"}}"#),
                ("POST", "/v1/decisions", #"{"customer":{"customerId":"NAME"}}"#),
                (
                    "POST", "/v1/transactions",
                    #"{"customer":{"customerId":"NAME"},"historyComplete":true,"signedTransactions":[]}"#
                ),
                ("PUT", "/v1/customers/attributes", #"{"customer":{"customerId":"NAME"},"attributes":{"a":1}}"#),
                ("POST", "/v1/customers/refresh", #"{"customer":{"customerId":"NAME"}}"#),
                ("POST", "/v1/customers/status", #"{"customers":[{"customerId":"NAME"}]}"#),
            ]
            for (index, (method, path, text)) in calls.enumerated() {
                let body = text.replacingOccurrences(of: "NAME", with: "customer \(index)")
                var statuses = [Int]()
                for _ in 1...2 { statuses.append(try await service.ask(method, path, token: admin, body: body).status) }
                #expect(!statuses.contains(429), "\(path)")
                let before = try service.rows("SELECT sequence FROM store_state")
                let rejected = try await service.ask(method, path, token: admin, body: body)
                #expect(rejected.status == 429, "\(path) \(rejected.text)")
                #expect(rejected.headers["ratelimit-policy"] == #""customer";q=2;w=2"#)
                #expect(try service.rows("SELECT sequence FROM store_state") == before)
            }
            time.advance(seconds: 1)
            let again = try await service.ask(
                "POST", "/v1/decisions", token: admin, body: #"{"customer":{"customerId":"customer 1"}}"#)
            #expect(again.status == 200)
        }
    }

    @Test("a limit of the catalog is 403, never 429, and Apple's notifications are limited by no key and no customer")
    func others() async throws {
        let time = TestTime()
        let tight = RateLimit(perSecond: 1, burst: 1)
        let rates = limits(key: RateLimit(perSecond: 1, burst: 100), failedAuthentication: tight, time)
        try await ServiceFixture.run(rates: rates) { service in
            try await service.applyCatalog()
            let client = try await service.token(.client)
            let body = service.issueBody("trial", try service.lapsedCustomer("1"))
            for _ in 1...3 {
                #expect(try await service.ask("POST", "/v1/issued-offers", token: client, body: body).status == 403)
            }
            for _ in 1...3 {
                let told = try await service.ask(
                    "POST", "/v1/app-store/com.example.pro/LocalTesting/notifications", body: #"{"signedPayload":"a"}"#)
                #expect(told.status != 429 && told.status != 401)
            }
        }
    }

    @Test("a flood of wrong tokens is 401 and then 429, while a valid token from the same address goes on")
    func failedAuthentication() async throws {
        let time = TestTime()
        let rates = limits(failedAuthentication: RateLimit(perSecond: 1, burst: 2), time)
        try await ServiceFixture.run(rates: rates) { service in
            let valid = try await service.token(.marketing)
            let unknown = "offerd_client_test_0000000000000000_" + String(repeating: "0", count: 64)
            var answers = [RawAnswer]()
            for _ in 1...4 { answers.append(try await service.ask("GET", "/v1/offers", token: unknown)) }
            #expect(answers.map(\.status) == [401, 401, 429, 429])
            #expect(answers.last?.headers["retry-after"] == "1")
            #expect(answers.last?.headers["ratelimit-policy"] == #""authentication";q=2;w=2"#)
            let basic = try await service.ask("GET", "/v1/offers", headers: [("Authorization", "Basic eDp5")])
            #expect(basic.status == 429)
            #expect(try await service.ask("GET", "/v1/offers").status == 401, "no attempt was made")
            #expect(try await service.ask("GET", "/v1/offers", token: valid).status == 200)
        }
    }
}
