import OfferAPI
import OfferDocuments
package import OfferModel
import OfferStore

/// The result of a simulation as it is kept: exact numbers, and customers by the store's numbers, so that an erasure
/// leaves nothing of theirs in it but what the condition itself named.
struct KeptAudience: WireObject {
    var offerId: OfferId = ""
    var result = SimulationResult()
    var hasRollout = false
    var isCompared = false
    var undeterminedWhere = 0
    var gains = 0
    var losses = 0
    var samples: [Int64] = []
    var gainSamples: [Int64] = []
    var lossSamples: [Int64] = []
    /// What the offer costs one customer, in milliunits.
    var costOfOne: Int64?
    /// What the offer's limits leave for all of them, in milliunits.
    var costLeft: Int64?
    var currency: String?

    mutating func visit(_ members: inout some MemberVisitor) {
        members.optional("costLeft", &costLeft)
        members.optional("costOfOne", &costOfOne)
        members.optional("currency", &currency)
        members.required("gainSamples", &gainSamples)
        members.required("gains", &gains)
        members.required("hasRollout", &hasRollout)
        members.required("isCompared", &isCompared)
        members.required("lossSamples", &lossSamples)
        members.required("losses", &losses)
        members.required("offerId", &offerId)
        members.required("result", &result)
        members.required("samples", &samples)
        members.required("undeterminedWhere", &undeterminedWhere)
    }

    mutating func fill(_ tally: AudienceTally, at now: Instant, cost: (each: Money, left: Int64?)?) {
        (costOfOne, costLeft, currency) = (cost?.each.milliunits, cost?.left, cost?.each.currency)
        result.asOf = now
        result.customers = .exactly(tally.customers)
        result.eligible = .exactly(tally.eligible)
        result.ineligible = .exactly(tally.ineligible)
        result.undetermined = .exactly(tally.undetermined)
        result.heldBack = .exactly(tally.heldBack)
        // The most frequent first; the names settle ties.
        result.byRule = tally.rules.sorted {
            ($1.value, $0.key.rule.rawValue, $0.key.fact ?? "", $0.key.verdict.rawValue)
                < ($0.value, $1.key.rule.rawValue, $1.key.fact ?? "", $1.key.verdict.rawValue)
        }.map { rule, count in
            SimulationResult.RuleCount {
                ($0.rule, $0.verdict, $0.fact) = (rule.rule.rawValue, rule.verdict.rawValue, rule.fact)
                $0.count = .exactly(count)
            }
        }
        result.undeterminedBy = tally.reasons.sorted {
            ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
        }.map { reason, count in
            SimulationResult.ReasonCount { ($0.reason, $0.count) = (reason.rawValue, .exactly(count)) }
        }
        let everyone = SimulationResult.WaterfallStep {
            ($0.step, $0.customers) = ("customers", .exactly(tally.customers))
        }
        result.waterfall =
            [everyone]
            + tally.waterfall().map { step in
                SimulationResult.WaterfallStep {
                    $0.step = step.condition.map(ConditionText.line) ?? step.rule.requirement
                    ($0.rule, $0.customers) = (step.rule.rawValue, .exactly(step.customers))
                }
            }
        result.next30Days = tally.becoming.enumerated().map { day, count in
            SimulationResult.DayCount {
                $0.day = TimeText.day(now.adding(milliseconds: Int64(day) * Instant.Duration.day))
                $0.eligible = .exactly(count)
            }
        }
    }

    /// The most that an offer costs if this many customers take it.
    private func ceiling(eligible: Int) -> [SimulationResult.CostCeiling]? {
        guard let costOfOne, let currency else { return nil }
        let all = costOfOne.saturatingMultiplied(by: Int64(eligible))
        let most = min(all, costLeft ?? all)
        return [
            SimulationResult.CostCeiling {
                $0.amount = Money(milliunits: most, currency: currency).amount
                ($0.currency, $0.isCapped) = (currency, most < all)
            }
        ]
    }
}

