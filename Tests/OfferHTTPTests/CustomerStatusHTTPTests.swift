import Foundation
import LocalAppStore
import OfferDocuments
import OfferModel
import OfferTestSupport
import Testing

@Suite("POST /v1/customers/status over a real socket")
struct CustomerStatusHTTPTests {
    /// 2026-05-28T20:26:40Z.
    private let now = ServiceFixture.start

    /// Sends the signed data of a customer who did this; the answer is that to `POST /v1/transactions`.
    @discardableResult
    private func deliver(
        _ steps: String, of id: String, account: String? = nil, token: String? = nil, customerId: String? = nil,
        to service: ServiceFixture
    ) async throws -> RawAnswer {
        let identifiers =
            (account.map { #", appTransactionId: "\#($0)""# } ?? "") + (token.map { ", appAccountToken: \($0)" } ?? "")
        let text = """
            bundleId: com.example.pro
            environment: LocalTesting
            customer: { originalTransactionId: "\(id)"\(identifiers) }
            steps:
            \(steps)
            """
        let signed = try service.appStore.sign(
            try ScenarioReader.read(Array(text.utf8)).value, now: service.clock.now)
        var body: [String: Any] = [
            "signedTransactions": signed.signedTransactions, "signedRenewalInfo": signed.signedRenewalInfo,
            "historyComplete": true,
        ]
        if let customerId { body["customer"] = ["customerId": customerId] }
        let answer = try await service.ask(
            "POST", "/v1/transactions", token: try await service.token(.client),
            body: String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self))
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    private func status(_ customers: String, _ service: ServiceFixture) async throws -> RawAnswer {
        try await service.ask(
            "POST", "/v1/customers/status", token: try await service.token(.client),
            body: #"{"customers":[\#(customers)]}"#)
    }

    /// The status of one customer, and of their only group.
    private func group(_ id: String, _ service: ServiceFixture) async throws -> (item: [String: Any], [String: Any]) {
        let answer = try await status(#"{"originalTransactionId":"\#(id)"}"#, service)
        let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
        let groups = try #require(items.first?["groups"] as? [[String: Any]])
        #expect(items.count == 1 && groups.count == 1, "\(answer.text)")
        return (try #require(items.first), try #require(groups.first))
    }

    private func milliseconds(_ text: String) throws -> Int64 {
        try #require(Instant(iso8601: text)).milliseconds
    }

    private let renewing = """
          - trial: { product: monthly, group: "21500001", at: 2026-02-01T00:00:00Z, length: P1W, period: P1M, price: { amount: "9.99", currency: USD } }
          - renew: { times: 4 }
        """

    /// A row by column; one that is absent is empty.
    private typealias Row = [String: Any?]

    private static func trialStatus(_ group: [String: Any]) -> String {
        if group["isFreeTrial"] as? Bool == true { return "in trial" }
        return group["trialEndsAt"] == nil ? "never" : "ended"
    }

    private static func text(_ rows: [Row]) -> [String] {
        rows.map { row in
            row.compactMap { column, value in
                value.map { value in
                    let date = (value as? Int64).map(Instant.init(milliseconds:))
                    let isDate =
                        column.hasSuffix("_at") || ["trial_start", "trial_end", "period_start"].contains(column)
                    return "\(column) \(isDate ? date.map(\.description) ?? "\(value)" : "\(value)")"
                }
            }.sorted().joined(separator: ", ")
        }
    }

    @Test("a table of trials and a table of subscriptions are filled from it, by the columns of docs/status.md")
    func tables() async throws {
        try await ServiceFixture.run { service in
            try await deliver(
                """
                  - trial: { product: monthly, group: "21500001", at: 2026-05-25T00:00:00Z, length: P1W, period: P1M, price: { amount: "9.99", currency: USD } }
                  - cancel: { at: 2026-05-27T00:00:00Z }
                """, of: "100", to: service)
            try await deliver(renewing, of: "200", to: service)

            let (tester, trial) = try await group("100", service)
            let (subscriber, subscription) = try await group("200", service)
            let trials: [Row] = [
                [
                    "status": Self.trialStatus(trial), "trial_start": trial["trialStartedAt"],
                    "trial_end": trial["trialEndsAt"], "expires_at": trial["expiresAt"],
                    "auto_renew": trial["willAutoRenew"] as? Bool,
                ], ["status": Self.trialStatus(subscription), "trial_end": subscription["trialEndsAt"]],
            ]
            #expect(
                Self.text(trials) == [
                    "auto_renew false, expires_at 2026-06-01T00:00:00Z, status in trial, trial_end 2026-06-01T00:00:00Z, trial_start 2026-05-25T00:00:00Z",
                    "status ended, trial_end 2026-02-08T00:00:00Z",
                ])
            let subscriptions = [(trial, tester), (subscription, subscriber)].map { group, item -> Row in
                let renews = group["willAutoRenew"] as? Bool == true
                return [
                    "product_id": group["productId"], "started_at": group["startedAt"],
                    "period_start": group["purchasedAt"], "expires_at": group["expiresAt"],
                    "renews_at": renews ? group["expiresAt"] : nil, "is_trial": group["isTrial"] as? Bool,
                    "trial_ends_at": group["trialEndsAt"], "days_remaining": group["daysLeft"],
                    "is_premium": item["hasAccess"] as? Bool, "cancelled": !renews,
                    "in_grace": group["state"] as? String == "inGracePeriod",
                    "refunded": group["state"] as? String == "revoked",
                    "renewal_price": (group["renewalPrice"] as? [String: String])?["amount"],
                ]
            }
            #expect(
                Self.text(subscriptions) == [
                    "cancelled true, days_remaining 3, expires_at 2026-06-01T00:00:00Z, in_grace false, is_premium true, is_trial true, period_start 2026-05-25T00:00:00Z, product_id monthly, refunded false, started_at 2026-05-25T00:00:00Z, trial_ends_at 2026-06-01T00:00:00Z",
                    "cancelled false, days_remaining 10, expires_at 2026-06-08T00:00:00Z, in_grace false, is_premium true, is_trial false, period_start 2026-05-08T00:00:00Z, product_id monthly, refunded false, renewal_price 9.99, renews_at 2026-06-08T00:00:00Z, started_at 2026-02-01T00:00:00Z, trial_ends_at 2026-02-08T00:00:00Z",
                ])
            #expect(trial["cancelBy"] == nil && trial["isFreeTrial"] as? Bool == true)
            #expect(subscription["cancelBy"] as? Int64 == (try milliseconds("2026-06-07T00:00:00Z")))
            let events = [trial, subscription].map { $0["nextChange"] as? [String: Any] }
            #expect(events.map { $0?["event"] as? String } == ["trialEnds", "renewalDue"])
            #expect(
                events.map { $0?["at"] as? Int64 } == [trial, subscription].map { $0["expiresAt"] as? Int64 })
        }
    }

    @Test("items come in the order asked, and an unknown customer is one of them")
    func order() async throws {
        try await ServiceFixture.run { service in
            try await deliver(renewing, of: "200", to: service)
            let answer = try await status(
                #"{"customerId":"user-17"},{"originalTransactionId":"200"},{"appTransactionId":"no"},{"originalTransactionId":"200"}"#,
                service)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            #expect(items.map { $0["known"] as? Bool } == [false, true, false, true])
            #expect(items.map { $0["hasAccess"] as? Bool } == [false, true, false, true])
            #expect(
                items.map { ($0["customer"] as? [String: String])?.keys.first } == [
                    "customerId", "originalTransactionId", "appTransactionId", "originalTransactionId",
                ])
            #expect(items[0]["asOf"] as? Int64 == now.milliseconds)
            #expect((items[0]["coverage"] as? [String: Any])?["level"] as? String == "none")
            #expect(
                (items[0]["groups"] as? [Any])?.isEmpty == true && (items[0]["products"] as? [Any])?.isEmpty == true)
            #expect((items[1]["coverage"] as? [String: Any])?["level"] as? String == "complete")
            #expect(answer.json["next"] == nil)
        }
    }

