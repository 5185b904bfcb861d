import OfferEligibility
import OfferModel
import OfferStore

/// One customer with all decisions about one offer, whatever order they are added in.
struct CohortMember {
    /// Under which side of the comparison with the holdout somebody is, and since when. It is settled by the first
    /// decision that found everything but the holdout in order, so that a later change of the catalog moves nobody.
    struct Arm {
        var place: Evaluation.Place
        var isTreated: Bool
    }

    /// The customer as they are now.
    let customer: CustomerNumber
    /// When they were first evaluated.
    let firstEvaluated: Instant
    private(set) var isIssued = false
    private(set) var arm: Arm?
    private(set) var wasHeldOut = false
    private(set) var wasOutsideRollout = false
    /// Whether retention has removed why they were refused once: what they were then is not known any more.
    private(set) var hasRemovedRefusal = false
    private(set) var lastRefusal: (place: Evaluation.Place, obstacles: BlockingRules)?

    init(customer: CustomerNumber, firstEvaluated: Instant) {
        self.customer = customer
        self.firstEvaluated = firstEvaluated
    }

    /// Whether every rule but the rollout held at least once.
    var isEligible: Bool { isIssued || wasHeldOut || wasOutsideRollout }

    /// Why the offer was never issued; `nil` if it was.
    var refusal: RefusalKind? {
        if isIssued { return nil }
        if wasHeldOut { return .heldOut }
        if wasOutsideRollout { return .notInRollout }
        guard let lastRefusal else { return .removed }
        return lastRefusal.obstacles.kind ?? .undetermined
    }

    /// Takes one decision into account.
    ///
    /// - Throws: ``StoreError/corrupt(_:)`` if what was recorded cannot be read.
    mutating func add(_ evaluation: Evaluation) throws {
        guard case .refused(let record) = evaluation.answer else {
            isIssued = true
            settleArm(evaluation.place, isTreated: true)
            return
        }
        guard let record else {
            hasRemovedRefusal = true
            return
        }
        let obstacles = BlockingRules(try DecisionRecord(stored: record).findings)
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
