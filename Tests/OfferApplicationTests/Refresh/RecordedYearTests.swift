import AppStoreServer
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("A recorded year of one customer")
struct RecordedYearTests {
    static func generator(seed: UInt64) -> SeededGenerator { SeededGenerator(seed: seed) }

    /// Everything that the notifications lead to.
    private struct State: Equatable {
        var customers: [KnownIdentifiers]
        var coverage: Coverage
        var transactions: [Transaction]
        var renewalInfos: [RenewalInfo]
        var subscriptions: [SubscriptionState]
        var decisions: [OfferDecision]
        var redemptions: [String]
        var rows: [[String]]
        var notifications: [String]
    }

    /// Sixty events, as `offerd dev sign` makes them.
    private static let scenario = """
        bundleId: com.example.pro
        appAppleId: 1234567890
        environment: LocalTesting
        customer:
          appTransactionId: "7060000006"
          appAccountToken: 66666666-6666-4666-8666-666666666666
        steps:
          - appTransaction: { at: -P365D }
          - trial:
              product: monthly
              group: "21500001"
              at: -P365D
              length: P1W
              period: P1W
              price: { amount: "2.99", currency: USD }
          - renew: { times: 12 }
          - failToRenew: { grace: P6D }
          - recover: { at: -P272D }
          - renew: { times: 8 }
          - cancel: { at: -P213D }
          - redeem:
              type: promotional
              offerIdentifier: comeback50
              at: -P212D
              paymentMode: payAsYouGo
              period: P1W
              periodCount: 4
              price: { amount: "0.99", currency: USD }
          - renew: { times: 5 }
          - raisePrice: { at: -P178D, price: { amount: "3.99", currency: USD } }
          - acceptPrice: { at: -P177D }
          - renew: { times: 4 }
          - upgrade: { at: -P150D, product: yearly, period: P1Y, price: { amount: "79.99", currency: USD } }
          - refund: { at: -P140D, percent: 95 }
          - resubscribe: { at: -P138D, product: monthly, period: P1W, price: { amount: "3.99", currency: USD } }
          - renew: { times: 9 }
          - failToRenew: { grace: P6D }
          - recover: { at: -P66D }
          - renew: { times: 7 }
          - cancel: { at: -P14D }
        """

    private func year(_ shop: Shop) throws -> SignedScenario {
        let scenario = try ScenarioReader.read(Array(Self.scenario.utf8)).value
        return try LocalAppStore(root: shop.root).sign(scenario, now: shop.clock.now)
    }

    private func deliver(_ notification: String, _ stage: AppleStage) async throws {
        _ = try await stage.useCases.notifications.ingest(
            notification, of: Workbench.scope, source: .delivered, author: .appStore(requestId: nil))
    }

    private func state(_ stage: AppleStage) async throws -> State {
        let customer = CustomerIdentifiers(appTransactionId: "7060000006")
        let story = try await stage.bench.useCases.customers.story(customer, caller: Workbench.client)
        let known = try await stage.known(customer)
        let answer = try await stage.useCases.decisions.decide(Inquiry(customer: customer), caller: Workbench.support)
        return State(
            customers: story.identified, coverage: known.history.coverage,
            transactions: known.history.purchases.rows.map(\.payload),
            renewalInfos: known.history.renewalInfos.map(\.payload).sorted { $0.signedDate < $1.signedDate },
            subscriptions: known.history.subscriptionStates(at: stage.bench.clock.now), decisions: answer.decisions,
            redemptions: known.redemptions.map { "\($0.offerType) \($0.offerIdentifier as Any) \($0.firstEvidence)" },
            rows: try await stage.bench.database.read(Self.rows),
            notifications: try await stage.bench.database.read(Self.notifications))
    }

    /// Every row of the history, by what it holds.
    private static func rows(_ transaction: any StoreTransaction) throws -> [[String]] {
        try ["history_transaction", "history_renewal_info", "history_app_transaction"].map { table in
            try transaction.rows(Statement("SELECT hex(payload), provenance FROM \(table)"))
                .map { "\(try $0.value(0, as: String.self)) \(try $0.value(1, as: String.self))" }.sorted()
        }
    }

    private static func notifications(_ transaction: any StoreTransaction) throws -> [String] {
        try transaction.rows(Statement("SELECT uuid FROM notification"))
            .map { try $0.value(0, as: String.self) }.sorted()
    }