    @Test("the items of a batch are in the order asked, whatever its size", arguments: [16, 17, 33, 100])
    func orderOfBatch(count: Int) async throws {
        try await ServiceFixture.run { service in
            try await deliver(renewing, of: "200", to: service)
            // Known at irregular places, so that no part of the batch can take another's.
            let isKnown = (0..<count).map { $0 % 7 == 3 || $0 * $0 % 11 == 5 }
            let asked = isKnown.enumerated().map { place, isKnown in
                isKnown ? #"{"originalTransactionId":"200"}"# : #"{"customerId":"user-\#(place)"}"#
            }
            let answer = try await status(asked.joined(separator: ","), service)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            #expect(items.map { $0["known"] as? Bool } == isKnown)
            for (place, item) in items.enumerated() where !isKnown[place] {
                #expect((item["customer"] as? [String: String])?["customerId"] == "user-\(place)")
            }
        }
    }

    @Test(
        "access and what ends it follow from what happened to the subscription",
        arguments: [
            Case("- cancel: { at: -P5D }", "subscribed", access: true, next: "expires"),
            Case(
                "- downgrade: { at: -P5D, product: lite, period: P1M, price: { amount: \"4.99\", currency: USD } }",
                "subscribed", access: true, next: "renewalDue", pending: "lite"),
            Case(
                "- upgrade: { at: -P5D, product: max, period: P1M, price: { amount: \"19.99\", currency: USD } }",
                "subscribed", access: true, next: "renewalDue", product: "max"),
            Case("- refund: { at: -P5D }", "revoked", access: false, next: nil),
            Case(
                "- refund: { at: -P5D }\n  - reverseRefund: { at: -P4D }", "subscribed", access: true, next: "expires"),
        ])
    func states(_ expected: Case) async throws {
        try await ServiceFixture.run { service in
            try await deliver(renewing + "\n  " + expected.step, of: "200", to: service)
            try await check(expected, service)
        }
    }

