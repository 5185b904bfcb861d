import LocalAppStore
import OfferModel
import Testing

@Suite struct PlayedNotificationTests {
    private let yearly: ProductId = "com.example.pro.yearly"
    private let higher = Money(milliunits: 19_990, currency: "USD")

    private func play(_ steps: [ScenarioStep], at now: Instant = now) throws -> PlayedScenario {
        try PlayedScenario(playing: scenario(steps), now: now)
    }

    /// `TYPE/SUBTYPE status date`, a line each.
    private func told(_ steps: [ScenarioStep]) throws -> [String] {
        try play(steps).notifications.map { played in
            let said = played.notification
            let subtype = said.subtype.map { "/\($0.rawValue)" } ?? ""
            let status = said.data?.status.map { " \($0.rawValue)" } ?? ""
            return "\(said.notificationType.rawValue)\(subtype)\(status) \(said.signedDate)"
        }
    }

    private func change(_ product: ProductId, _ period: Period, _ time: String) throws -> ScenarioStep.PlanChange {
        ScenarioStep.PlanChange(at: try at(time), product: product, period: period, price: higher)
    }

    @Test("a purchase, renewals, a cancellation and the end are told each at its time, the end by time alone")
    func course() throws {
        let expected = [
            "SUBSCRIBED/INITIAL_BUY 1 2026-05-01T00:00:00Z", "DID_RENEW 1 2026-06-01T00:00:00Z",
            "DID_RENEW 1 2026-07-01T00:00:00Z", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1 2026-07-05T00:00:00Z",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED 1 2026-07-06T00:00:00Z",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1 2026-07-07T00:00:00Z",
            "EXPIRED/VOLUNTARY 2 2026-08-01T00:00:00.001Z",
        ]
        let steps: [ScenarioStep] = [
            .appTransaction(at: try at("2026-05-01T00:00:00Z")), try buy("2026-05-01T00:00:00Z"),
            .renew(times: 2), .cancel(at: try at("2026-07-05T00:00:00Z")),
            .enableRenewal(at: try at("2026-07-06T00:00:00Z")), .cancel(at: try at("2026-07-07T00:00:00Z")),
        ]
        #expect(try told(steps) == expected)
        #expect(try told(steps + [.expire()]) == expected)
        let back = ["SUBSCRIBED/RESUBSCRIBE 1 2026-10-10T00:00:00Z"]
        #expect(try told(steps + [.expire(), try buy("2026-10-10T00:00:00Z")]) == expected + back)
        #expect(try told(steps + [.resubscribe(at: try at("2026-10-10T00:00:00Z"))]) == expected + back)
    }

    @Test(
        "an end is told with its reason",
        arguments: [
            (ExpirationIntent.customerCancelled, "EXPIRED/VOLUNTARY"),
            (.billingError, "EXPIRED/BILLING_RETRY"), (.priceIncreaseNotConsented, "EXPIRED/PRICE_INCREASE"),
            (.productNotAvailable, "EXPIRED/PRODUCT_NOT_FOR_SALE"), (.other, "EXPIRED"),
        ])
    func ends(reason: ExpirationIntent, said: String) throws {
        let told = try told([try buy("2026-09-01T00:00:00Z"), .expire(reason: reason)])
        #expect(told.last == "\(said) 2 2026-10-01T00:00:00.001Z")
    }

