/// A subject prepared for many questions: what several of them need is derived once.
///
/// It answers exactly as the facts alone do (invariant 4). It belongs to the one request it was made for: it keeps what
/// it derived and is not to be shared between tasks.
public final class PreparedSubject {
    let past: SubscriptionHistory
    let policy: Policy
    /// By the instant, for the other offers that ask at the same.
    private var subjects: [Instant: [SubjectAtInstant]] = [:]
    /// Those that have derived the states of a group: they hold at later instants too.
    private var derived: [SubjectAtInstant] = []
    private var uses: [(lengths: OfferLengths, takesHistoryAsProven: Bool, uses: KnownUses)] = []
    private var catalogUses: [(catalog: CompiledCatalog, uses: KnownUses, found: CatalogUses)] = []

    /// How many instants are kept: each offer may look ahead to some of its own.
    private static let mostInstants = 256

    public init(_ facts: SubjectFacts, policy: Policy = .standard) {
        past = SubscriptionHistory(facts)
        self.policy = policy
    }

    public var facts: SubjectFacts { past.facts }

    func context(_ question: Question, coverage: Coverage? = nil) -> RuleContext {
        let asked = asked(question, coverage: coverage ?? past.facts.history.coverage)
        return RuleContext(
            question: question, subject: asked.subject, catalog: catalogUses(question, asked.subject.uses),
            policy: policy, judged: &asked.judged)
    }

    private func asked(_ question: Question, coverage: Coverage) -> SubjectAtInstant {
        let uses = uses(question)
        let isComplete = coverage.isProof(at: question.now, life: policy.coverageLife)
        let environment = question.scope.environment
        func isAlike(_ other: SubjectAtInstant) -> Bool {
            other.environment == environment && other.subject.isComplete == isComplete
                && other.subject.groupProducts == question.groupProducts
                && other.subject.requested?.group == question.subscriptionGroupIdentifier
        }
        let known = subjects[question.now]?.last {
            isAlike($0) && $0.subject.uses === uses && $0.signals == question.signals && $0.request == question.request
        }
        if let known { return known }
        let earlier = derived.first { isAlike($0) && $0.subject.timeline?.hasBegun(at: question.now) == true }
        let subject = Subject(
            past, at: question.now, coverage: coverage, policy: policy.scaled(for: environment), uses: uses,
            group: question.subscriptionGroupIdentifier, groupProducts: question.groupProducts,
            earlier: earlier?.subject)
        let asked = SubjectAtInstant(
            subject: subject, environment: environment, signals: question.signals, request: question.request)
        if subjects.count >= Self.mostInstants { subjects.removeAll() }
        subjects[question.now, default: []].append(asked)
        if earlier == nil { derived.append(asked) }
        return asked
    }

    private func uses(_ question: Question) -> KnownUses {
        let lengths = question.catalog.lengths(preferring: question.compiledOffer)
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
            $0.uses === uses && $0.catalog == question.catalog
        }
        if let known { return known.found }
        let found = CatalogUses(question.catalog, uses: uses)
        catalogUses.append((question.catalog, uses, found))
        return found
    }
}

/// A subject at an instant, what the backend says of it, and what conditions came to.
private final class SubjectAtInstant {
    let subject: Subject
    let environment: AppStoreEnvironment
    let signals: [String: FactValue]
    let request: DeviceRequest
    var judged = JudgedNodes()

    init(
        subject: Subject, environment: AppStoreEnvironment, signals: [String: FactValue], request: DeviceRequest
    ) {
        self.subject = subject
        self.environment = environment
        self.signals = signals
        self.request = request
    }
}
