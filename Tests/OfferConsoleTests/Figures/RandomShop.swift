import Foundation
import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

/// A shop in which things happen at random, all of them through the API: of the same seed, always the same.
struct RandomShop {
    static let offers = ["comeback", "either", "unborn", "later"]

    let console: ConsoleFixture
    /// What the API was asked for and answered with, by the names that pages have.
    private(set) var issued: [String] = []
    private(set) var refusals: [String] = []
    private(set) var revision = 0
    private var random: SeededGenerator
    private var customers: [Customer] = []
    private var tokens: [Role: String] = [:]

    struct Customer {
        var number: Int
        var story: [ScenarioStep]

        var customerId: String { "customer \(number)" }
        var subscription: String { "\(number)00" }
    }

    init(_ console: ConsoleFixture, seed: UInt64) async throws {
        (self.console, random) = (console, SeededGenerator(seed: seed))
        for role in Role.allCases { tokens[role] = try await console.token(role) }
        try await apply()
        for number in 101...114 {
            let ago = Int64.random(in: 1...200, using: &random)
            let first = ScenarioTime.fixed(console.clock.now.adding(milliseconds: -ago * Instant.Duration.day))
            let step =
                Bool.random(using: &random)
                ? ScenarioStep.trial(
                    product: "monthly", group: "21500001", at: first, length: Period(days: 7),
                    period: Period(months: 1), price: Money(milliunits: 9_990, currency: "USD"))
                : .buy(
                    product: "monthly", group: "21500001", at: first, period: Period(months: 1),
                    price: Money(milliunits: 9_990, currency: ["USD", "EUR"].randomElement(using: &random) ?? "USD"))
            customers.append(Customer(number: number, story: [step]))
        }
        for _ in 0..<90 {
            try await happen()
            console.clock.advance(hours: Int64.random(in: 0...18, using: &random), milliseconds: 1_234)
        }
    }

    var identifiers: [(kind: String, value: String)] {
        customers.prefix(4).flatMap { customer in
            [("originalTransactionId", customer.subscription), ("customerId", customer.customerId)]
        }
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Asks the API; what it refuses is an answer too.
    @discardableResult
    private func call(
        _ method: String, _ target: String, _ role: Role, _ body: [String: Any] = [:]
    ) async throws -> Answer {
        let headers = [("Authorization", "Bearer \(tokens[role] ?? "")"), ("Content-Type", "application/json")]
        let data = try JSONSerialization.data(withJSONObject: body)
        let answer = try await Browser.send(port: console.port, method, target, headers, bytes: Array(data))
        #expect(answer.status < 500, "\(method) \(target): \(answer.text)")
        return Answer(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:])
    }

    /// A catalog of random totals and budgets, with an offer that is a draft and one that begins later.
    private mutating func apply() async throws {
        let (perCustomer, total) = (Int.random(in: 1...3, using: &random), Int.random(in: 3...40, using: &random))
        let budget = Int.random(in: 30...3_000, using: &random)
        let limits =
            "{ count: \(perCustomer), per: customer }, { count: \(total) }, { spend: \"\(budget).50\", currency: USD }"
        let yaml =
            TestCatalog.head
            + TestCatalog.comeback(formats: "v2").replacing("{ count: 1, per: customer }", with: limits)
            + TestCatalog.either.replacing(
                "limits: []", with: "limits: [ { count: \(Int.random(in: 1...1_500, using: &random)) } ]")
            + TestCatalog.comeback("unborn").replacing("status: active", with: "status: draft")
            + TestCatalog.comeback("later").replacing(
                "status: active", with: "status: active\n    starts: 2026-12-24T00:00:00Z")
        try await console.apply(yaml, on: revision)
        revision += 1
    }

