import OfferModel

/// A subject prepared for many questions: what several of them need is derived once.
///
/// It answers exactly as the facts alone do (invariant 4). It belongs to the one request it was made for: it keeps what
/// it derived and is not to be shared between tasks.
public final class PreparedSubject {
    let past: SubjectPast
    let policy: Policy
    private var subjects: [Instant: [Subject]] = [:]
    private var uses: [(lengths: OfferLengths, takesHistoryAsProven: Bool, uses: KnownUses)] = []
    private var catalog: (offers: [Offer], lengths: OfferLengths)?
    private var catalogUses: [(question: Question, uses: KnownUses, found: CatalogUses)] = []

    /// Prepares what is known of a subject.
    public init(_ facts: SubjectFacts, policy: Policy = .standard) {
        past = SubjectPast(facts)
        self.policy = policy
    }

    /// What is known of the subject.
    public var facts: SubjectFacts { past.facts }

    func context(_ question: Question, coverage: Coverage? = nil) -> RuleContext {
        let subject = subject(question, coverage: coverage ?? past.facts.history.coverage)
        return RuleContext(
            question: question, subject: subject, catalog: catalogUses(question, subject.uses), policy: policy)
    }

    private func subject(_ question: Question, coverage: Coverage) -> Subject {
        let uses = uses(question)
        let isComplete = coverage.isProof(at: question.now, life: policy.coverageLife)
        let known = subjects[question.now]?.first {
            $0.uses === uses && $0.isComplete == isComplete && $0.groupProducts == question.groupProducts
                && $0.asked?.group == question.subscriptionGroupIdentifier
        }
        if let known { return known }
        let subject = Subject(
            past, at: question.now, coverage: coverage, policy: policy, uses: uses,
            group: question.subscriptionGroupIdentifier, groupProducts: question.groupProducts)
        subjects[question.now, default: []].append(subject)
        return subject
    }

    private func uses(_ question: Question) -> KnownUses {
        let lengths = lengths(question.offers).preferring(question.offer)
        let known = uses.first {
            $0.takesHistoryAsProven == question.takesHistoryAsProven && $0.lengths == lengths
        }
        if let known { return known.uses }
        let found = KnownUses(past, lengths: lengths, takesHistoryAsProven: question.takesHistoryAsProven)
        uses.append((lengths, question.takesHistoryAsProven, found))
        return found
    }

    private func catalogUses(_ question: Question, _ uses: KnownUses) -> CatalogUses {
        let known = catalogUses.first {
            $0.uses === uses && $0.question.offers == question.offers
                && $0.question.offerGroups == question.offerGroups
        }
        if let known { return known.found }
        let found = CatalogUses(question.offers, groups: question.offerGroups, uses: uses)
        catalogUses.append((question, uses, found))
        return found
    }

    /// Questions of one request share their catalog, so that comparing its offers costs nothing.
    private func lengths(_ offers: [Offer]) -> OfferLengths {
        if let catalog, catalog.offers == offers { return catalog.lengths }
        let lengths = OfferLengths(offers)
        catalog = (offers, lengths)
        return lengths
    }
}
