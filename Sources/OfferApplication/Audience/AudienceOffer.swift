import OfferAPI
import OfferModel
import OfferStore

/// One offer by one catalog, about which many customers of one snapshot are asked: each as a dry-run by support that
/// names them by what Apple signs, for the offer's first product and without signals (invariant 4).
struct AudienceOffer {
    /// A snapshot without a customer, with what everyone together has used.
    private(set) var base: Snapshot
    let offer: CompiledOffer
    private let question: Question
    private let number: ScopeNumber
    private let policy: Policy

    /// - Throws: `productRequired` for an offer without products.
    init(
        _ offer: CompiledOffer, in base: Snapshot, number: ScopeNumber, formats: Set<SignatureFormat>, policy: Policy,
        _ transaction: any StoreTransaction
    ) throws {
        guard let product = offer.offer.products.first else {
            throw RequestError.productRequired(offerId: offer.offer.id, products: [])
        }
        self.base = base
        self.offer = offer
        self.number = number
        self.policy = policy
        question = base.question(offer, productId: product, formats: formats)
        try self.base.readUses(of: [question], policy: policy, transaction)
    }

    /// The question about one customer.
    ///
    /// - Parameters:
    ///   - known: the customer's facts at the instant that is decided at.
    ///   - present: those of now, in which an issued offer may be that counts for limits.
    func ask(
        _ customer: CustomerNumber, known: SubjectFacts, present: SubjectFacts, _ transaction: any StoreTransaction
    ) throws -> (question: Question, subject: PreparedSubject) {
        var (facts, question) = (known, question)
        facts.counters = base.facts.counters
        guard present.issuedOffers.contains(where: { offer.offer.has($0.offerId) }) else {
            return (question, PreparedSubject(facts, policy: policy))
        }
        // Few customers hold the offer already, so they are asked about one by one.
        var snapshot = base
        snapshot.subject = NamedCustomers(customers: [customer])
        snapshot.facts = facts
        snapshot.openIssuedOffers = try Snapshot.openIssuedOffers(
            among: facts.issuedOffers, of: offer.offer.ids, at: base.now,
            signedBy: base.now == base.present ? .distantFuture : base.now, in: number, transaction)
        try snapshot.readUses(of: [question], policy: policy, transaction)
        let subject = PreparedSubject(snapshot.facts, policy: policy)
        question.needsNewSigning = try snapshot.needsNewSigning(
            question, named: CustomerIdentifiers(), policy: policy, about: subject)
        return (question, subject)
    }

    /// The same question with a condition in place of the offer's own.
    func question(_ asked: Question, condition: CompiledOffer) -> Question {
        var question = asked
        question.compiledOffer = condition
        return question
    }

    /// The most that the offer costs one customer, and what its limits leave for all of them, in milliunits.
    var cost: (each: Money, left: Int64?)? {
        guard let each = question.cost, let counters = base.facts.counters[offer.offer.id] ?? noLimits else {
            return nil
        }
        var left: Int64?
        for limit in offer.sharedLimits {
            guard let use = limit.use(question, counters: counters, open: nil, at: base.now) else { continue }
            let rest = max(0, limit.allowed.saturatingSubtracting(use.taken))
            let money = limit.unit == .places ? rest.saturatingMultiplied(by: each.milliunits) : rest
            left = min(left ?? money, money)
        }
        return (each, left)
    }

    private var noLimits: OfferCounters? { offer.sharedLimits.isEmpty ? OfferCounters(asOf: base.now) : nil }
}