    private mutating func happen() async throws {
        let place = Int.random(in: customers.indices, using: &random)
        let named: [String: Any] = ["customerId": customers[place].customerId]
        let offer = Self.offers.prefix(2).randomElement(using: &random) ?? "comeback"
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4: try await grow(place)
        case 4..<9:
            let order: [String: Any] = ["offerId": offer, "productId": "monthly", "customer": named]
            let answer = try await call("POST", "/v1/issued-offers", .client, order)
            if let id = answer.text("issuedOfferId"), !issued.contains(id) { issued.append(id) }
            if !answer.has("issuedOfferId"), let id = answer.text("decisionId") { refusals.append(id) }
        case 9:
            guard let id = issued.randomElement(using: &random) else { return }
            let body: [String: Any] = ["reason": "reason \(issued.count)", "release": chance(50)]
            try await call("POST", "/v1/issued-offers/\(id)/void", .support, body)
        case 10:
            let body: [String: Any] = ["customer": named, "offerId": offer, "reason": "ticket \(place)"]
            try await call("POST", "/v1/grants", .support, body)
        case 11:
            var body: [String: Any] = ["reason": "no codes \(place)"]
            if chance(50) {
                body["until"] = console.clock.now.adding(milliseconds: 40 * Instant.Duration.day).milliseconds
            }
            try await call("POST", chance(30) ? "/v1/offers/pause" : "/v1/offers/\(offer)/pause", .marketing, body)
        case 12, 13:
            try await call("POST", "/v1/offers/resume", .marketing)
            try await call("POST", "/v1/offers/\(offer)/resume", .marketing)
        case 14:
            let values: [String: Any] = ["plan": "team \(place)", "seats": 2 + place, "beta": chance(50)]
            try await call("PUT", "/v1/customers/attributes", .client, ["customer": named, "attributes": values])
        default: try await apply()
        }
    }

    /// Something happens to a subscription, as far as it can, and the app sends what Apple signs of it.
    private mutating func grow(_ place: Int) async throws {
        let customer = customers[place]
        let now = console.clock.now
        for _ in 0..<4 {
            let at = ScenarioTime.fixed(now.adding(milliseconds: -Int64.random(in: 1...40, using: &random) * 3_600_000))
            let price = Money(milliunits: 9_990, currency: "USD")
            let step: ScenarioStep =
                switch Int.random(in: 0..<10, using: &random) {
                case 0: .cancel(at: at)
                case 1: .expire()
                case 2: .resubscribe(at: at)
                case 3: .failToRenew(grace: chance(50) ? Period(days: 16) : nil)
                case 4: .refund(at: at)
                case 5:
                    .upgrade(.init(at: at, product: "yearly", period: Period(months: 12), price: price))
                case 6, 7:
                    .redeem(
                        .init(
                            type: .promotional, offerIdentifier: "comeback50", at: at, paymentMode: .payAsYouGo,
                            period: Period(months: 1), periodCount: 3, price: Money(milliunits: 4_990, currency: "USD"))
                    )
                default: .renew()
                }
            if (try? PlayedScenario(playing: scenario(customer, customers[place].story + [step]), now: now)) != nil {
                customers[place].story.append(step)
            }
        }
        let signed = try console.appStore.sign(scenario(customer, customers[place].story), now: now)
        let answer = try await call(
            "POST", "/v1/transactions", .client,
            [
                "customer": ["customerId": customer.customerId], "historyComplete": chance(70),
                "signedTransactions": signed.signedTransactions, "signedRenewalInfo": signed.signedRenewalInfo,
            ])
        #expect(!answer.has("code"), "\(answer.members)")
    }

    private func scenario(_ customer: Customer, _ steps: [ScenarioStep]) -> Scenario {
        Scenario(
            bundleId: ConsoleFixture.scope.bundleId, environment: .localTesting,
            customer: ScenarioCustomer(
                appTransactionId: AppTransactionId("app-\(customer.number)"),
                originalTransactionId: TransactionId(customer.subscription)),
            steps: steps)
    }
}
