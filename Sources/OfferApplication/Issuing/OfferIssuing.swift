import OfferEligibility
import OfferModel
import OfferStore

/// Issues offers: verify, decide, sign, record durably, release (docs/design.md#issuing).
public struct OfferIssuing: Sendable {
    private let registry: AppRegistry
    private let catalogs: CompiledCatalogs
    private let ingestion: HistoryIngestion
    let digest: any Digest
    private let clock: RequestClock
    private let rates: RequestRates
    let refusals = RecordedRefusals()
    let database: Ledger
    let random: any RandomSource
    let policy: Policy

    /// How often a decision is made anew when what it rests on keeps changing under it.
    private static let attempts = 3

    init(
        registry: AppRegistry, database: Ledger, catalogs: CompiledCatalogs, ingestion: HistoryIngestion,
        digest: any Digest, random: any RandomSource, policy: Policy, clock: RequestClock,
        rates: RequestRates
    ) {
        self.registry = registry
        self.database = database
        self.catalogs = catalogs
        self.ingestion = ingestion
        self.digest = digest
        self.random = random
        self.policy = policy
        self.clock = clock
        self.rates = rates
    }

    /// Answers an order with signed and durably recorded artefacts, or with a reasoned no.
    ///
    /// The signed data of the order is verified and kept first, whatever becomes of the offer.
    ///
    /// - Throws: ``RequestError``, and what libcrypto or the store throws; then nothing was released.
    public func issue(_ order: IssueOrder, caller: Caller) async throws -> IssueAnswer {
        try rates.take(order.customer, by: caller)
        return try await issue(order, caller: caller, PlainReply())
    }

    /// The same for a request with an `Idempotency-Key`: an answer that was given under it before is given again,
    /// whatever has changed since, and nothing is verified or decided for it (docs/design.md#issuing).
    ///
    /// Kept are signatures and reasoned refusals. What is thrown is not: it may go right the next time.
    ///
    /// - Parameter write: writes an answer as it goes out. It runs before the commit, perhaps several times, and must
    ///   depend on nothing but the answer.
    /// - Throws: ``RequestError``, and what libcrypto, the store or `write` throws; then nothing was released.
    public func issue(
        _ order: IssueOrder, caller: Caller, as request: IdempotentRequest,
        write: @escaping @Sendable (IssueAnswer) throws -> WrittenAnswer
    ) async throws -> WrittenAnswer {
        try rates.take(order.customer, by: caller)
        let reply = KeptReply(request, caller: caller, digest: digest, write: write)
        let clock = clock
        let earlier = try await database.readInline { transaction in
            try reply.earlier(at: try clock.instant(transaction), transaction)
        }
        if let earlier { return earlier }
        return try await issue(order, caller: caller, reply)
    }

    private func issue<Reply: IssueReply>(
        _ order: IssueOrder, caller: Caller, _ reply: Reply
    ) async throws -> Reply.Answer {
        let app = try registry.app(for: caller.scope)
        let verified = try await ingestion.verify(order.delivery, caller: caller, stopsAtRefusal: true)
        let kept = try await ingestion.keep(
            verified, identifiers: order.customer, caller: caller, isRefused: !verified.refused.isEmpty)
        guard verified.refused.isEmpty else { throw RequestError.signedDataRefused(verified.refused) }
        if let ambiguity = kept.ambiguity { throw ambiguity }
        let signer = try ArtefactSigner(app: app, environment: caller.scope.environment, random: random)
        var seen = kept.subject
        for _ in 0..<Self.attempts {
            let look = try await look(order, signed: verified.proven, scope: caller.scope, reply, since: seen)
            if seen == nil {
                seen = SeenSubject(customers: look.snapshot.subject.customers, sequence: look.snapshot.sequence)
                try rates.take(look.snapshot.subject.customers, by: caller)
            }
            if let earlier = look.earlier { return earlier }
            let subject = PreparedSubject(look.snapshot.facts, policy: policy)
            let asked = try ask(
                order, of: app, signed: verified.proven, caller: caller, look.snapshot, about: subject)
            let answer =
                switch asked.decision.outcome {
                case .eligible: try await grant(asked, signer: signer, reply)
                case .ineligible, .undetermined: try await refuse(asked, about: subject, signer: signer, reply)
                }
            if let answer { return answer }
        }
        throw RequestError.busy
    }

    /// Reads one snapshot, and whether an equal request was answered meanwhile.
    ///
    /// - Parameter seen: whom the same request was found to name before.
    private func look<Reply: IssueReply>(
        _ order: IssueOrder, signed: [ProvenIdentifier], scope: Scope, _ reply: Reply, since seen: SeenSubject?
    ) async throws -> (snapshot: Snapshot, earlier: Reply.Answer?) {
        let clock = clock
        let catalogs = catalogs
        return try await database.readInline { transaction in
            try seen?.requireHeld(transaction)
            var snapshot = try Snapshot.read(
                order.customer, signed: signed, scope: scope, clock: clock, catalogs: catalogs,
                openSlotsOf: [order.offerId], transaction)
            if let offer = snapshot.catalog.offer(order.offerId),
                let product = try? offer.product(asked: order.productId)
            {
                try snapshot.readCounters(of: [(offer, product)], scope: scope, transaction)
            }
            return (snapshot, try reply.earlier(at: snapshot.now, transaction))
        }
    }

    /// Decides, without holding the database.
    private func ask(
        _ order: IssueOrder, of app: RegisteredApp, signed: [ProvenIdentifier], caller: Caller, _ snapshot: Snapshot,
        about subject: PreparedSubject
    ) throws -> AskedOrder {
        guard let offer = snapshot.catalog.offer(order.offerId) else {
            throw RequestError.unknownOffer(order.offerId)
        }
        let product = try offer.product(asked: order.productId)
        let formats = app.formats(in: caller.scope.environment)
        let plan = try SigningPlan(
            offer, productId: product, order: order, formats: formats, history: snapshot.facts.history)
        let open = snapshot.open(offer, about: subject)
        let stored = open.flatMap { $0.answers(plan, fresh: order.fresh, at: snapshot.now, policy) ? $0 : nil }
        let question = snapshot.question(
            offer, productId: product, scope: caller.scope, signals: order.signals, request: order.request,
            needsNewSigning: stored == nil, formats: formats)
        return AskedOrder(
            order: order, signed: signed, scope: caller.scope, author: caller.author, snapshot: snapshot,
            question: question, decision: decide(question, about: subject), plan: plan, open: open, stored: stored)
    }
}
