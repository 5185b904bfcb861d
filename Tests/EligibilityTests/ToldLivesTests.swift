import Foundation
import OfferTestSupport
import Testing

@testable import OfferModel

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
                #expect(one.differences(other) == [], "seed \(seed), \(telling), \(now)")
                let offer = random.withTerms(random.offer())
                let question = random.question(offer, at: now)
                #expect(
                    decide(question, facts: one.subject).outcome == decide(question, facts: other.subject).outcome,
                    "seed \(seed), \(telling), \(now)")
            }
        }
    }

    @Test(
        "each thing that happens is one event, under whichever ids it becomes known (invariant 11)",
        arguments: Telling.allCases)
    func sameEvents(_ telling: Telling) {
        var seen: Set<String> = []
        for seed in Self.seeds {
            let life = RandomLife(seed: seed)
            let (events, told) = (Self.events(life.plain), Self.events(life.told(telling, seed: seed &+ 1_000_000)))
            let differing = Set(events.keys).union(told.keys).filter { events[$0] != told[$0] }.sorted()
            #expect(differing == [], "seed \(seed), \(telling)")
            seen.formUnion(events.keys.compactMap { $0.split(separator: " ").first.map(String.init) })
        }
        let expected: [EventType] = [
            .started, .renewed, .productChanged, .refunded, .cancelled, .resumed, .purchaseMade, .purchaseRefunded,
        ]
        #expect(seen.isSuperset(of: expected.map(\.rawValue)), "the seeds should reach each: \(seen.sorted())")
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

    /// How often each event comes, if one view after the other arrives as Apple signs it.
    private static func events(_ history: History) -> [String: Int] {
        var known = History()
        var events: Set<String> = []
        func arrive(_ after: History, at date: Instant) {
            for subscription in Set(after.transactions.map(\.payload.originalTransactionId)) {
                let changes = SubscriptionEvent.changes(
                    from: known.part(of: subscription), to: after.part(of: subscription), at: date)
                // The store keeps one event of a type and cause.
                events.formUnion(changes.map { "\($0.type.rawValue) \($0.at.milliseconds) \($0.cause)" })
            }
            known = after
        }
        var infos = history.renewalInfos.sorted { $0.payload.signedDate < $1.payload.signedDate }[...]
        let rows = history.transactions.sorted {
            ($0.payload.signedDate, $0.payload.transactionId) < ($1.payload.signedDate, $1.payload.transactionId)
        }
        for row in rows {
            while let info = infos.first, info.payload.signedDate < row.payload.signedDate {
                arrive(known.adding(info: infos.removeFirst()), at: info.payload.signedDate)
            }
            arrive(known.adding(row), at: row.payload.signedDate)
        }
        for info in infos { arrive(known.adding(info: info), at: info.payload.signedDate) }
        // A purchase that is known under a second id first has that id as its cause.
        return Dictionary(
            events.map { ($0.split(separator: " ").prefix(2).joined(separator: " "), 1) }, uniquingKeysWith: +)
    }
}

extension History {
    fileprivate func adding(_ row: Recorded<Transaction>) -> History {
        var history = self
        history.transactions.append(row)
        return history
    }

    fileprivate func adding(info: Recorded<RenewalInfo>) -> History {
        var history = self
        history.renewalInfos.append(info)
        return history
    }

    fileprivate func part(of subscription: TransactionId) -> History {
        History(
            transactions: transactions.filter { $0.payload.originalTransactionId == subscription },
            renewalInfos: renewalInfos.filter { $0.payload.originalTransactionId == subscription })
    }
}

/// The facts derived from a history at an instant, without the ids and dates of their evidence.
private struct Seen {
    let states: [String]
    let uses: [String]
    let products: [String]
    let facts: [String: String]
    let subject: SubjectFacts

    func differences(_ other: Seen) -> [String] {
        facts.filter { other.facts[$0.key] != $0.value }.map { "\($0.key): \($0.value), \(other.facts[$0.key] ?? "")" }
            .sorted()
    }

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
        let asked = subject.subject(of: question)
        let reader = FactReader(question: question, subject: asked)
        let state = asked.requestedState(at: now)
        facts = Dictionary(
            uniqueKeysWithValues: FactVocabulary.all.map {
                ($0.name, "\(reader.fact(FactName($0.name), at: now, state).knowledge)")
            })
    }
}
