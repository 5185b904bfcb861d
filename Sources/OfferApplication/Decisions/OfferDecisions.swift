public import OfferAPI
import OfferModel
import OfferStore

/// Decides without a trace: the dry-run. It reads one snapshot, calls the same function as issuing does and writes
/// nothing (invariant 4).
public struct OfferDecisions: Sendable {
    let registry: AppRegistry
    let database: any StoreDatabase
    let ingestion: HistoryIngestion
    let catalogs: CompiledCatalogs
    let policy: Policy
    let clock: RequestClock
    let rates: RequestRates
    let metrics: ServiceMetrics
    let shares: LongWorkShares

    private static let offersInATurn = 16

    /// Decides the offers asked for.
    ///
    /// - Throws: ``RequestError``, `busy` among them where too many others wait to suppose something too.
    public func decide(_ inquiry: Inquiry, caller: Caller) async throws -> InquiryAnswer {
        try rates.take([inquiry.named], by: caller)
        let received = try await ingestion.verifyWhole(inquiry.delivery, caller: caller)
        let (verified, customer) = try caller.customer(named: inquiry.named, in: received)
        var asked = inquiry
        asked.customer = customer
        let inquiry = asked
        guard inquiry.supposes else { return try await answer(inquiry, verified, caller: caller) }
        return try await shares.suppositions.run { try await answer(inquiry, verified, caller: caller) }
    }

    private func answer(
        _ inquiry: Inquiry, _ verified: VerifiedDelivery, caller: Caller
    ) async throws -> InquiryAnswer {
        let formats = caller.formats(of: try registry.app(for: caller.scope))
        let whatIf = try await ResolvedWhatIf(inquiry, scope: caller.scope, checking: shares.catalogs)
        let read = { @Sendable (transaction: any StoreTransaction) in
            var sought = inquiry.named
            // An issue request would store the data first, and then no alias would find another customer.
            if verified.namesCustomer { (sought.appAccountToken, sought.customerId) = (nil, nil) }
            var snapshot = try Snapshot.read(
                sought, signed: verified.identifying, scope: caller.scope, clock: clock, catalogs: catalogs,
                openIssuedOffersOf: inquiry.supposes ? nil : inquiry.offerIds, transaction
            ).supposing(whatIf, catalogs: catalogs, policy: policy, transaction)
            snapshot.signUp = caller.signUp(inquiry.named)
            // Issuing would store the customer first, under this key.
            if snapshot.subject.customers.isEmpty, let key = verified.rolloutKey { snapshot.facts.rolloutKey = key }
            // Issuing would refuse it too.
            if let number = snapshot.number {
                try snapshot.subject.requireOwn(inquiry.named.aliases, in: number, transaction)
            }
            try caller.requireStatable(inquiry.signals, in: snapshot.catalog)
            let questions = try Self.offers(inquiry, snapshot, caller).map { offer in
                snapshot.question(
                    offer, productId: try Self.product(inquiry, offer.offer), signals: inquiry.signals,
                    request: inquiry.request, formats: formats)
            }
            try snapshot.readUses(of: questions, policy: policy, transaction)
            return (snapshot, questions)
        }
        // What is supposed may take every row there is.
        let isQuick = !inquiry.supposes
        let (snapshot, questions) = try await isQuick ? database.readInline(read) : database.read(read)
        try rates.take(snapshot.subject.customers, by: caller)
        // As between the steps of issuing (docs/decisions/0060).
        await Task.yield()
        let subject = PreparedSubject(snapshot.facts, policy: policy)
        var candidates: [Choice.Candidate] = []
        var decisions: [OfferDecision] = []
        decisions.reserveCapacity(questions.count)
        for var question in questions {
            // Others wait for the same threads; a dry-run of many offers must not keep them from issuing.
            if decisions.count % Self.offersInATurn == Self.offersInATurn - 1 { await Task.yield() }
            let (offer, product) = (question.offer, question.productId)
            question.needsNewSigning = try snapshot.needsNewSigning(
                question, named: inquiry.named, fresh: inquiry.fresh, policy: policy, about: subject)
            var (decision, outlook) = decideAhead(question, about: subject)
            if isQuick { metrics.decided(decision, on: offer, for: .dryRun, in: caller.scope) }
            if decision.outcome == .eligible {
                let value = snapshot.catalog.product(product).flatMap { offer.value(on: $0.product) }
                candidates.append(Choice.Candidate(offerId: offer.id, priority: offer.priority, value: value))
            }
            // Only staff see every finding. The others are freed here, on the thread that allocated them.
            if !caller.role.isStaff { decision.findings = decision.blockingFindings }
            decisions.append(OfferDecision(offer: offer, decision: decision, outlook: outlook))
        }
        return InquiryAnswer(
            decisions: decisions, choice: Choice(among: candidates),
            isKnown: inquiry.history == nil ? !snapshot.subject.customers.isEmpty : nil,
            dataAsOf: caller.role.isStaff && isQuick ? snapshot.facts.history.newestSigned : nil,
            ignored: verified.ignored, appSignals: snapshot.catalog.appSignals)
    }

    private static func offers(_ inquiry: Inquiry, _ snapshot: Snapshot, _ caller: Caller) throws -> [CompiledOffer] {
        let (catalog, now) = (snapshot.compiledCatalog, snapshot.now)
        guard let ids = inquiry.offerIds else {
            return catalog.offers.filter { $0.offer.status != .archived && caller.mayLearn(of: $0.offer, at: now) }
        }
        return try ids.map { try caller.requested($0, of: catalog, at: now) }
    }

    /// A single offer needs its product as an issue request does; among several each is decided for the product asked,
    /// or its first.
    private static func product(_ inquiry: Inquiry, _ offer: Offer) throws -> ProductId {
        if inquiry.offerIds?.count == 1 { return try offer.product(asked: inquiry.productId) }
        if let asked = inquiry.productId { return asked }
        guard let first = offer.products.first else {
            throw RequestError.productRequired(offerId: offer.id, products: [])
        }
        return first
    }
}

extension Snapshot {
    /// Whether the answer would need a signing beyond those that the subject's open issued offer holds.
    ///
    /// - Parameter named: how the request names the subject.
    func needsNewSigning(
        _ question: Question, named: CustomerIdentifiers, fresh: Bool = false, policy: Policy,
        about subject: PreparedSubject
    ) throws -> Bool {
        let offer = question.offer
        if takesHistoryAsProven {
            // A supposed issued offer or transaction has no signatures to compare, so a repeated request counts as the
            // same again.
            let open = subject.openIssuedOffer(of: offer, at: now, takesHistoryAsProven: true)
            let life = open?.expiresAt.milliseconds(since: now) ?? 0
            return life < policy.storedSignatureMinimumLife || fresh && offer.delivery != .appStore
        }
        guard let open = open(offer, about: subject) else { return true }
        let request = IssueRequest {
            ($0.offerId, $0.productId, $0.customer) = (offer.id, question.productId, named)
        }
        let plan = try SigningPlan(
            offer, productId: question.productId, request: request, formats: question.formats, history: facts.history)
        return !open.answers(plan, fresh: fresh, at: now, policy)
    }
}
