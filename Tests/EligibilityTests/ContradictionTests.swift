import OfferTestSupport
import Testing

@testable import OfferDocuments
@testable import OfferModel

/// Conditions that the catalog's check calls impossible, compared with the evaluator over every subject of small
/// worlds.
@Suite("contradictions in conditions")
struct ContradictionTests {
    private static let seeds: ClosedRange<UInt64> = 1...2_000

    @Test("no condition that some customer satisfies is called impossible, whatever it compares")
    func soundness() {
        let tables = SmallSubjects.all.map { VerdictTable(of: RandomCondition.mixed, for: $0) }
        var impossible = 0
        for seed in Self.seeds {
            var random = RandomCondition(seed: seed, comparisons: RandomCondition.mixed)
            let node = random.node(depth: 2)
            var solver = Satisfiability()
            guard !solver.canHold([Constraint(node)]) else { continue }
            impossible += 1
            let satisfied = tables.first { $0.verdict(node) == .satisfied }
            #expect(satisfied == nil, "seed \(seed): \(node) by \(satisfied?.name ?? "")")
        }
        #expect(impossible > 100, "only \(impossible) conditions tell anything")
    }

    @Test("of signals alone the check is exact: impossible is what no values satisfy")
    func exactness() {
        let tables = SmallSubjects.signals.map { VerdictTable(of: RandomCondition.ofSignals, for: $0) }
        var impossible = 0
        for seed in Self.seeds {
            var random = RandomCondition(seed: seed, comparisons: RandomCondition.ofSignals)
            let node = random.node(depth: 2)
            var solver = Satisfiability()
            let isPossible = tables.contains { first in
                tables.contains { first.verdict(node, with: $0, for: "signals.b") == .satisfied }
            }
            let canHold = solver.canHold([Constraint(node)])
            #expect(canHold == isPossible, "seed \(seed): \(node)")
            impossible += isPossible ? 0 : 1
        }
        #expect(impossible > 100, "only \(impossible) conditions tell anything")
    }

    @Test("whole conditions come out as their comparisons do, with and without `not` pushed down")
    func normalForm() {
        let subjects = SmallSubjects.all.shuffled(seed: 5).prefix(40)
        let tables = subjects.map { VerdictTable(of: RandomCondition.mixed, for: $0) }
        for (subject, table) in zip(subjects, tables) {
            for seed: UInt64 in 1...20 {
                var random = RandomCondition(seed: seed, comparisons: RandomCondition.mixed)
                let node = random.node(depth: 3)
                let verdict = subject.verdict(node)
                #expect(verdict == table.verdict(node), "seed \(seed): \(node)")
                #expect(verdict == table.verdict(Constraint(node).node), "seed \(seed): \(node)")
            }
        }
    }

    @Test("no fact is known in a world that is said not to know it, of every subject", arguments: SmallSubjects.facts)
    func worlds(fact: String) {
        for subject in SmallSubjects.all {
            guard case .known(let value) = subject.knowledge(fact) else { continue }
            let state: SubscriptionStateName? =
                if case .known(.text(let name)) = subject.knowledge("subscription.state") {
                    SubscriptionStateName(rawValue: name)
                } else { nil }
            let ever: Bool? =
                if case .known(.boolean(let flag)) = subject.knowledge("subscription.everInGroup") { flag } else { nil }
            let world = StateModel.all.first { $0.state == state && $0.everInGroup == ever }
            #expect(world?.allows(.value(value), of: fact) == true, "\(subject.name)")
        }
    }

    @Test("a condition too costly to judge counts as possible, at once")
    func cost() {
        let values = (0..<40_000).map { FactValue.text("v\($0)") }
        let claim = RuleNode.comparison(Comparison(fact: "signals.x", comparisonOperator: .in, operands: values))
        let other = RuleNode.comparison(Comparison(fact: "signals.x", comparisonOperator: .is, operands: [.text("w")]))
        var solver = Satisfiability()
        let canHold = solver.canHold([Constraint(.all([claim, other]))])
        #expect(canHold)
        #expect(!solver.hasBudget)
    }
}

/// A question and facts of a world small enough to go through whole.
struct SmallSubject: Sendable {
    let name: String
    var question: Question
    let facts: SubjectFacts

    func verdict(_ node: RuleNode) -> Verdict? {
        var question = question
        question.offerAsked.eligibility = node
        return decide(question, facts: facts).findings.first { $0.rule == .ruleEligibility }?.verdict
    }

    func knowledge(_ fact: String) -> Fact.Knowledge {
        let context = PreparedSubject(facts).context(question)
        return FactReader(question: question, subject: context.subject)
            .fact(FactName(fact), at: question.now, context.state).knowledge
    }
}

/// The evaluator's verdicts on single comparisons for one subject; its logic gives those of groups.
struct VerdictTable {
    let name: String
    private var verdicts: [Comparison: Verdict] = [:]

