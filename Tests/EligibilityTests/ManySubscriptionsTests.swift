import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("many subscriptions of one group")
struct ManySubscriptionsTests {
    private static let day = Instant.Duration.day
    private static let group: SubscriptionGroupId = "21500001"
    private static let start = Instant(milliseconds: 1_767_225_600_000)

    /// A group of subscriptions in every state, with few dates, so that many change at once.
    private struct RandomGroup {
        var generator: SeededGenerator
        var now = ManySubscriptionsTests.start.adding(milliseconds: 100 * day)

        mutating func days(_ range: ClosedRange<Int64>) -> Instant {
            now.adding(milliseconds: Int64.random(in: range, using: &generator) * day)
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

        mutating func history(subscriptions: Int) -> History {
            var history = History()
            for number in 0..<subscriptions {
                let original = TransactionId("\(1_000 + number)")
                var begins = days(-60...1)
                for period in 0..<Int.random(in: 1...3, using: &generator) {
                    var transaction = Transaction.fixture(
                        period == 0 ? original : TransactionId("\(original)\(period)"), original: original,
                        group: ManySubscriptionsTests.group, purchased: begins)
                    let ends = begins.adding(milliseconds: Int64.random(in: 1...40, using: &generator) * day)
                    transaction.expiresDate = chance(95) ? ends : nil
                    transaction.offerType = chance(50) ? nil : chance(50) ? .introductory : .promotional
                    transaction.offerIdentifier = transaction.offerType == .promotional ? "a" : nil
                    transaction.isUpgraded = chance(10)
                    transaction.inAppOwnershipType =
                        chance(60) ? .purchased : chance(70) ? .familyShared : InAppOwnershipType(rawValue: "OTHER")
                    transaction.revocationDate = chance(15) ? days(-20...20) : nil
                    transaction.price = chance(20) ? 0 : 9_990
                    history.transactions.append(Self.row(transaction, history.transactions.count))
                    begins = ends
                }
                guard chance(70) else { continue }
                var info = RenewalInfo.fixture(original, signed: days(-30...0))
                info.autoRenewStatus = chance(50) ? .on : .off
                info.isInBillingRetryPeriod = chance(40)
                info.gracePeriodExpiresDate = chance(40) ? days(-5...16) : nil
                info.expirationIntent = chance(15) ? .billingError : nil
                info.offerType = chance(20) ? .promotional : nil
                info.offerIdentifier = info.offerType == nil ? nil : "a"
                history.renewalInfos.append(Self.row(info, history.renewalInfos.count))
            }
            return history
        }

        private static func row<Payload>(_ payload: Payload, _ place: Int) -> Recorded<Payload> {
            Recorded(
                payload: payload, payloadBytes: [UInt8(truncatingIfNeeded: place)], provenance: .client,
                sequence: Int64(place))
        }
    }

    @Test(
        "a sweep over the transitions finds at every instant what the definition says of that instant alone",
        arguments: UInt64(1)...60)
    func sweep(seed: UInt64) throws {
        var random = RandomGroup(generator: SeededGenerator(seed: seed))
        let count = Int.random(in: 1...40, using: &random.generator)
        let history = random.history(subscriptions: count)
        let view = try #require(
            CustomerView(history, at: random.now).groups.first { $0.group == Self.group }, "seed \(seed)")
        let timeline = StateTimeline(view, from: random.now)
        #expect(
            timeline.candidates.map(\.subscription.current)
                == view.definedCandidates(at: random.now).map(\.subscription.current), "seed \(seed)")
        let transitions = view.transitions.filter { $0 > random.now }
        var instants = [random.now] + transitions.flatMap { [$0.adding(milliseconds: -1), $0] }
        for _ in 0..<20 { instants.append(random.days(0...120).adding(milliseconds: 1)) }
        for instant in instants where instant >= random.now {
            #expect(timeline.state(at: instant) == view.definedState(at: instant), "seed \(seed), \(instant)")
            let (found, defined) = (timeline.lastEnded(at: instant), view.definedLastEnded(at: instant))
            #expect(found?.row == defined?.row && found?.at == defined?.at, "seed \(seed), \(instant)")
        }
        #expect(timeline.state(at: random.now.adding(milliseconds: -1)) == nil)
        // The first transition at which no candidate has the offer, by asking at each.
        func hasOffer(_ candidate: Candidate) -> Bool { candidate.subscription.current.payload.offerIdentifier == "a" }
        #expect(
            view.firstInstant(after: random.now) { candidate, _ in hasOffer(candidate) }
                == transitions.first { !view.definedCandidates(at: $0).contains(where: hasOffer) }, "seed \(seed)")
        let state = view.state(at: random.now)
        #expect(state == view.definedState(at: random.now), "seed \(seed)")
        #expect(
            view.nextChange(after: state) { $0.name }?.at
                == transitions.first { view.definedState(at: $0).name != state.name }, "seed \(seed)")
    }

    @Test(
        "what a subject found of a group's states holds at a later instant as if it were asked there alone",
        arguments: UInt64(1)...30)
    func later(seed: UInt64) {
        var random = RandomGroup(generator: SeededGenerator(seed: seed))
        // Without any, what is proven of the group follows from how complete the history is: at first it is.
        let count = seed.isMultiple(of: 3) ? 0 : 12
        var facts = SubjectFacts(history: random.history(subscriptions: count), firstStoredAt: random.now)
        facts.history.coverage = Coverage(level: .complete, asOf: random.now)
        var subject = RandomSubject(seed: seed)
        let offer = subject.offer()
        let prepared = PreparedSubject(facts)
        for days in [Int64(0), 1, 3, 10, 30, 61, 90] {
            let question = subject.question(offer, at: random.now.adding(milliseconds: days * Self.day))
            #expect(decide(question, about: prepared) == decide(question, facts: facts), "seed \(seed), day \(days)")
        }
    }

    @Test(
        "a decision about four hundred running subscriptions looks at each again where it changes, and not where any of the others does (invariant 10)",
        .timeLimit(.minutes(1)))
    func running() {
        var history = History()
        for number in 0..<400 {
            let id = TransactionId("\(1_000 + number)")
            let transaction = Transaction.fixture(
                id, original: id, group: Self.group,
                purchased: Self.start.adding(milliseconds: Int64(number) * 60_000)
            ) { $0.expiresDate = Self.start.adding(milliseconds: 30 * Self.day + Int64(number) * 3_600_000) }
            history.transactions.append(
                Recorded(payload: transaction, payloadBytes: [], provenance: .client, sequence: Int64(number)))
        }
        var random = RandomSubject(seed: 1)
        var offer = random.otherOffer()
        offer.eligibility = nil
        let question = random.question(offer, at: Self.start.adding(milliseconds: 20 * Self.day))
        let (decision, _) = decideAhead(question, about: PreparedSubject(SubjectFacts(history: history)))
        #expect(decision.findings.contains { $0.rule == .promotionalNotApplied && $0.verdict == .satisfied })
    }
}
