import LocalAppStore
import OfferModel
import Testing

@Suite struct PlayedScenarioTests {
    @Test("a customer with only the app has an app transaction and nothing else")
    func newCustomer() throws {
        let played = try PlayedScenario(
            playing: scenario([.appTransaction(at: try at("-P3D"), appVersion: "2.0")]), now: now)
        var expected = AppTransaction(bundleId: "com.example.pro", receiptCreationDate: now)
        expected.appAppleId = 1_234_567_890
        expected.appTransactionId = "7040000003"
        expected.originalPurchaseDate = try instant("2026-10-29T00:00:00Z")
        expected.originalApplicationVersion = "2.0"
        expected.applicationVersion = "2.0"
        expected.receiptType = "LocalTesting"
        #expect(played.appTransaction == expected)
        #expect(played.transactions == [])
        #expect(played.renewalInfos == [])
    }

    @Test("a purchase is one transaction at full price and renewal info that renews")
    func purchase() throws {
        let played = try PlayedScenario(playing: scenario([try buy("-P10D")]), now: now)
        let bought = try instant("2026-10-22T00:00:00Z")
        let ends = try instant("2026-11-22T00:00:00Z")
        var transaction = Transaction(
            transactionId: "7040000003001", originalTransactionId: "7040000003001", bundleId: "com.example.pro",
            productId: monthly, purchaseDate: bought, signedDate: now)
        transaction.subscriptionGroupIdentifier = group
        transaction.originalPurchaseDate = bought
        transaction.expiresDate = ends
        transaction.type = .autoRenewableSubscription
        transaction.quantity = 1
        transaction.inAppOwnershipType = .purchased
        transaction.appAccountToken = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        transaction.appTransactionId = "7040000003"
        transaction.price = 9_990
        transaction.currency = "USD"
        transaction.transactionReason = .purchase
        transaction.storefront = "USA"
        transaction.environment = "LocalTesting"
        #expect(played.transactions == [transaction])
        var info = RenewalInfo(originalTransactionId: "7040000003001", productId: monthly, signedDate: now)
        info.autoRenewProductId = monthly
        info.autoRenewStatus = .on
        info.isInBillingRetryPeriod = false
        info.renewalDate = ends
        info.renewalPrice = 9_990
        info.currency = "USD"
        info.recentSubscriptionStartDate = bought
        info.appAccountToken = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        info.appTransactionId = "7040000003"
        info.environment = "LocalTesting"
        #expect(played.renewalInfos == [info])
    }

    @Test("a trial is free, introductory, and renews at full price")
    func trialThenRenewals() throws {
        let played = try PlayedScenario(
            playing: scenario([try trial("2026-08-24T00:00:00Z"), .renew(times: 2)]), now: now)
        #expect(played.transactions.map(\.transactionId) == ["7040000003001", "7040000003002", "7040000003003"])
        #expect(played.transactions.map(\.offerType) == [.introductory, nil, nil])
        #expect(played.transactions.map(\.offerDiscountType) == [.freeTrial, nil, nil])
        #expect(played.transactions.map(\.offerPeriod) == ["P1W", nil, nil])
        #expect(played.transactions.map(\.price) == [0, 9_990, 9_990])
        #expect(played.transactions.map(\.transactionReason) == [.purchase, .renewal, .renewal])
        #expect(Set(played.transactions.map(\.originalTransactionId)) == ["7040000003001"])
        let begun = try ["2026-08-24T00:00:00Z", "2026-08-31T00:00:00Z", "2026-09-30T00:00:00Z"].map(instant)
        let ended = try ["2026-08-31T00:00:00Z", "2026-09-30T00:00:00Z", "2026-10-30T00:00:00Z"].map(instant)
        #expect(played.transactions.map(\.purchaseDate) == begun)
        #expect(played.transactions.map(\.expiresDate) == ended)
        #expect(played.renewalInfos.map(\.renewalDate) == [ended[2]])
    }

    @Test("a cancelled subscription does not renew and keeps its period")
    func cancelled() throws {
        let played = try PlayedScenario(
            playing: scenario([try buy("-P10D"), .cancel(at: try at("-P5D"))]), now: now)
        let info = try #require(played.renewalInfos.first)
        #expect(info.autoRenewStatus == .off)
        #expect(info.expirationIntent == nil)
        #expect(info.renewalPrice == nil)
        #expect(info.renewalDate == (try instant("2026-11-22T00:00:00Z")))
    }

    @Test("a cancelled subscription whose period is over has ended by the customer's will")
    func cancelledAndOver() throws {
        let played = try PlayedScenario(
            playing: scenario([try buy("-P40D"), .cancel(at: try at("-P35D"))]), now: now)
        #expect(played.renewalInfos.map(\.expirationIntent) == [.customerCancelled])
    }