    @Test(
        "a failed payment leaves access until grace ends, and none without grace",
        arguments: [
            Case("- failToRenew: { grace: P16D }", "inGracePeriod", access: true, next: "graceEnds"),
            Case("- failToRenew: {}", "inBillingRetryPeriod", access: false, next: "billingRetryEnds"),
            Case("- expire: {}", "expired", access: false, next: nil),
            Case("", "undetermined", access: false, next: nil),
        ])
    func failures(_ expected: Case) async throws {
        try await ServiceFixture.run { service in
            let ended = """
                  - buy: { product: monthly, group: "21500001", at: 2026-04-25T00:00:00Z, period: P1M, price: { amount: "9.99", currency: USD } }
                """
            try await deliver(ended + (expected.step.isEmpty ? "" : "\n  " + expected.step), of: "200", to: service)
            let group = try await check(expected, service)
            #expect(group["expiresAt"] as? Int64 == (try milliseconds("2026-05-25T00:00:00Z")))
            let graceEnds = try milliseconds("2026-06-10T00:00:00Z")
            #expect(group["gracePeriodExpiresAt"] as? Int64 == (expected.access ? graceEnds : nil))
            #expect(group["daysLeft"] as? Int == (expected.access ? 12 : nil))
            let next = (group["nextChange"] as? [String: Any])?["at"] as? Int64
            let retryEnds = try milliseconds("2026-07-24T00:00:00Z")
            #expect(next == (expected.next == nil ? nil : expected.access ? graceEnds : retryEnds))
        }
    }

    @discardableResult
    private func check(_ expected: Case, _ service: ServiceFixture) async throws -> [String: Any] {
        let (item, group) = try await group("200", service)
        #expect(group["state"] as? String == expected.state)
        #expect(group["hasAccess"] as? Bool == expected.access && item["hasAccess"] as? Bool == expected.access)
        #expect(group["pendingProductId"] as? String == expected.pending)
        #expect(group["productId"] as? String == expected.product)
        #expect((group["nextChange"] as? [String: Any])?["event"] as? String == expected.next)
        return group
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let step: String
        let state: String
        let access: Bool
        let next: String?
        let pending: String?
        let product: String

        init(
            _ step: String, _ state: String, access: Bool, next: String?, pending: String? = nil,
            product: String = "monthly"
        ) {
            (self.step, self.state, self.access, self.next) = (step, state, access, next)
            (self.pending, self.product) = (pending, product)
        }

        var testDescription: String { step.isEmpty ? "nothing more is known" : step }
    }

