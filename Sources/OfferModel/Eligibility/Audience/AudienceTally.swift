/// Counts the decisions about many customers for one offer: how many would get it, and what keeps the others from it.
///
/// It takes decisions of ``decide(_:about:)`` as they are and judges nothing itself (invariant 4). Its size does not
/// grow with the customers.
public struct AudienceTally: Sendable {
    /// How many days ahead are counted.
    public static let days = 30

    public private(set) var eligible = 0
    public private(set) var ineligible = 0
    public private(set) var undetermined = 0
    /// Of the ineligible, those kept from the offer by nothing but the rollout or the holdout.
    public private(set) var heldBack = 0
    /// By the rules that decided, how many customers each kept from the offer; several may have decided for one.
    public private(set) var rules: [BlockingRule: Int] = [:]
    /// Of the undetermined, how many for each reason.
    public private(set) var reasons: [ReasonCode: Int] = [:]
    /// From the day of the question on, how many become eligible on each day in UTC by time alone.
    public private(set) var becoming = Array(repeating: 0, count: days)
    private var removed: [Place: Int] = [:]
    private let offer: Offer
    private let today: Int64

    /// Where customers are lost: a rule, and of a condition that is an `all` the part of it.
    private struct Place: Hashable, Comparable {
        var finding: Int
        var child: Int?

        static func < (left: Place, right: Place) -> Bool {
            (left.finding, left.child ?? 0) < (right.finding, right.child ?? 0)
        }
    }

    public init(of offer: Offer, at now: Instant) {
        self.offer = offer
        today = now.dayNumber
    }

    public var customers: Int { eligible + ineligible + undetermined }

    /// Counts one customer.
    ///
    /// - Parameter opens: when time alone makes the offer available to them; `nil` if it does not.
    public mutating func add(_ decision: Decision, opens: Instant? = nil) {
        switch decision.outcome {
        case .eligible:
            eligible += 1
            return
        case .ineligible: ineligible += 1
        case .undetermined: undetermined += 1
        }
        let blocking = BlockingRules(decision.blockingFindings.map(RuleAnswer.init))
        for rule in blocking.deciding { rules[rule, default: 0] += 1 }
        if blocking.kind == .heldOut || blocking.kind == .notInRollout { heldBack += 1 }
        if decision.outcome == .undetermined {
            for reason in Set(decision.blockingFindings.map(\.reason)) { reasons[reason, default: 0] += 1 }
        }
        if let place = place(in: decision) { removed[place, default: 0] += 1 }
        guard let opens else { return }
        let day = opens.dayNumber - today
        if (0..<Int64(Self.days)).contains(day) { becoming[Int(day)] += 1 }
    }

    private func place(in decision: Decision) -> Place? {
        guard let finding = decision.findings.indices.first(where: { decision.findings[$0].verdict.isInTheWay }) else {
            return nil
        }
        guard decision.findings[finding].rule == .ruleEligibility, case .all? = offer.eligibility else {
            return Place(finding: finding)
        }
        return Place(
            finding: finding, child: decision.findings[finding].children?.firstIndex { $0.verdict.isInTheWay })
    }

    /// A step of the waterfall: what was asked, and who is left after it.
    public struct Step: Sendable, Hashable {
        public var rule: RuleId
        /// The part of the offer's own condition that is asked.
        public var condition: RuleNode?
        public var customers: Int
    }

    /// The steps that lose someone, in the order of the policy. Each customer is lost at the first rule in the way, so
    /// the last step leaves the eligible.
    public func waterfall(_ policy: Policy = .standard) -> [Step] {
        let rules = policy.rules.filter { $0.concerns(offer) }.map(\.id)
        var left = customers
        return removed.sorted { $0.key < $1.key }.compactMap { place, lost in
            guard rules.indices.contains(place.finding) else { return nil }
            left -= lost
            var step = Step(rule: rules[place.finding], customers: left)
            if case .all(let parts)? = offer.eligibility, let child = place.child, parts.indices.contains(child) {
                step.condition = parts[child]
            } else if step.rule == .ruleEligibility {
                step.condition = offer.eligibility
            }
            return step
        }
    }
}

extension Instant {
    /// Days in UTC since 1970.
    public var dayNumber: Int64 {
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: Duration.day)
        return rest < 0 ? days - 1 : days
    }
}

/// Decides for a count: whether the customer would get the offer, and if not, when time alone changes that.
///
/// The same as ``decideAhead(_:about:)``, without the end of what is eligible now, which a count has no use for.
public func decideForCount(
    _ question: Question, about subject: PreparedSubject
) -> (decision: Decision, opens: Instant?) {
    let context = subject.context(question)
    let decision = Decision(context)
    guard decision.outcome != .eligible else { return (decision, nil) }
    return (decision, decision.outlook(context, about: subject).changesAt)
}

extension PreparedSubject {
    /// Whether the condition of the question's offer holds, whatever its other rules say; satisfied without one.
    public func conditionVerdict(_ question: Question) -> Verdict {
        context(question).condition?.finding.verdict ?? .satisfied
    }
}