    init(of comparisons: [RuleNode], for subject: SmallSubject) {
        name = subject.name
        for case .comparison(let comparison) in comparisons {
            verdicts[comparison] = subject.verdict(.comparison(comparison))
        }
    }

    /// - Parameter other: who answers for the fact of that name.
    func verdict(_ node: RuleNode, with other: VerdictTable? = nil, for fact: String = "") -> Verdict {
        switch node {
        case .all(let children): Kleene.all(children.map { verdict($0, with: other, for: fact) })
        case .any(let children): Kleene.any(children.map { verdict($0, with: other, for: fact) })
        case .not(let child): Kleene.not(verdict(child, with: other, for: fact))
        case .comparison(let comparison):
            (comparison.fact == fact ? other ?? self : self).verdicts[comparison] ?? .notApplicable
        }
    }
}

extension Array {
    fileprivate func shuffled(seed: UInt64) -> [Element] {
        var generator = SeededGenerator(seed: seed)
        return shuffled(using: &generator)
    }
}

enum SmallSubjects {
    static let facts = FactVocabulary.all.map(\.name)

    /// Two signals with one value: absent, a number from 0 to 5, one between, a text or a flag.
    static let signals: [SmallSubject] = values.map { value in
        var signals: [String: FactValue] = [:]
        signals["a"] = value
        signals["b"] = value
        return subject("signals", SubjectFacts(), signals)
    }

    private static let values: [FactValue?] =
        [nil] + (0...5).map { .number(Double($0)) } + (0...5).map { .number(Double($0) + 0.5) }
        + [.number(-1), .text("x"), .text("y"), .text("z"), .boolean(true), .boolean(false)]

    /// Subscriptions in every state, ended or ending some days away, bought or shared, paid or free, with complete
    /// history and without; each with every number of one signal.
    static let all: [SmallSubject] = {
        var subjects = [
            subject("nobody", SubjectFacts()), subject("never", SubjectFacts(history: complete(History()))),
        ]
        for day in [0, 1, 5, 12, 27, 28, 29, 30, 31, 32, 34, 36, 38, 45, 58, 59, 62, 64, 90, 100] {
            for change in Change.allCases {
                let history = change.history(boughtDaysAgo: Int64(day))
                subjects.append(subject("\(change), day \(day)", SubjectFacts(history: history)))
                subjects.append(subject("\(change), day \(day), complete", SubjectFacts(history: complete(history))))
            }
        }
        return subjects
    }()

    static let now = Instant(milliseconds: 1_780_000_000_000)

    private static func complete(_ history: History) -> History {
        var history = history
        history.coverage = Coverage(level: .complete, asOf: now)
        return history
    }

    private static func subject(
        _ name: String, _ facts: SubjectFacts, _ signals: [String: FactValue] = ["a": .number(1)]
    ) -> SmallSubject {
        let offer = Offer(
            id: "offer", type: .promotional, delivery: .signature, offerIdentifier: "offer",
            products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
            limits: [])
        return SmallSubject(
            name: name,
            question: Question(
                now: now, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
                productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001", signals: signals,
                groupProducts: ["com.example.pro.monthly"], offers: [offer]), facts: facts)
    }

    enum Change: CaseIterable {
        case renews, cancelled, trial, shared, free, retry, grace, revoked, unknown, changing

        func history(boughtDaysAgo days: Int64) -> History {
            let bought = now.adding(milliseconds: -days * Instant.Duration.day)
            let transaction = Transaction.fixture("1", purchased: bought) { change in
                switch self {
                case .trial:
                    change.offerType = .introductory
                    change.offerDiscountType = .freeTrial
                    change.price = 0
                case .shared: change.inAppOwnershipType = .familyShared
                case .free: change.price = 0
                case .revoked: change.revocationDate = bought.adding(milliseconds: Instant.Duration.hour)
                case .renews, .cancelled, .retry, .grace, .unknown, .changing: break
                }
            }
            var history = History(
                transactions: [
                    Recorded(payload: transaction, payloadBytes: [1], provenance: .serverAPI, sequence: 1)
                ], coverage: Coverage(level: .partial))
            guard self != .unknown else { return history }
            let signed = transaction.expiresDate.map { min($0.adding(milliseconds: 1_000), now) } ?? now
            let info = RenewalInfo.fixture("1", signed: signed) { change in
                change.autoRenewStatus = self == .renews || self == .retry || self == .changing ? .on : .off
                change.expirationIntent = change.autoRenewStatus == .off ? .customerCancelled : nil
                change.isInBillingRetryPeriod = self == .retry || self == .grace
                change.gracePeriodExpiresDate =
                    self == .grace ? transaction.expiresDate?.adding(milliseconds: 6 * Instant.Duration.day) : nil
                change.autoRenewProductId = self == .changing ? "com.example.pro.yearly" : "com.example.pro.monthly"
            }
            history.renewalInfos = [
                Recorded(payload: info, payloadBytes: [2], provenance: .serverAPI, sequence: 2)
            ]
            return history
        }
    }
}

