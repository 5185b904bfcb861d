import Foundation
import OfferTestSupport
import Testing

@testable import OfferModel

/// The win-back months against Foundation's calendar, which knows nothing of ours.
@Suite("win-back months")
struct MonthWindowTests {
    private let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private func adding(_ months: Int, to instant: Instant) throws -> Instant {
        let seconds = instant.milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let date = Date(timeIntervalSince1970: Double(seconds.quotient))
        let moved = try #require(calendar.date(byAdding: .month, value: months, to: date))
        return Instant(milliseconds: Int64(moved.timeIntervalSince1970) * 1_000 + seconds.remainder)
    }

    /// Ends all over the years, every other one in the last days of a month.
    private func end(_ random: inout SeededGenerator) throws -> Instant {
        let start: Int64 = 1_577_836_800_000
        let end = Instant(milliseconds: start + Int64.random(in: 0..<3_650 * Instant.Duration.day, using: &random))
        guard Bool.random(using: &random) else { return end }
        let date = Date(timeIntervalSince1970: Double(end.milliseconds / 1_000))
        let month = try #require(calendar.dateInterval(of: .month, for: date))
        let back = Int64.random(in: 0..<4 * Instant.Duration.day, using: &random)
        return Instant(milliseconds: Int64(month.end.timeIntervalSince1970) * 1_000 - back)
    }

    private func offer(_ change: (inout Offer) -> Void) -> Offer {
        var offer = Offer(
            id: "back", type: .winBack, delivery: .signature, offerIdentifier: "back",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        change(&offer)
        return offer
    }

    private func finding(
        _ rule: RuleId, _ offer: Offer, _ transactions: [Transaction], at now: Instant
    ) throws -> Finding {
        var history = History(coverage: Coverage(level: .complete, asOf: now))
        let end = try #require(transactions.compactMap(\.expiresDate).max())
        let info = RenewalInfo.fixture(transactions[0].originalTransactionId, signed: end.adding(milliseconds: 1)) {
            $0.autoRenewStatus = .off
        }
        history.transactions = transactions.map {
            Recorded(payload: $0, payloadBytes: [], provenance: .serverAPI, sequence: 1)
        }
        history.renewalInfos = [Recorded(payload: info, payloadBytes: [], provenance: .serverAPI, sequence: 2)]
        let question = Question(
            now: now, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001")
        let decision = decide(question, facts: SubjectFacts(history: history))
        return try #require(decision.findings.first { $0.rule == rule })
    }

    @Test("the time since the end is within its months exactly from the minimum until a month after the maximum")
    func timeSince() throws {
        for seed in UInt64(1)...2_000 {
            var random = SeededGenerator(seed: seed)
            let end = try end(&random)
            let least = Int.random(in: 1...24, using: &random)
            let most = Int.random(in: least...24, using: &random)
            let (opens, closes) = (try adding(least, to: end), try adding(most + 1, to: end))
            let offer = offer { $0.winBackTerms = WinBackTerms(timeSinceLastSubscribedInMonths: least...most) }
            let bought = Transaction.fixture("1", purchased: end.adding(milliseconds: -30 * Instant.Duration.day)) {
                $0.expiresDate = end
            }
            func found(_ instant: Instant) throws -> Finding {
                try finding(.winBackTimeSinceLastSubscribed, offer, [bought], at: instant)
            }
            let early = try found(opens.adding(milliseconds: -1))
            #expect(early.reason == .lapsedTooRecently, "seed \(seed)")
            #expect(early.turningPoint == .at(opens), "seed \(seed)")
            for instant in [opens, closes.adding(milliseconds: -1)] {
                let within = try found(instant)
                #expect(within.verdict == .satisfied, "seed \(seed)")
                #expect(within.turningPoint == .at(closes), "seed \(seed)")
            }
            #expect(try found(closes).reason == .lapsedTooLongAgo, "seed \(seed)")
        }
    }

    @Test("the wait between two uses ends exactly so many months after the last one ended")
    func wait() throws {
        for seed in UInt64(1)...1_000 {
            var random = SeededGenerator(seed: seed)
            let end = try end(&random)
            let months = Int.random(in: 2...24, using: &random)
            let free = try adding(months, to: end)
            let offer = offer { $0.winBackTerms = WinBackTerms(waitBetweenOffersInMonths: months) }
            let used = Transaction.fixture("1", purchased: end.adding(milliseconds: -30 * Instant.Duration.day)) {
                $0.expiresDate = end
                $0.offerType = .promotional
                $0.offerIdentifier = "back"
            }
            func found(_ instant: Instant) throws -> Finding {
                try finding(.winBackWaitBetweenOffers, offer, [used], at: instant)
            }
            let early = try found(free.adding(milliseconds: -1))
            #expect(early.reason == .redeemedTooRecently, "seed \(seed)")
            #expect(early.turningPoint == .at(free), "seed \(seed)")
            #expect(try found(free).verdict == .satisfied, "seed \(seed)")
        }
    }

    @Test("a subscription paid for so many calendar months counts as so many, and as one less a millisecond earlier")
    func paid() throws {
        for seed in UInt64(1)...1_000 {
            var random = SeededGenerator(seed: seed)
            let start = try end(&random)
            let months = Int.random(in: 1...24, using: &random)
            let offer = offer { $0.winBackTerms = WinBackTerms(paidSubscriptionDurationInMonths: months) }
            let whole = try adding(months, to: start)
            let remainder = whole.milliseconds(since: try adding(months - 1, to: start)) - 1
            for (end, paid) in [
                (whole, months),
                // 30 days that remain make a month of their own.
                (whole.adding(milliseconds: -1), remainder < 30 * Instant.Duration.day ? months - 1 : months),
            ] {
                let bought = Transaction.fixture("1", purchased: start) {
                    $0.expiresDate = end
                    $0.price = 9_990
                }
                let finding = try finding(
                    .winBackPaidDuration, offer, [bought], at: end.adding(milliseconds: Instant.Duration.day))
                #expect(finding.verdict == (paid >= months ? .satisfied : .violated), "seed \(seed)")
                let number = Evidence(
                    field: "paidSubscriptionDurationInMonths", observed: .number(paid), required: .number(months))
                #expect(finding.evidence.first == number, "seed \(seed)")
            }
        }
    }
}
