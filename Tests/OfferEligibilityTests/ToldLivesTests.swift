import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferEligibility

/// The same life told in other words gives the same decisions (invariant 11).
@Suite("one life, told in several ways")
struct ToldLivesTests {
    private static let seeds: ClosedRange<UInt64> = {
        let count = ProcessInfo.processInfo.environment["OFFERD_PROPERTY_SEEDS"].flatMap { UInt64($0) } ?? 300
        return 1...max(count, 300)
    }()

    @Test("states, facts, uses and outcomes are the same (invariant 11)", arguments: Telling.allCases)
    func sameDecisions(_ telling: Telling) throws {
        for seed in Self.seeds {
            let life = RandomLife(seed: seed)
            let plain = life.plain
            let told = life.told(telling, seed: seed &+ 1_000_000)
            var random = RandomSubject(seed: seed)
            for now in [
                life.ends.adding(milliseconds: -Instant.Duration.day), life.ends.adding(months: 2), random.instant(),
            ] {
                let (one, other) = (Seen(plain, at: now), Seen(told, at: now))
                #expect(one.states == other.states, "seed \(seed), \(telling), \(now)")
                #expect(one.uses == other.uses, "seed \(seed), \(telling), \(now)")
                #expect(one.products == other.products, "seed \(seed), \(telling), \(now)")
                #expect(one.facts == other.facts, "seed \(seed), \(telling), \(now)")
                let offer = random.withTerms(random.offer())
                let question = random.question(offer, at: now)
                #expect(
                    decide(question, facts: one.subject).outcome == decide(question, facts: other.subject).outcome,
                    "seed \(seed), \(telling), \(now)")
            }
        }
    }

    @Test("each thing that happens is one event, under whichever ids it becomes known (invariant 11)")
    func sameEvents() {
        var seen = 0
        for seed in Self.seeds {
            let life = RandomLife(seed: seed)
            let told = life.told(.copies, seed: seed &+ 1_000_000)
            let events = Self.events(life.plain)
            seen += events.count
            #expect(Self.events(told) == events, "seed \(seed)")
        }
        #expect(seen > 300, "the seeds should reach many events")
    }

    @Test("the lives reach copies, upgrades, refunds and uses of offers")
    func reach() {
        let lives = Self.seeds.map { RandomLife(seed: $0) }
        #expect(lives.count { $0.transactions.contains(where: \.isUpgraded) } > 50)
        #expect(lives.count { $0.transactions.contains { $0.revocationDate != nil } } > 50)
        #expect(lives.count { life in life.plain.purchases.rows.contains { !$0.isKept } } > 50)
        #expect(lives.count { SubjectFacts(history: $0.plain).redemptions().count > 1 } > 50)
        #expect(
            zip(lives, Self.seeds).count { life, seed in
                let told = life.told(.copies, seed: seed &+ 1_000_000)
                return told.purchases.rows.contains { told.purchases.ids(of: $0).count > 1 }
            } > 100)
    }

    /// The events of one view after the other, as each is signed.
    private static func events(_ history: History) -> [String: Int] {
        var known = History()
        var events: Set<String> = []
        let rows = history.transactions.filter { $0.payload.type == .autoRenewableSubscription }
            .sorted {
                ($0.payload.signedDate, $0.payload.transactionId) < ($1.payload.signedDate, $1.payload.transactionId)
            }
        for row in rows {
            var after = known
            after.transactions.append(row)
            for event in SubscriptionEvent.changes(from: known, to: after, at: row.payload.signedDate) {
                events.insert("\(event.type.rawValue) \(event.at.milliseconds) \(event.cause)")
            }
            known = after
        }
        // A purchase that is known under a second id first has that id as its cause.
        return Dictionary(
            events.map { ($0.split(separator: " ").prefix(2).joined(separator: " "), 1) }, uniquingKeysWith: +)
    }
}

/// What is derived of a history at an instant, without the ids and dates of what shows it.
private struct Seen {
    let states: [String]
    let uses: [String]
    let products: [String]
    let facts: [String: String]
    let subject: SubjectFacts

    init(_ history: History, at now: Instant) {
        var history = history
        history.coverage = Coverage(level: .complete, asOf: now)
        subject = SubjectFacts(history: history)
        let view = CustomerView(history, at: now)
        states = view.groups.map { group in
            let state = group.state(at: now)
            let trial = group.newestTrial
            return """
                \(state.resolution) \(String(describing: state.accessEnds)) \(String(describing: state.willAutoRenew)) \
                \(String(describing: state.transaction?.productId)) \(String(describing: state.startedAt)) \
                \(String(describing: trial?.startedAt)) \(String(describing: trial?.endsAt))
                """
        }
        uses = subject.redemptions().map {
            "\($0.offerType.rawValue) \($0.offerIdentifier ?? "") \($0.firstEvidence) \(String(describing: $0.offerEnds))"
        }
        products = view.products.map { "\($0.productId) \($0.isOwned) \(String(describing: $0.revokedAt))" }
        var random = RandomSubject(seed: 1)
        let question = random.question(random.offer(), at: now)
        let asked = Subject(subject, at: now, policy: .standard, question: question)
        let reader = FactReader(question: question, subject: asked)
        let state = asked.requestedState(at: now)
        facts = Dictionary(
            uniqueKeysWithValues: FactVocabulary.all.map {
                ($0.name, "\(reader.fact(FactName($0.name), at: now, state).knowledge)")
            })
    }
}
