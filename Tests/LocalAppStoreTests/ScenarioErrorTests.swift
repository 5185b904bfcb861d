import OfferModel
import Testing

@testable import LocalAppStore

@Suite struct ScenarioErrorTests {
    @Test(
        "a scenario for Production or Xcode is refused",
        arguments: [AppStoreEnvironment.production, .xcode])
    func environment(environment: AppStoreEnvironment) {
        #expect(
            error(of: scenario([], environment: environment))
                == ScenarioError(
                    path: "environment", message: "a local App Store cannot sign for `\(environment.rawValue)`",
                    hint: "use `LocalTesting` or `Sandbox`"))
    }

    @Test("a customer needs an identifier")
    func noIdentifier() {
        #expect(
            error(of: scenario([], customer: ScenarioCustomer()))
                == ScenarioError(
                    path: "customer", message: "the customer has no identifier",
                    hint: "add `appTransactionId` or `originalTransactionId`"))
    }

    @Test("nothing is signed before the root is valid")
    func signedTooEarly() throws {
        let found = error(of: scenario([], signedAt: try at("1999-12-31T23:59:59Z")))
        #expect(found?.path == "signedAt")
        #expect(found?.message == "1999-12-31T23:59:59Z is before 2000-01-01T00:00:00Z, when no root is valid")
    }

    @Test("a step that cannot have happened is named with its number, its cause and a way out")
    func steps() throws {
        let cancel = ScenarioStep.cancel(at: try at("-P5D"))
        let app = ScenarioStep.appTransaction(at: try at("-P90D"))
        let cases: [([ScenarioStep], String, String)] = [
            ([.renew()], "steps[0].renew", "there is no subscription yet"),
            ([cancel], "steps[0].cancel", "there is no subscription yet"),
            ([app, .expire()], "steps[1].expire", "there is no subscription yet"),
            (
                [try buy("-P40D"), .renew(group: "9")], "steps[1].renew",
                "the group `9` has no subscription yet"
            ),
            (
                [try buy("-P10D"), try buy("-P9D")], "steps[1].buy",
                "the group `21500001` has a subscription already"
            ),
            (
                [try buy("-P40D"), .expire(), .renew()], "steps[2].renew",
                "the subscription of the group `21500001` has ended"
            ),
            (
                [try buy("-P10D"), cancel, .renew()], "steps[2].renew",
                "renewal was turned off by an earlier `cancel`"
            ),
            ([try buy("-P10D"), cancel, cancel], "steps[2].cancel", "renewal was turned off before"),
            (
                [try buy("-P60D"), cancel], "steps[1].cancel",
                "cancelled at 2026-10-27T00:00:00Z, but the period ends at 2026-10-02T00:00:00Z"
            ),
            (
                [try buy("-P10D"), app], "steps[1].appTransaction",
                "happens at 2026-08-03T00:00:00Z, before an earlier step at 2026-10-22T00:00:00Z"
            ),
            (
                [try buy("2026-11-01T00:00:01Z")], "steps[0].buy",
                "happens at 2026-11-01T00:00:01Z, after everything is signed at 2026-11-01T00:00:00Z"
            ),
            (
                [try buy("-P40D"), .renew(times: 2)], "steps[1].renew",
                "happens at 2026-11-22T00:00:00Z, after everything is signed at 2026-11-01T00:00:00Z"
            ),
            (
                [try buy("-P10D"), .expire()], "steps[1].expire",
                "the period ends at 2026-11-22T00:00:00Z, not before everything is signed at 2026-11-01T00:00:00Z"
            ),
            (
                [try trial("-P90D"), .expire(), try trial("-P20D")], "steps[2].trial",
                "the trial of the group `21500001` was used before"
            ),
            (
                [try buy("-P60D"), .renew(at: try at("-P40D"))], "steps[1].renew",
                "renewed at 2026-09-22T00:00:00Z, but the period ends at 2026-10-02T00:00:00Z"
            ),
            (
                [try buy("-P60D"), .renew(at: try at("-P20D"), times: 2)], "steps[1].renew",
                "several renewals cannot all happen at one time"
            ),
            ([try buy("-P60D"), .renew(times: 0)], "steps[1].renew", "`times` is `0`"),
            ([app, app], "steps[1].appTransaction", "the customer has an app transaction already"),
            ([try buy("1999-12-31T00:00:00Z")], "steps[0].buy", "1999-12-31T00:00:00Z is before 2000-01-01T00:00:00Z"),
            (
                [.buy(product: monthly, group: group, at: .now, period: Period(months: 121), price: price)],
                "steps[0].buy", "`P10Y1M` is longer than 10 years"
            ),
        ]
        for (steps, path, message) in cases {
            let found = error(of: scenario(steps))
            #expect(found?.path == path, "\(message)")
            #expect(found?.message == message, "\(path)")
            #expect(found?.hint?.isEmpty == false, "\(path): \(message)")
        }
    }

    @Test("ids have room for 999 transactions, and the next one is refused")
    func tooManyTransactions() throws {
        func played(_ renewals: [Int]) throws -> ScenarioError? {
            let daily = ScenarioStep.buy(
                product: monthly, group: group, at: try at("-P3Y"), period: Period(days: 1), price: price)
            return error(of: scenario([daily] + renewals.map { .renew(times: $0) }))
        }
        #expect(try played([499, 499]) == nil)
        let found = try played([499, 499, 1])
        #expect(found?.path == "steps[3].renew")
        #expect(found?.message == "a scenario has at most 999 transactions")
    }

    @Test("a renewal after a trial needs to know its period and its price")
    func trialWithoutPrice() throws {
        func renewal(_ period: Period?, _ price: Money?) throws -> ScenarioError? {
            let begin = ScenarioStep.trial(
                product: monthly, group: group, at: try at("-P20D"), length: Period(days: 7), period: period,
                price: price)
            return error(of: scenario([begin, .renew()]))
        }
        #expect(try renewal(nil, price)?.message == "nothing says how long a renewal lasts")
        #expect(try renewal(Period(months: 1), nil)?.message == "nothing says what a renewal costs")
        #expect(try renewal(Period(months: 1), price) == nil)
    }

    @Test("an app transaction needs the customer's app transaction id")
    func appTransactionWithoutId() throws {
        let found = error(
            of: scenario(
                [.appTransaction(at: .now)], customer: ScenarioCustomer(originalTransactionId: "1")))
        #expect(found?.description == "an app transaction needs its id at steps[0].appTransaction")
    }

    @Test(
        "a scenario's time is a moment, a period before now, or now",
        arguments: [
            ("2026-11-01T02:00:00+02:00", "2026-11-01T00:00:00Z"), ("now", "2026-11-01T00:00:00Z"),
            ("-P40D", "2026-09-22T00:00:00Z"), ("-P1M", "2026-10-01T00:00:00Z"),
            ("-P8M", "2026-03-01T00:00:00Z"), ("-PT6H", "2026-10-31T18:00:00Z"), ("-P1Y", "2025-11-01T00:00:00Z"),
        ])
    func times(text: String, expected: String) throws {
        #expect(try instant(text) == Instant(iso8601: expected))
    }

    @Test(
        "other spellings of a time are none",
        arguments: ["", "P40D", "-40D", "--P1D", "-P", "+P1D", "yesterday", "2026-11-01", "-P101Y", "-P999999999W"])
    func noTimes(text: String) {
        #expect(ScenarioTime(text) == nil)
    }
}