/// Conditions that follow from a seed, of comparisons from a list.
struct RandomCondition {
    static let ofSignals: [RuleNode] = ["signals.a", "signals.b"].flatMap { fact in
        let numbers = (1...4).map { FactValue.number(Double($0)) }
        let single: [ComparisonOperator] = [.is, .isNot, .atLeast, .atMost, .moreThan, .lessThan]
        var nodes = single.flatMap { name in numbers.map { comparison(fact, name, [$0]) } }
        nodes += [
            comparison(fact, .between, [.number(2), .number(3)]), comparison(fact, .in, [.number(1), .number(3)]),
            comparison(fact, .notIn, [.number(2), .number(4)]), comparison(fact, .is, [.text("x")]),
            comparison(fact, .isNot, [.text("x")]), comparison(fact, .notIn, [.text("x"), .text("y")]),
            comparison(fact, .is, [.boolean(true)]), comparison(fact, .isNot, [.boolean(true)]),
            comparison(fact, .exists, [.boolean(true)]), comparison(fact, .exists, [.boolean(false)]),
        ]
        return nodes
    }

    static let mixed: [RuleNode] =
        SubscriptionStateName.allCases.map { comparison("subscription.state", .is, [.text($0.rawValue)]) }
        + [
            comparison("subscription.state", .in, [.text("expired"), .text("subscribed")]),
            comparison("subscription.state", .notIn, [.text("expired"), .text("revoked")]),
            comparison("subscription.daysUntilExpiry", .atMost, [.number(3)]),
            comparison("subscription.daysUntilExpiry", .atLeast, [.number(20)]),
            comparison("subscription.daysSinceExpired", .atLeast, [.number(30)]),
            comparison("subscription.daysSinceExpired", .lessThan, [.number(5)]),
            comparison("subscription.daysSinceExpired", .between, [.number(3), .number(28)]),
            comparison("subscription.monthsSinceExpired", .atLeast, [.number(1)]),
            comparison("subscription.monthsSinceExpired", .is, [.number(0)]),
            comparison("subscription.isInTrial", .is, [.boolean(true)]),
            comparison("subscription.isInTrial", .is, [.boolean(false)]),
            comparison("subscription.everInGroup", .is, [.boolean(true)]),
            comparison("subscription.everInGroup", .is, [.boolean(false)]),
            comparison("subscription.willAutoRenew", .is, [.boolean(true)]),
            comparison("subscription.willAutoRenew", .is, [.boolean(false)]),
            comparison("subscription.paidMonths", .atLeast, [.number(1)]),
            comparison("subscription.paidPeriods", .atMost, [.number(0)]),
            comparison("subscription.expirationIntent", .is, [.text("customerCancelled")]),
            comparison("subscription.pendingProductId", .is, [.text("com.example.pro.yearly")]),
            comparison("subscription.pendingProductId", .exists, [.boolean(false)]),
            comparison("subscription.productId", .isNot, [.text("com.example.pro.monthly")]),
            comparison("subscription.offerType", .is, [.text("introductory")]),
            comparison("subscription.offerType", .exists, [.boolean(false)]),
            comparison("subscription.startedAt", .atLeast, [.instant(SmallSubjects.now.adding(months: -1))]),
            comparison("signals.a", .is, [.number(1)]),
        ]

    private var generator: SeededGenerator
    private let comparisons: [RuleNode]

    init(seed: UInt64, comparisons: [RuleNode]) {
        generator = SeededGenerator(seed: seed)
        self.comparisons = comparisons
    }

    mutating func node(depth: Int) -> RuleNode {
        guard depth > 0, Int.random(in: 0..<100, using: &generator) < 75 else {
            return comparisons[Int.random(in: comparisons.indices, using: &generator)]
        }
        let children = (0..<Int.random(in: 1...4, using: &generator)).map { _ in node(depth: depth - 1) }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0..<3: return .all(children)
        case 3, 4: return .any(children)
        default: return .not(children[0])
        }
    }

    private static func comparison(_ fact: String, _ name: ComparisonOperator, _ operands: [FactValue]) -> RuleNode {
        .comparison(Comparison(fact: fact, comparisonOperator: name, operands: operands))
    }
}

extension Constraint {
    /// The constraint as a condition again.
    fileprivate var node: RuleNode {
        switch self {
        case .all(let children, _): .all(children.map(\.node))
        case .any(let children, _): .any(children.map(\.node))
        case .comparison(let claim):
            claim.holds ? .comparison(claim.comparison) : .not(.comparison(claim.comparison))
        }
    }
}
