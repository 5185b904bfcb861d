import Foundation
import LocalAppStore
import OfferModel
import Testing

/// 2026-11-01T00:00:00Z, when the tests play their scenarios.
let now = Instant(milliseconds: 1_793_491_200_000)

let monthly: ProductId = "com.example.pro.monthly"
let group: SubscriptionGroupId = "21500001"
let price = Money(milliunits: 9_990, currency: "USD")

/// A moment written as text; a wrong one fails the test.
func at(_ text: String) throws -> ScenarioTime {
    try #require(ScenarioTime(text))
}

/// That moment when the scenario is played at `now`.
func instant(_ text: String) throws -> Instant {
    try at(text).instant(now: now)
}

/// A scenario of one customer.
func scenario(
    _ steps: [ScenarioStep], signedAt: ScenarioTime? = nil, environment: AppStoreEnvironment = .localTesting,
    customer: ScenarioCustomer = ScenarioCustomer(
        appTransactionId: "7040000003", appAccountToken: AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"))
) -> Scenario {
    Scenario(
        bundleId: "com.example.pro", appAppleId: 1_234_567_890, environment: environment, customer: customer,
        signedAt: signedAt, steps: steps)
}

/// A purchase of the monthly product.
func buy(_ time: String, group: SubscriptionGroupId = group) throws -> ScenarioStep {
    .buy(product: monthly, group: group, at: try at(time), period: Period(months: 1), price: price)
}

/// A one-week trial of the monthly product.
func trial(_ time: String) throws -> ScenarioStep {
    .trial(
        product: monthly, group: group, at: try at(time), length: Period(days: 7), period: Period(months: 1),
        price: price)
}

/// The error of playing, or `nil` if it does not throw.
func error(of scenario: Scenario) -> ScenarioError? {
    do {
        _ = try PlayedScenario(playing: scenario, now: now)
        return nil
    } catch {
        return error
    }
}