    @Test("a failed payment with grace keeps access until grace ends, and recovers without a gap within it")
    func grace() throws {
        let failed: [ScenarioStep] = [
            try buy("2026-05-01T00:00:00Z"), .failToRenew(grace: Period(days: 16)),
        ]
        let begun = [
            "SUBSCRIBED/INITIAL_BUY 1 2026-05-01T00:00:00Z",
            "DID_FAIL_TO_RENEW/GRACE_PERIOD 4 2026-06-01T00:00:00.001Z",
        ]
        let recovered = failed + [.recover(at: try at("2026-06-10T00:00:00Z"))]
        #expect(try told(recovered) == begun + ["DID_RENEW/BILLING_RECOVERY 1 2026-06-10T00:00:00Z"])
        #expect(try play(recovered).transactions.last?.expiresDate == instant("2026-07-01T00:00:00Z"))
        #expect(try play(recovered).renewalInfos.first?.isInBillingRetryPeriod == false)
        let over = begun + ["GRACE_PERIOD_EXPIRED 3 2026-06-17T00:00:00.001Z"]
        #expect(try told(failed) == over)
        let late = failed + [.recover(at: try at("2026-06-20T00:00:00Z"))]
        #expect(try told(late) == over + ["DID_RENEW/BILLING_RECOVERY 1 2026-06-20T00:00:00Z"])
        #expect(try play(late).transactions.last?.expiresDate == instant("2026-07-20T00:00:00Z"))
        let ended = failed + [.expire()]
        #expect(try told(ended) == over + ["EXPIRED/BILLING_RETRY 2 2026-07-31T00:00:00.001Z"])
        #expect(try play(ended).renewalInfos.first?.expirationIntent == .billingError)
    }

    @Test("billing retry without grace has no access, and says so in renewal info")
    func billingRetry() throws {
        let steps: [ScenarioStep] = [try buy("2026-09-01T00:00:00Z"), .failToRenew()]
        #expect(try told(steps).last == "DID_FAIL_TO_RENEW 3 2026-10-01T00:00:00.001Z")
        let info = try #require(try play(steps).renewalInfos.first)
        #expect(info.isInBillingRetryPeriod == true)
        #expect(info.gracePeriodExpiresDate == nil)
        #expect(info.autoRenewStatus == .on)
        #expect(info.expirationIntent == .billingError)
        let gaveUp = steps + [.expire(at: try at("2026-10-20T00:00:00Z"))]
        #expect(try told(gaveUp).last == "EXPIRED/BILLING_RETRY 2 2026-10-20T00:00:00.001Z")
    }

