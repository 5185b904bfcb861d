import OfferAPI
import OfferDocuments
import OfferModel
import OfferStore

/// What a simulation asks, with its documents read, before any database is held for it.
struct AudienceInquiry: Sendable {
    let scope: Scope
    let request: SimulationRequest
    let whatIf: ResolvedWhatIf
    let formats: Set<SignatureFormat>
}

/// Counts all customers of a scope in one snapshot.
struct AudienceCounting {
    private let pages: CustomerPages
    private let offer: AudienceOffer
    /// The same offer with the condition of `where` for its own.
    private let condition: CompiledOffer?
    /// By the catalog that is compared with; without a value if that has no such offer.
    private let compared: AudienceOffer??
    /// What it counts, as the result says it.
    private var basis = SimulationResult()
    private let now: Instant
    private let isTurned: Bool
    private let transaction: any StoreTransaction

    private static let samples = 10

    /// - Throws: ``RequestError`` at what cannot be counted, and ``StoreError``.
    init(
        _ inquiry: AudienceInquiry, catalogs: CompiledCatalogs, policy: Policy, clock: RequestClock,
        _ transaction: any StoreTransaction
    ) throws {
        let (scope, request) = (inquiry.scope, inquiry.request)
        let present = try Snapshot.read(
            CustomerIdentifiers(), signed: [], scope: scope, clock: clock, catalogs: catalogs,
            openIssuedOffersOf: [], transaction)
        guard let number = present.number else { throw RequestError.noCatalog(scope) }
        let base = try present.supposing(inquiry.whatIf, catalogs: catalogs, policy: policy, transaction)
        guard let offer = base.compiledCatalog.compiledOffer(request.offerId) else {
            throw base.catalog.subscriptionGroups.isEmpty
                ? RequestError.noCatalog(scope) : RequestError.unknownOffer(request.offerId)
        }
        guard offer.offer.id == request.offerId else {
            throw RequestError.renamedOffer(request.offerId, to: offer.offer.id)
        }
        self.offer = try AudienceOffer(
            offer, in: base, number: number, formats: inquiry.formats, policy: policy, transaction)
        basis.where = request.where
        basis.catalogRevision = request.catalog == nil ? base.catalogRevision : nil
        condition = try request.where.map { text in
            var probe = offer.offer
            probe.eligibility = try ConditionText.condition(text, in: base.catalog)
            return CompiledOffer(probe)
        }
        var comparedRevision: Int?
        compared = try request.compareWith.map { compared in
            var other = base
            switch compared {
            case .inForce:
                (other.catalogRevision, other.compiledCatalog) = (present.catalogRevision, present.compiledCatalog)
            case .revision(let revision):
                try other.take(revision: Int64(revision), in: number, catalogs: catalogs, transaction)
            }
            return try offer.offer.ids.reversed().lazy.compactMap(other.compiledCatalog.compiledOffer).first.map {
                comparedRevision = other.catalogRevision
                return try AudienceOffer(
                    $0, in: other, number: number, formats: inquiry.formats, policy: policy, transaction)
            }
        }
        basis.comparedRevision = comparedRevision
        pages = CustomerPages(transaction, scope: number)
        now = base.now
        isTurned = request.asOf != nil
        self.transaction = transaction
    }

    /// Counts everyone.
    ///
    /// - Parameters:
    ///   - progress: called after each page; what it throws ends the count.
    ///   - pause: called every few customers, so that others come to their turn.
    func run(_ progress: (_ done: Int, _ of: Int) throws -> Void, pause: () -> Void) throws -> KeptAudience {
        var tally = AudienceTally(of: offer.offer.offer, at: now)
        var kept = KeptAudience()
        kept.result = basis
        kept.hasRollout = offer.offer.offer.rollout != nil
        var (eligible, gains, losses): ([CustomerNumber], [CustomerNumber], [CustomerNumber]) = ([], [], [])
        let total = try pages.count()
        var (done, last): (Int, CustomerNumber?) = (0, nil)
        while true {
            try progress(done, total)
            let page = try pages.page(after: last)
            let facts = try pages.facts(of: page)
            if isTurned { try askBeforeTurning(page, facts) }
            for (place, (member, present)) in zip(page, facts).enumerated() {
                if place % 32 == 31 { pause() }
                let customer = member.customer
                let known = isTurned ? try present.turned(to: now, of: [customer], transaction) : present
                let (question, subject) = try offer.ask(customer, known: known, present: present, transaction)
                if let condition {
                    switch subject.conditionVerdict(offer.question(question, condition: condition)) {
                    case .satisfied, .notApplicable, .lifted: break
                    case .undetermined:
                        kept.undeterminedWhere += 1
                        continue
                    case .violated: continue
                    }
                }
                let (decision, opens) = decideForCount(question, about: subject)
                tally.add(decision, opens: opens)
                let isEligible = decision.outcome == .eligible
                if isEligible { eligible.keep(customer) }
                guard let compared else { continue }
                let wasEligible = try compared.map { other in
                    let (question, subject) = try other.ask(customer, known: known, present: present, transaction)
                    return decide(question, about: subject).outcome == .eligible
                }
                if isEligible, wasEligible != true {
                    kept.gains += 1
                    gains.keep(customer)
                }
                if !isEligible, wasEligible == true {
                    kept.losses += 1
                    losses.keep(customer)
                }
            }
            done += page.count
            guard page.count == CustomerPages.size else { break }
            last = page.last?.customer
        }
        try progress(done, max(done, total))
        kept.fill(tally, at: now, cost: offer.cost)
        (kept.offerId, kept.isCompared) = (offer.offer.offer.id, compared != nil)
        kept.samples = try chosen(among: eligible)
        kept.gainSamples = try chosen(among: gains)
        kept.lossSamples = try chosen(among: losses)
        return kept
    }

    private func askBeforeTurning(_ page: [CustomerPages.Member], _ facts: [SubjectFacts]) throws {
        try transaction.expect { transaction in
            for (member, facts) in zip(page, facts) {
                _ = try facts.turned(to: now, of: [member.customer], transaction)
            }
        }
    }

    /// The first of them, those that the app has named before others.
    private func chosen(among candidates: [CustomerNumber]) throws -> [Int64] {
        let named = try pages.named(among: candidates)
        let ordered = candidates.filter(named.contains) + candidates.filter { !named.contains($0) }
        return ordered.prefix(Self.samples).map(\.rawValue)
    }
}

extension [CustomerNumber] {
    /// Keeps the first few: samples are chosen among them.
    fileprivate mutating func keep(_ customer: CustomerNumber) {
        if count < CustomerPages.size { append(customer) }
    }
}

extension ConditionText {
    /// A condition that a request gives.
    ///
    /// - Throws: `invalidRequest` at `where`, with the first fault.
    static func condition(_ text: String, in catalog: Catalog) throws(RequestError) -> RuleNode {
        do throws(InvalidDocument) {
            return try read(text, in: catalog)
        } catch {
            let first = error.errors.first
            throw .invalidRequest(
                pointer: "/where", detail: first?.inLine ?? "the condition cannot be read", hint: first?.hint)
        }
    }
}