    @Test(
        "shuffled, doubled and with a tenth lost and fetched from Apple, it leads to exactly what it leads to in order (invariant 7)",
        arguments: [11, 222, 3_333, 44_444] as [UInt64])
    func recovered(seed: UInt64) async throws {
        let shop = try Shop(clock: TestClock(Workbench.start))
        let signed = try year(shop)
        #expect(signed.notifications.count == 60)
        var expected: State?
        try await AppleStage.run(shop: shop) { stage in
            for notification in signed.notifications { try await deliver(notification, stage) }
            expected = try await state(stage)
        }
        let ordered = try #require(expected)
        #expect(ordered.notifications.count == 60)
        #expect(ordered.redemptions.count == 2, "the trial and the promotional offer")
        #expect(ordered.decisions.count >= 4)
        var generator = Self.generator(seed: seed)
        try await AppleStage.run(shop: shop) { stage in
            let lost = Set(signed.notifications.shuffled(using: &generator).prefix(6))
            let arrived = signed.notifications.filter { !lost.contains($0) }
            let stream = (arrived + arrived.shuffled(using: &generator).prefix(20)).shuffled(using: &generator)
            for notification in stream { try await deliver(notification, stage) }
            let before = try await state(stage)
            #expect(before.notifications.count == 54, "seed \(seed)")
            #expect(before != ordered, "seed \(seed): nothing was lost")
            stage.apple.notifications = signed.notifications
            let pages = try await fetchAll(stage)
            #expect(pages.map(\.added).reduce(0, +) == 6, "seed \(seed)")
            #expect(pages.map(\.known).reduce(0, +) == 54, "seed \(seed)")
            #expect(pages.count == 3)
            let after = try await state(stage)
            #expect(after.customers == ordered.customers, "seed \(seed)")
            #expect(after.coverage == ordered.coverage, "seed \(seed)")
            #expect(after.transactions == ordered.transactions, "seed \(seed)")
            #expect(after.renewalInfos == ordered.renewalInfos, "seed \(seed)")
            #expect(after.subscriptions == ordered.subscriptions, "seed \(seed)")
            #expect(after.decisions == ordered.decisions, "seed \(seed)")
            #expect(after.redemptions == ordered.redemptions, "seed \(seed)")
            #expect(after.rows == ordered.rows, "seed \(seed)")
            #expect(after.notifications == ordered.notifications, "seed \(seed)")
        }
    }

    /// Every page of the notification history of the last 400 days.
    private func fetchAll(_ stage: AppleStage) async throws -> [NotificationBackfill.Page] {
        let now = stage.bench.clock.now
        let clock = stage.bench.clock
        let work = try NotificationBackfill(
            stage.registry, stage.useCases.notifications, in: Workbench.scope,
            by: AuditAuthor(actor: "offerd backfill"),
            patience: RetryPolicy(sleep: { _ in throw CancellationError() }, onWait: { _ in }),
            clock: { clock.now })
        let query = NotificationHistoryQuery(from: now.adding(milliseconds: -400 * Instant.Duration.day), to: now)
        var pages = [try await work.fetch(query, after: nil)]
        while let next = pages.last?.next { pages.append(try await work.fetch(query, after: next)) }
        return pages
    }

    @Test("a notification that is not believed is told with its place on the page, and the others are kept")
    func refused() async throws {
        try await AppleStage.run { stage in
            let signed = try year(stage.bench.shop)
            let broken = try #require(signed.notifications.dropFirst().first).dropLast(8) + "AAAAAAAA"
            stage.apple.notifications = [signed.notifications[0], String(broken), signed.notifications[2]]
            let page = try #require(try await fetchAll(stage).first)
            #expect(page.added == 2)
            #expect(page.refused.map(\.place) == [2])
        }
    }

    @Test("a notification history that repeats its token is given up, not followed for ever (invariant 10)")
    func endless() async throws {
        try await AppleStage.run { stage in
            stage.apple.interpose { _, place in
                .answer(200, #"{"notificationHistory":[],"hasMore":\#(place < 9),"paginationToken":"p1"}"#)
            }
            let error = await #expect(throws: RequestError.self) { try await fetchAll(stage) }
            guard case .appStoreFailed(let failure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.error.message == "Apple's notification history repeats the same pagination token")
            #expect(stage.asked.count == 2)
        }
    }
}