    @Test("shared access counts as access, is no trial and has no last moment to cancel")
    func shared() async throws {
        try await ServiceFixture.run { service in
            try await deliver(
                "  - share: { product: monthly, group: \"21500001\", at: -P5D, period: P1M }", of: "200", to: service)
            let (item, group) = try await group("200", service)
            #expect(item["hasAccess"] as? Bool == true)
            #expect(group["state"] as? String == "subscribed")
            #expect(group["isTrial"] as? Bool == false && group["cancelBy"] == nil)
        }
    }

    @Test("`POST /v1/transactions` answers with the status that asking for it gives")
    func delivered() async throws {
        try await ServiceFixture.run { service in
            let delivered = try await deliver(renewing, of: "200", to: service)
            let customers = try #require(delivered.json["customers"] as? [[String: Any]])
            let status = try #require(customers.first?["status"] as? [String: Any], "\(delivered.text)")
            let (item, _) = try await group("200", service)
            #expect(status as NSDictionary == item as NSDictionary)
            // The same again costs no commit and is answered alike.
            let again = try await deliver(renewing, of: "200", to: service)
            #expect(
                (again.json["customers"] as? [[String: Any]])?.first as NSDictionary? == customers[0] as NSDictionary)
        }
    }

    @Test(
        "a request names 1 to 100 customers, each by an identifier",
        arguments: [
            ("", "/customers", "invalidLength"),
            ("{}", "/customers/0", "missingMember"),
            (#"{"customerId":"a"},{"customerId":""}"#, "/customers/1/customerId", "invalidLength"),
            (#"{"customerId":"a","email":"x"}"#, "/customers/0/email", "unknownMember"),
            (#""a""#, "/customers/0", "wrongType"),
            (Array(repeating: #"{"customerId":"a"}"#, count: 101).joined(separator: ","), "/customers", "tooMany"),
        ])
    func malformed(_ customers: String, _ pointer: String, _ code: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await status(customers, service)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.errors.first?["pointer"] as? String == pointer, "\(answer.text)")
            #expect(answer.errors.first?["code"] as? String == code, "\(answer.text)")
        }
    }

    @Test("a hundred customers are one request, and one that mixes up two is an item with an error beside the others")
    func ambiguous() async throws {
        try await ServiceFixture.run { service in
            let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
            try await deliver(renewing, of: "200", account: "app-200", to: service)
            try await deliver(renewing, of: "300", account: "app-300", token: token, to: service)
            let known = #"{"originalTransactionId":"300"}"#
            let hundred = try await status(Array(repeating: known, count: 100).joined(separator: ","), service)
            let items = try #require(hundred.json["items"] as? [[String: Any]], "\(hundred.text)")
            #expect(items.count == 100 && items.allSatisfy { $0["hasAccess"] as? Bool == true })
            for other in [
                #""appTransactionId":"app-300""#, #""appAccountToken":"\#(token)""#,
                #""appTransactionId":"app-300","customerId":"u""#,
            ] {
                for count in [1, 20] {
                    let mixed = #"{"originalTransactionId":"200",\#(other)}"#
                    let batch = [known, mixed] + Array(repeating: known, count: count)
                    let answer = try await status(batch.joined(separator: ","), service)
                    let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
                    #expect(
                        items.map { $0["hasAccess"] as? Bool } == [true, false] + Array(repeating: true, count: count))
                    let errors = items.map { $0["error"] as? [String: String] }
                    #expect(errors[1]?["code"] == "ambiguous-customer", "\(answer.text)")
                    #expect(errors[1]?["detail"]?.isEmpty == false)
                    #expect(errors.filter { $0 != nil }.count == 1, "\(answer.text)")
                    #expect((items[1]["groups"] as? [Any])?.isEmpty == true && items[1]["known"] as? Bool == true)
                    #expect((items[1]["customer"] as? [String: String])?["originalTransactionId"] == "200")
                }
            }
        }
    }

    private static let lapsed = """
          - buy: { product: monthly, group: "21500001", at: 2026-03-01T00:00:00Z, period: P1M, price: { amount: "9.99", currency: USD } }
          - cancel: { at: 2026-03-02T00:00:00Z }
          - expire: {}
        """

    @Test(
        "an alias that several Apple Accounts carry has the access of any of them, and says so",
        arguments: [
            (accounts: [true, false], access: true), ([false, true], true), ([false, false], false),
            ([true, true], true),
            ([false, false, true], true), ([true], true), ([false], false),
        ])
    func carriers(_ accounts: [Bool], _ access: Bool) async throws {
        try await ServiceFixture.run { service in
            let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
            for (place, hasAccess) in accounts.enumerated() {
                try await deliver(
                    hasAccess ? renewing : Self.lapsed, of: "\(place + 2)00", account: "app-\(place)", token: token,
                    to: service)
            }
            let answer = try await status(
                #"{"appAccountToken":"\#(token)"},{"originalTransactionId":"200"},{"appAccountToken":"\#(token)","customerId":"u"}"#,
                service)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            for item in [items[0], items[2]] {
                #expect(item["hasAccess"] as? Bool == access, "\(answer.text)")
                #expect(item["appleAccounts"] as? Int == (accounts.count > 1 ? accounts.count : nil), "\(answer.text)")
                let groups = item["groups"] as? [[String: Any]] ?? []
                #expect(groups.map { $0["state"] as? String } == [access ? "subscribed" : "expired"], "\(answer.text)")
                #expect(item["error"] == nil && item["known"] as? Bool == true)
            }
            #expect(items[1]["hasAccess"] as? Bool == accounts[0] && items[1]["appleAccounts"] == nil, "\(answer.text)")
        }
    }

    @Test("of an alias that several Apple Accounts carry, what may be access is not hidden by an end")
    func mayHaveAccess() async throws {
        try await ServiceFixture.run { service in
            let token = "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"
            let due = """
                      - buy: { product: monthly, group: "21500001", at: 2026-02-01T00:00:00Z, period: P1M, price: { amount: "9.99", currency: USD } }
                """
            try await deliver(Self.lapsed, of: "200", account: "app-200", token: token, to: service)
            try await deliver(due, of: "300", account: "app-300", token: token, to: service)
            let answer = try await status(#"{"appAccountToken":"\#(token)"}"#, service)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            let groups = items[0]["groups"] as? [[String: Any]] ?? []
            #expect(groups.map { $0["state"] as? String } == ["undetermined"], "\(answer.text)")
        }
    }

    @Test("two aliases that share an Apple Account name one user; two that share none mix up two users")
    func aliases() async throws {
        try await ServiceFixture.run { service in
            let tokens = ["0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b", "1e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"]
            try await deliver(renewing, of: "200", account: "app-200", token: tokens[0], to: service)
            try await deliver(
                Self.lapsed, of: "300", account: "app-300", token: tokens[0], customerId: "ann", to: service)
            try await deliver(
                Self.lapsed, of: "400", account: "app-400", token: tokens[1], customerId: "ben", to: service)
            let answer = try await status(
                #"{"appAccountToken":"\#(tokens[0])","customerId":"ann"},{"appAccountToken":"\#(tokens[0])","customerId":"ben"}"#,
                service)
            let items = try #require(answer.json["items"] as? [[String: Any]], "\(answer.text)")
            #expect(items.map { $0["hasAccess"] as? Bool } == [true, false], "\(answer.text)")
            #expect(items[0]["appleAccounts"] as? Int == 2, "\(answer.text)")
            #expect((items[1]["error"] as? [String: String])?["code"] == "ambiguous-customer", "\(answer.text)")
        }
    }
}