    @Test("a renewal that is paid late is told as a failure and its recovery")
    func lateRenewal() throws {
        let told = try told([
            try buy("2026-05-01T00:00:00Z"), .renew(at: try at("2026-06-03T00:00:00Z")),
        ])
        #expect(
            told == [
                "SUBSCRIBED/INITIAL_BUY 1 2026-05-01T00:00:00Z", "DID_FAIL_TO_RENEW 3 2026-06-01T00:00:00.001Z",
                "DID_RENEW/BILLING_RECOVERY 1 2026-06-03T00:00:00Z",
            ])
    }

    @Test("a full refund of the latest period ends it and turns renewal off; reversed it gives access again")
    func refund() throws {
        let steps: [ScenarioStep] = [
            try buy("2026-10-10T00:00:00Z"),
            .refund(at: try at("2026-10-12T00:00:00Z"), reason: .appIssue),
        ]
        let refunded = [
            "SUBSCRIBED/INITIAL_BUY 1 2026-10-10T00:00:00Z", "REFUND 5 2026-10-12T00:00:00Z",
            "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 5 2026-10-12T00:00:00.001Z",
        ]
        #expect(try told(steps) == refunded)
        let transaction = try #require(try play(steps).transactions.first)
        #expect(transaction.revocationDate == (try instant("2026-10-12T00:00:00Z")))
        #expect(transaction.revocationType == .refundFull)
        #expect(transaction.revocationPercentage == 100_000)
        #expect(transaction.revocationReason == 1)
        let reversed = steps + [.reverseRefund(at: try at("2026-10-15T00:00:00Z"))]
        #expect(try told(reversed) == refunded + ["REFUND_REVERSED 1 2026-10-15T00:00:00Z"])
        let after = try #require(try play(reversed).transactions.first)
        #expect(after.revocationDate == nil)
        #expect(after.revocationType == nil)
        #expect(after.revocationPercentage == nil)
        #expect(try play(reversed).renewalInfos.first?.autoRenewStatus == .off)
        #expect(
            try told(steps + [try buy("2026-10-20T00:00:00Z")]).last == "SUBSCRIBED/RESUBSCRIBE 1 2026-10-20T00:00:00Z")
    }

    @Test("a prorated refund of an older period leaves the subscription as it is")
    func proratedRefund() throws {
        let steps: [ScenarioStep] = [
            try buy("2026-08-15T00:00:00Z"), .renew(times: 2),
            .refund(at: try at("2026-10-20T00:00:00Z"), transaction: 2, percent: 40),
        ]
        #expect(try told(steps).last == "REFUND 1 2026-10-20T00:00:00Z")
        let played = try play(steps)
        #expect(played.transactions.map(\.revocationType) == [nil, .refundProrated, nil])
        #expect(played.transactions[1].revocationPercentage == 40_000)
        #expect(played.renewalInfos.first?.autoRenewStatus == .on)
        #expect(played.notifications.last?.transaction?.transactionId == "7040000003002")
    }

    @Test("shared access is told as a subscription of its own, and its end as a revocation")
    func familySharing() throws {
        let share = ScenarioStep.share(
            product: monthly, group: group, at: try at("2026-08-01T00:00:00Z"), period: Period(months: 1))
        let steps: [ScenarioStep] = [share, .renew(), .revoke(at: try at("2026-09-10T00:00:00Z"))]
        #expect(
            try told(steps) == [
                "SUBSCRIBED/INITIAL_BUY 1 2026-08-01T00:00:00Z", "DID_RENEW 1 2026-09-01T00:00:00Z",
                "REVOKE 5 2026-09-10T00:00:00Z",
            ])
        let played = try play(steps)
        #expect(played.transactions.map(\.inAppOwnershipType) == [.familyShared, .familyShared])
        #expect(played.transactions.map(\.price) == [nil, nil])
        #expect(played.transactions.map(\.appAccountToken) == [nil, nil])
        #expect(played.transactions.map(\.revocationType) == [nil, .familyRevoke])
        let own = try play(steps + [try buy("2026-10-05T00:00:00Z")])
        #expect(own.transactions.last?.inAppOwnershipType == .purchased)
        #expect(own.transactions.last?.originalTransactionId == "7040000003003")
        #expect(own.notifications.last?.notification.subtype == .resubscribe)
    }

    @Test("an upgrade is bought at once and replaces the transaction before, with the rest of it")
    func upgrade() throws {
        let steps: [ScenarioStep] = [
            try buy("2026-10-01T00:00:00Z"), .upgrade(try change(yearly, Period(months: 12), "2026-10-11T00:00:00Z")),
        ]
        #expect(try told(steps).last == "DID_CHANGE_RENEWAL_PREF/UPGRADE 1 2026-10-11T00:00:00Z")
        let played = try play(steps)
        #expect(played.transactions.map(\.isUpgraded) == [true, false])
        #expect(played.transactions.map(\.productId) == [monthly, yearly])
        #expect(played.transactions.map(\.transactionReason) == [.purchase, .purchase])
        #expect(played.transactions.last?.expiresDate == (try instant("2027-10-11T00:00:00Z")))
        #expect(played.transactions.last?.price == 19_990)
        #expect(played.renewalInfos.first?.autoRenewProductId == yearly)
    }

    @Test("a downgrade waits for the renewal, and can be taken back until then")
    func downgrade() throws {
        let begin: [ScenarioStep] = [
            try buy("2026-09-15T00:00:00Z"), .downgrade(try change(yearly, Period(days: 7), "2026-09-20T00:00:00Z")),
        ]
        #expect(try told(begin)[1] == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1 2026-09-20T00:00:00Z")
        let pending = try #require(try play(begin).renewalInfos.first)
        #expect(pending.productId == monthly)
        #expect(pending.autoRenewProductId == yearly)
        #expect(pending.renewalPrice == 19_990)
        let renewed = try play(begin + [.renew()])
        #expect(renewed.transactions.map(\.productId) == [monthly, yearly])
        #expect(renewed.transactions.last?.expiresDate == (try instant("2026-10-22T00:00:00Z")))
        #expect(renewed.transactions.last?.transactionReason == .renewal)
        let kept = begin + [.keepProduct(at: try at("2026-09-21T00:00:00Z"))]
        #expect(try told(kept).last == "DID_CHANGE_RENEWAL_PREF 1 2026-09-21T00:00:00Z")
        #expect(try play(kept + [.renew()]).transactions.map(\.productId) == [monthly, monthly])
    }

    @Test(
        "a crossgrade is at once if the product lasts as long, else with the renewal",
        arguments: [(Period(months: 1), "UPGRADE", 2), (Period(months: 12), "DOWNGRADE", 1)])
    func crossgrade(period: Period, subtype: String, transactions: Int) throws {
        let steps: [ScenarioStep] = [
            try buy("2026-10-10T00:00:00Z"), .crossgrade(try change(yearly, period, "2026-10-20T00:00:00Z")),
        ]
        #expect(try told(steps).last == "DID_CHANGE_RENEWAL_PREF/\(subtype) 1 2026-10-20T00:00:00Z")
        #expect(try play(steps).transactions.count == transactions)
    }

    @Test("a price increase is paid after consent, and without it the subscription ends for that reason")
    func priceIncrease() throws {
        let raised: [ScenarioStep] = [
            try buy("2026-09-15T00:00:00Z"),
            .raisePrice(at: try at("2026-09-20T00:00:00Z"), price: higher),
        ]
        #expect(try told(raised)[1] == "PRICE_INCREASE/PENDING 1 2026-09-20T00:00:00Z")
        #expect(try play(raised).renewalInfos.first?.priceIncreaseStatus == .notResponded)
        #expect(try told(raised + [.expire()]).last == "EXPIRED/PRICE_INCREASE 2 2026-10-15T00:00:00.001Z")
        let accepted = raised + [.acceptPrice(at: try at("2026-09-25T00:00:00Z")), .renew()]
        #expect(try told(accepted)[2] == "PRICE_INCREASE/ACCEPTED 1 2026-09-25T00:00:00Z")
        #expect(try play(accepted).transactions.map(\.price) == [9_990, 19_990])
        #expect(try play(accepted).renewalInfos.first?.priceIncreaseStatus == nil)
        let told = try told([
            try buy("2026-10-15T00:00:00Z"),
            .raisePrice(at: try at("2026-10-20T00:00:00Z"), price: higher, needsConsent: false),
        ])
        #expect(told.last == "PRICE_INCREASE/ACCEPTED 1 2026-10-20T00:00:00Z")
    }

    @Test("a test notification is about the app alone")
    func test() throws {
        let played = try play([.test(at: try at("-P1D"))])
        let notification = try #require(played.notifications.first)
        #expect(notification.notification.notificationType == .test)
        #expect(notification.notification.data?.bundleId == "com.example.pro")
        #expect(notification.notification.data?.status == nil)
        #expect(notification.transaction == nil)
        #expect(notification.renewalInfo == nil)
    }

    @Test("Apple's number of the app is in the data, except in the sandbox")
    func appAppleId() throws {
        let steps = [try buy("-P10D")]
        let local = try PlayedScenario(playing: scenario(steps), now: now)
        let sandbox = try PlayedScenario(playing: scenario(steps, environment: .sandbox), now: now)
        #expect(local.notifications.map { $0.notification.data?.appAppleId } == [1_234_567_890])
        #expect(sandbox.notifications.map { $0.notification.data?.appAppleId } == [nil])
        #expect(sandbox.notifications.map { $0.notification.data?.environment } == ["Sandbox"])
        #expect(sandbox.notifications.map(\.notification.version) == ["2.0"])
    }

    @Test("the ids of notifications follow from the scenario: played again later they are the same, and all differ")
    func stableIds() throws {
        let steps: [ScenarioStep] = [try buy("-P100D"), .renew(times: 2), .cancel(at: try at("-P20D"))]
        let first = try play(steps).notifications.map(\.notification.notificationUUID)
        let later = try play(steps, at: now.adding(milliseconds: 3_600_000))
            .notifications.map(\.notification.notificationUUID)
        #expect(first == later)
        #expect(Set(first).count == first.count)
        #expect(first.allSatisfy { LowercaseUUID($0)?.description == $0 })
    }
}