extension KeptAudience {
    /// The result as a caller may see it, with the customers as they are known now.
    func shown(to role: Role, _ transaction: any StoreTransaction) throws -> SimulationResult {
        let privacy = AudiencePrivacy(role)
        var shown = result
        let (customers, eligible) = (result.customers.number, result.eligible.number)
        shown.customers = privacy.count(customers)
        shown.eligible = privacy.count(eligible)
        shown.ineligible = privacy.count(result.ineligible.number)
        shown.undetermined = privacy.count(result.undetermined.number)
        // None without a rollout, as the catalog says to everyone.
        shown.heldBack = hasRollout ? privacy.count(result.heldBack.number) : .exactly(0)
        if result.where != nil { shown.undeterminedWhere = privacy.count(undeterminedWhere) }
        shown.byRule = result.byRule.compactMap { rule in
            guard privacy.mayTell(rule.count.number) else { return nil }
            var rule = rule
            rule.count = privacy.count(rule.count.number)
            return rule
        }
        shown.undeterminedBy = result.undeterminedBy.compactMap { reason in
            guard privacy.mayTell(reason.count.number) else { return nil }
            var reason = reason
            reason.count = privacy.count(reason.count.number)
            return reason
        }
        shown.waterfall = privacy.waterfall(result.waterfall)
        for day in shown.next30Days.indices {
            shown.next30Days[day].eligible = privacy.count(result.next30Days[day].eligible.number)
        }
        if privacy.mayTell(eligible) {
            shown.costCeiling = ceiling(eligible: privacy.count(eligible).number)
            shown.samples = try privacy.samples(samples, transaction)
        }
        if isCompared {
            shown.gains = try change(gains, gainSamples, privacy, transaction)
            shown.losses = try change(losses, lossSamples, privacy, transaction)
        }
        return shown
    }

    private func change(
        _ customers: Int, _ samples: [Int64], _ privacy: AudiencePrivacy, _ transaction: any StoreTransaction
    ) throws -> SimulationResult.AudienceChange {
        var change = SimulationResult.AudienceChange()
        change.customers = privacy.count(customers)
        if privacy.mayTell(customers) { change.samples = try privacy.samples(samples, transaction) }
        return change
    }
}

/// What a role learns of the customers behind numbers. Support is there to look at single customers. A `marketing` key
/// gets numbers in tens, of fewer than ten only that they are few, and no customer by name: with a condition such as
/// `A or B` a list of those who meet it would tell who meets `A` (docs/audience.md#privacy).
package struct AudiencePrivacy {
    /// The fewest customers that are told apart.
    static let fewest = 10

    package let isLimited: Bool

    package init(_ role: Role) {
        isLimited = role == .marketing
    }

    func mayTell(_ number: Int) -> Bool { !isLimited || number >= Self.fewest }

    /// Rounded, so that no small number follows from the difference of others.
    func count(_ number: Int) -> AudienceCount {
        guard isLimited else { return .exactly(number) }
        guard number >= Self.fewest else { return .fewerThan(Self.fewest) }
        return .exactly((number + Self.fewest / 2) / Self.fewest * Self.fewest)
    }

    /// Without the steps that lose so few that they would point at them.
    func waterfall(_ steps: [SimulationResult.WaterfallStep]) -> [SimulationResult.WaterfallStep] {
        guard isLimited else { return steps }
        var before: Int?
        return steps.compactMap { step in
            let left = step.customers.number
            defer { before = left }
            guard before.map({ mayTell($0 - left) }) ?? true else { return nil }
            var step = step
            step.customers = count(left)
            return step
        }
    }

    func samples(_ numbers: [Int64], _ transaction: any StoreTransaction) throws -> [SampleCustomer] {
        if isLimited { return [] }
        let store = CustomerStore(transaction)
        let customers = numbers.map(CustomerNumber.init(rawValue:))
        let survivors = try customers.isEmpty ? [:] : store.survivors(of: customers)
        var seen = Set<CustomerNumber>()
        return try customers.compactMap { survivors[$0] }.filter { seen.insert($0).inserted }
            .compactMap { try store.customers([$0]).first }.map { customer in
                SampleCustomer {
                    $0.customerId = customer.customerIds.first
                    $0.appAccountToken = customer.appAccountTokens.first
                    $0.appTransactionId = customer.appTransactionIds.first
                    $0.originalTransactionId = customer.originalTransactionIds.first
                }
            }
    }
}

extension AudienceCount {
    var number: Int {
        switch self {
        case .exactly(let number): number
        case .fewerThan: 0
        }
    }
}
