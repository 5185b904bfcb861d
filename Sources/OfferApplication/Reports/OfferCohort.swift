import OfferModel
import OfferStore

/// The customers first evaluated for an offer in a range of time, one after the other and never all at once: what it
/// holds of them is one page of numbers and one customer's decisions.
struct OfferCohort {
    let offerId: OfferId
    let range: Range<Instant>
    let scope: ScopeNumber
    let transaction: any StoreTransaction

    private static let pageSize = 256

    /// Gives every member to the body, merged customers as one.
    func forEach(_ body: (CohortMember) throws -> Void) throws {
        let evaluations = EvaluationStore(transaction)
        let customers = CustomerStore(transaction)
        var last: CustomerNumber?
        while true {
            let page = try evaluations.evaluated(for: offerId, after: last, limit: Self.pageSize, in: scope)
            let survivors = try customers.survivors(of: page.map(\.customer))
            let merged = try customers.merged(into: Set(survivors.values).sorted())
            for entry in page {
                let survivor = survivors[entry.customer] ?? entry.customer
                let one = try OneCustomer(entry, survivor, merged[survivor] ?? [], of: self, evaluations)
                if let one, range.contains(one.first) { try body(try member(one, evaluations)) }
            }
            guard page.count == Self.pageSize else { return }
            last = page.last?.customer
        }
    }

    /// A customer under every number they were evaluated under.
    private struct OneCustomer {
        var survivor: CustomerNumber
        var numbers: [CustomerNumber]
        var first: Instant

        /// `nil` if they come under another of their numbers: each customer comes once, under the smallest.
        init?(
            _ entry: FirstEvaluation, _ survivor: CustomerNumber, _ merged: [CustomerNumber], of cohort: OfferCohort,
            _ evaluations: EvaluationStore
        ) throws {
            self.survivor = survivor
            numbers = [entry.customer]
            first = entry.decidedAt
            for number in [survivor] + merged where number != entry.customer {
                guard let other = try evaluations.first(of: number, for: cohort.offerId, in: cohort.scope) else {
                    continue
                }
                guard number > entry.customer else { return nil }
                numbers.append(number)
                first = min(first, other)
            }
        }
    }

    private func member(_ one: OneCustomer, _ evaluations: EvaluationStore) throws -> CohortMember {
        var member = CohortMember(customer: one.survivor, firstEvaluated: one.first)
        for number in one.numbers {
            var last: Evaluation.Place?
            while true {
                let page = try evaluations.evaluations(
                    of: number, for: offerId, after: last, limit: Self.pageSize, in: scope)
                for evaluation in page { try member.add(evaluation) }
                guard page.count == Self.pageSize else { break }
                last = page.last?.place
            }
        }
        return member
    }
}

/// One customer with all decisions about one offer, whatever order they are added in.
struct CohortMember {
    /// The customer's side of the comparison with the holdout, and since when. The first decision that found everything
    /// but the holdout in order settles it, so a later change of the catalog does not move the customer.
    struct Arm {
        var place: Evaluation.Place
        var isTreated: Bool
    }

    /// The customer as they are now.
    let customer: CustomerNumber
    let firstEvaluated: Instant
    private(set) var isIssued = false
    /// How many offers a grant of support gave them, which say nothing of the offer's own terms.
    private(set) var granted = 0
    private(set) var arm: Arm?
    private(set) var wasHeldOut = false
    private(set) var wasOutsideRollout = false
    /// Whether retention has removed why they were refused once: what they were then is not known any more.
    private(set) var hasRemovedRefusal = false
    private(set) var lastRefusal: (place: Evaluation.Place, obstacles: BlockingRules)?
    private var first: (place: Evaluation.Place, placement: String?)?

    init(customer: CustomerNumber, firstEvaluated: Instant) {
        self.customer = customer
        self.firstEvaluated = firstEvaluated
    }

    /// Where in the app the first request asked; `nil` if it did not say, or its record was removed.
    var placement: String? { first?.placement }

    /// Whether every rule but the rollout held at least once.
    var isEligible: Bool { isIssued || wasHeldOut || wasOutsideRollout }

    /// Why the offer was never issued; `nil` if it was.
    var refusal: RefusalKind? {
        if isIssued || (granted > 0 && lastRefusal == nil && !hasRemovedRefusal) { return nil }
        if wasHeldOut { return .heldOut }
        if wasOutsideRollout { return .notInRollout }
        guard let lastRefusal else { return .removed }
        return lastRefusal.obstacles.kind ?? .undetermined
    }

    /// Takes one decision into account.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if what was recorded cannot be read.
    mutating func add(_ evaluation: Evaluation) throws {
        let isFirst = first.map { evaluation.place < $0.place } ?? true
        guard case .refused(let stored) = evaluation.answer else {
            if case .issued(let stored, let isGranted) = evaluation.answer {
                if isGranted { granted += 1 } else { isIssued = true }
                if !isGranted { settleArm(evaluation.place, isTreated: true) }
                guard isFirst else { return }
                first = (evaluation.place, try stored.flatMap { try DecisionRecord(stored: $0).request.placement })
            }
            return
        }
        let record = try stored.map { try DecisionRecord(stored: $0) }
        if isFirst { first = (evaluation.place, record?.request.placement) }
        guard let record else {
            hasRemovedRefusal = true
            return
        }
        let obstacles = BlockingRules(record.findings)
        switch obstacles.kind {
        case .heldOut:
            wasHeldOut = true
            settleArm(evaluation.place, isTreated: false)
        case .notInRollout: wasOutsideRollout = true
        default: break
        }
        if lastRefusal.map({ $0.place < evaluation.place }) ?? true {
            lastRefusal = (evaluation.place, obstacles)
        }
    }

    private mutating func settleArm(_ place: Evaluation.Place, isTreated: Bool) {
        guard arm.map({ place < $0.place }) ?? true else { return }
        arm = Arm(place: place, isTreated: isTreated)
    }
}