    @Test(
        "an expired subscription says why, in renewal info signed after its end",
        arguments: [
            (ExpirationIntent.customerCancelled, 1), (.billingError, 2), (.priceIncreaseNotConsented, 3),
            (.productNotAvailable, 4), (.other, 5),
        ])
    func expired(reason: ExpirationIntent, intent: Int) throws {
        let played = try PlayedScenario(
            playing: scenario([try buy("-P40D"), .expire(reason: reason)]), now: now)
        let info = try #require(played.renewalInfos.first)
        #expect(info.expirationIntent?.rawValue == intent)
        #expect(info.autoRenewStatus == .off)
        #expect(info.isInBillingRetryPeriod == false)
        let end = try #require(played.transactions.first?.expiresDate)
        #expect(info.signedDate > end)
    }

    @Test("coming back keeps the subscription's id and, after 60 days, begins a new series")
    func comeBack() throws {
        let first = try buy("2026-01-01T00:00:00Z")
        let end = ScenarioStep.expire()
        let soon = try PlayedScenario(playing: scenario([first, end, try buy("2026-04-01T23:59:59Z")]), now: now)
        let late = try PlayedScenario(playing: scenario([first, end, try buy("2026-04-02T00:00:00Z")]), now: now)
        #expect(Set(soon.transactions.map(\.originalTransactionId)) == ["7040000003001"])
        #expect(soon.transactions.last?.originalPurchaseDate == (try instant("2026-01-01T00:00:00Z")))
        #expect(soon.renewalInfos.map(\.recentSubscriptionStartDate) == [try instant("2026-01-01T00:00:00Z")])
        #expect(late.renewalInfos.map(\.recentSubscriptionStartDate) == [try instant("2026-04-02T00:00:00Z")])
        #expect(late.renewalInfos.map(\.expirationIntent) == [nil])
        #expect(late.renewalInfos.map(\.autoRenewStatus) == [.on])
    }

    @Test("a late renewal begins when it was paid, an early one when the period ends")
    func offTime() throws {
        let late = try PlayedScenario(
            playing: scenario([
                try buy("2026-01-01T00:00:00Z"), .renew(at: try at("2026-02-05T00:00:00Z")),
            ]), now: now)
        #expect(late.transactions.last?.expiresDate == (try instant("2026-03-05T00:00:00Z")))
        let early = try PlayedScenario(
            playing: scenario([
                try buy("2026-01-01T00:00:00Z"), .renew(at: try at("2026-01-31T00:00:00Z")),
            ]), now: now)
        #expect(early.transactions.last?.purchaseDate == (try instant("2026-01-31T00:00:00Z")))
        #expect(early.transactions.last?.expiresDate == (try instant("2026-03-01T00:00:00Z")))
    }

    @Test("two groups are two subscriptions, and a step can name the one it means")
    func twoGroups() throws {
        let played = try PlayedScenario(
            playing: scenario([
                try buy("-P20D"), try buy("-P10D", group: "21500002"),
                .cancel(group: group, at: try at("-P5D")),
            ]), now: now)
        #expect(played.renewalInfos.map(\.originalTransactionId) == ["7040000003001", "7040000003002"])
        #expect(played.renewalInfos.map(\.autoRenewStatus) == [.off, .on])
    }

    @Test("ids follow from the scenario: played again later it gives the same ones")
    func stableIds() throws {
        let steps = [try trial("-P60D"), .renew()]
        let first = try PlayedScenario(playing: scenario(steps), now: now)
        let second = try PlayedScenario(playing: scenario(steps), now: now.adding(milliseconds: 86_400_000))
        #expect(first.transactions.map(\.transactionId) == ["7040000003001", "7040000003002"])
        #expect(first.transactions.map(\.transactionId) == second.transactions.map(\.transactionId))
    }

    @Test("a given original transaction id is the first transaction's, and the others are made from it")
    func givenOriginal() throws {
        let played = try PlayedScenario(
            playing: scenario(
                [try buy("-P60D"), .renew()],
                customer: ScenarioCustomer(originalTransactionId: "2000000000000001")), now: now)
        #expect(played.transactions.map(\.transactionId) == ["2000000000000001", "2000000000000001002"])
        #expect(Set(played.transactions.map(\.originalTransactionId)) == ["2000000000000001"])
        #expect(played.transactions.map(\.appTransactionId) == [nil, nil])
    }

    @Test("everything is signed at `signedAt` where the scenario has one")
    func signedAt() throws {
        let played = try PlayedScenario(
            playing: scenario(
                [.appTransaction(at: try at("-P20D")), try buy("-P10D")], signedAt: try at("-P1D")), now: now)
        let expected = try instant("2026-10-31T00:00:00Z")
        #expect(played.transactions.map(\.signedDate) == [expected])
        #expect(played.renewalInfos.map(\.signedDate) == [expected])
        #expect(played.appTransaction?.receiptCreationDate == expected)
    }
}
