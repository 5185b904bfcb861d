import LocalAppStore
import OfferModel
import OfferTestSupport
import Testing

@Suite struct PlayedStreamTests {
    /// Random steps, one after the other, each kept if it can have happened.
    private func story(_ random: inout SeededGenerator, steps: Int) throws -> [ScenarioStep] {
        var story: [ScenarioStep] = []
        var day = 600
        for _ in 0..<(steps * 3) where story.count < steps {
            day = max(day - Int.random(in: 0...12, using: &random), 1)
            let step = try candidate(try at("-P\(day)D"), &random)
            if error(of: scenario(story + [step])) == nil { story.append(step) }
        }
        return story
    }

    private func candidate(
        _ time: ScenarioTime, _ random: inout SeededGenerator
    ) throws -> ScenarioStep {
        let other = ScenarioStep.PlanChange(
            at: time, product: ProductId("p\(Int.random(in: 1...3, using: &random))"),
            period: Bool.random(using: &random) ? Period(months: 1) : Period(days: 7), price: price)
        switch Int.random(in: 0...16, using: &random) {
        case 0: return .buy(product: monthly, group: group, at: time, period: Period(months: 1), price: price)
        case 1: return .resubscribe(at: time)
        case 2: return .cancel(at: time)
        case 3: return .enableRenewal(at: time)
        case 4: return .failToRenew(grace: Bool.random(using: &random) ? Period(days: 16) : nil)
        case 5: return .recover(at: time)
        case 6: return .expire()
        case 7: return .upgrade(other)
        case 8: return .downgrade(other)
        case 9: return .crossgrade(other)
        case 10: return .refund(at: time, percent: Int.random(in: 1...100, using: &random))
        case 11: return .reverseRefund(at: time)
        case 12:
            return .redeem(
                .init(
                    type: .promotional, offerIdentifier: "o", at: time, paymentMode: .payAsYouGo,
                    period: Period(months: 1), periodCount: 2, price: price))
        case 13: return .share(product: monthly, group: "2", at: time, period: Period(months: 1))
        case 14: return .revoke(group: "2", at: time)
        default: return .renew()
        }
    }

    @Test("the newest view of each purchase in the notifications is the one at the end, in whatever order they come")
    func newestView() throws {
        for seed: UInt64 in 1...60 {
            var random = SeededGenerator(seed: seed)
            let played = try PlayedScenario(playing: scenario(try story(&random, steps: 14)), now: now)
            var transactions: [TransactionId: Transaction] = [:]
            var infos: [TransactionId: RenewalInfo] = [:]
            for told in played.notifications.shuffled(using: &random) {
                let transaction = try #require(told.transaction)
                if (transactions[transaction.transactionId]?.signedDate ?? .distantPast) < transaction.signedDate {
                    transactions[transaction.transactionId] = transaction
                }
                let info = try #require(told.renewalInfo)
                let before = infos[info.originalTransactionId]?.signedDate ?? .distantPast
                #expect(before != info.signedDate, "two views of one age, seed \(seed)")
                if before < info.signedDate { infos[info.originalTransactionId] = info }
            }
            #expect(transactions.count == played.transactions.count, "seed \(seed)")
            for end in played.transactions {
                var newest = try #require(transactions[end.transactionId])
                newest.signedDate = end.signedDate
                // That it was replaced is told with the transaction that replaced it.
                newest.isUpgraded = end.isUpgraded
                #expect(newest == end, "seed \(seed)")
            }
            for end in played.renewalInfos {
                var newest = try #require(infos[end.originalTransactionId])
                newest.signedDate = end.signedDate
                #expect(newest == end, "seed \(seed)")
            }
        }
    }

    @Test("notifications are in the order of their dates, no id twice, and none is signed after the end")
    func order() throws {
        for seed: UInt64 in 101...130 {
            var random = SeededGenerator(seed: seed)
            let played = try PlayedScenario(playing: scenario(try story(&random, steps: 14)), now: now)
            let dates = played.notifications.map(\.notification.signedDate)
            #expect(dates == dates.sorted(), "seed \(seed)")
            #expect(dates.allSatisfy { $0 <= now.adding(milliseconds: 1_000) }, "seed \(seed)")
            let ids = Set(played.notifications.map(\.notification.notificationUUID))
            #expect(ids.count == dates.count, "seed \(seed)")
        }
    }
}
