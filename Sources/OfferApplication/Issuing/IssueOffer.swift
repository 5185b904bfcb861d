public import OfferAPI
import OfferModel
import OfferStore

/// Issues offers, in six steps (docs/design.md#issuing). No signature leaves without a durable record of it, and none
/// is made of data that changed after it was judged.
///
/// 1. **Verify** what the caller sent and keep it: Apple's data counts whatever the answer to this request is.
/// 2. **Read one snapshot**: customer, history, catalog, pauses and counters of one instant.
/// 3. **Decide** on it without holding the database, by the same function as a dry-run and a replay (invariant 4).
/// 4. **Sign** before the transaction: a signature takes longer than the writer may be held, and one that is thrown
///    away does no harm.
/// 5. **Record durably**, if nothing that the decision rests on has changed since step 2 and the limits that everyone
///    shares still have room. Otherwise the request begins again with step 2.
/// 6. **Release** what was recorded, or what was answered earlier under the same key.
///
/// A refusal takes the same steps; it is recorded once for identical requests.
///
/// Between steps a request yields: each step runs for several requests in a row, its code cached (docs/decisions/0060).
public struct IssueOffer: Sendable {
    let registry: AppRegistry
    let database: Ledger
    let catalogs: CompiledCatalogs
    let ingestion: HistoryIngestion
    let digest: any Digest
    let random: any RandomSource
    let policy: Policy
    let clock: RequestClock
    let rates: RequestRates
    let metrics: ServiceMetrics
    private let refusals = RecordedRefusals()

    /// How often to retry when the inputs of the decision changed.
    private static let attempts = 5

    /// Answers a request with signed and durably recorded artefacts, or with a reasoned no.
    ///
    /// With an `Idempotency-Key` the answer that was given under it is given again, whatever has changed since, and
    /// nothing is verified or decided for it. Signatures and reasoned refusals are kept. Errors are not: the request may
    /// succeed the next time.
    ///
    /// - Parameters:
    ///   - repeatable: the request's key; `nil` if it has none.
    ///   - write: writes an answer as it goes out. It runs before the commit, perhaps several times, and must depend on
    ///     nothing but the answer.
    /// - Throws: ``RequestError``, and what libcrypto, the store or `write` throws; then nothing was released.
    public func issue(
        _ request: IssueRequest, caller: Caller, as repeatable: IdempotentRequest?,
        write: @escaping @Sendable (IssueAnswer) throws -> WrittenAnswer
    ) async throws -> WrittenAnswer {
        try rates.take([request.customer], by: caller)
        let reply = IssueReply(repeatable, caller: caller, digest: digest, write: write)
        if repeatable != nil {
            let earlier = try await database.readInline { [clock] transaction in
                try transaction.expect(
                    { _ = try clock.instant($0) }, { _ = try reply.earlier(at: .distantPast, $0) })
                return try reply.earlier(at: try clock.instant(transaction), transaction)
            }
            if let earlier { return earlier }
        }
        let app = try registry.app(for: caller.scope)
        try caller.requireObtainable(request.formats)

        // 1. Verify the caller's data and keep it. Data that was refused binds no alias and gets no offer.
        let received = try await ingestion.verify(request.delivery, caller: caller, stopsAtRefusal: true)
        var request = request
        let (verified, customer) = try caller.customer(named: request.customer, in: received)
        request.customer = customer
        let kept = try await ingestion.keep(
            verified, identifiers: request.customer, caller: caller, isRefused: !verified.refused.isEmpty)
        guard verified.refused.isEmpty else { throw RequestError.signedDataRefused(verified.refused) }
        if let ambiguity = kept.ambiguity { throw ambiguity }

        let signer = try ArtefactSigner(registry: registry, app: app, scope: caller.scope, random: random)
        var seen = kept.subject
        for _ in 0..<Self.attempts {
            // 2. Read one snapshot. A customer who was erased since the request was first looked at is not recorded
            // again.
            let (snapshot, earlier) = try await read(
                request, signed: verified.proven, caller: caller, reply, since: seen)
            if seen == nil {
                seen = snapshot.subject
                try rates.take(snapshot.subject.customers, by: caller)
            }
            if let earlier { return earlier }

            // 3. Decide.
            await Task.yield()
            let subject = PreparedSubject(snapshot.facts, policy: policy)
            let issuance = try decide(request, of: app, verified, caller: caller, snapshot, about: subject)

            // 4. to 6. Sign, record, release; again if the decision no longer holds.
            let answer =
                switch issuance.decision.outcome {
                case .eligible: try await grant(issuance, about: subject, signer: signer, reply)
                case .ineligible, .undetermined: try await refuse(issuance, about: subject, signer: signer, reply)
                }
            if let answer { return answer }
        }
        throw RequestError.busy
    }

    // MARK: 2. Read one snapshot

    /// Reads a snapshot, and whether an equal request was answered meanwhile.
    private func read(
        _ request: IssueRequest, signed: [ProvenIdentifier], caller: Caller, _ reply: IssueReply,
        since seen: NamedCustomers?
    ) async throws -> (snapshot: Snapshot, earlier: WrittenAnswer?) {
        let (clock, catalogs, policy) = (clock, catalogs, policy)
        return try await database.readInline { transaction in
            var snapshot = try Snapshot.read(
                request.customer, signed: signed, scope: caller.scope, clock: clock, catalogs: catalogs,
                openIssuedOffersOf: [request.offerId], known: seen,
                next: { _ = try reply.earlier(at: .distantPast, $0) }, transaction)
            snapshot.signUp = caller.signUp(request.customer)
            if let offer = try? caller.requested(request.offerId, of: snapshot.compiledCatalog, at: snapshot.now),
                let product = try? offer.offer.product(asked: request.productId)
            {
                try snapshot.readUses(of: [snapshot.question(offer, productId: product)], policy: policy, transaction)
            }
            return (snapshot, try reply.earlier(at: snapshot.now, transaction))
        }
    }

    // MARK: 3. Decide

    private func decide(
        _ request: IssueRequest, of app: RegisteredApp, _ verified: VerifiedDelivery, caller: Caller,
        _ snapshot: Snapshot, about subject: PreparedSubject
    ) throws -> Issuance {
        try caller.requireStatable(request.signals, in: snapshot.catalog)
        let compiled = try caller.requested(request.offerId, of: snapshot.compiledCatalog, at: snapshot.now)
        let offer = compiled.offer
        let request = caller.stated(request, to: offer)
        let product = try offer.product(asked: request.productId)
        let formats = caller.formats(of: app)
        let plan = try SigningPlan(
            offer, productId: product, request: request, formats: formats, history: snapshot.facts.history)
        let open = snapshot.open(offer, about: subject)
        let stored = open.flatMap { $0.answers(plan, fresh: request.fresh, at: snapshot.now, policy) ? $0 : nil }
        let question = snapshot.question(
            compiled, productId: product, signals: request.signals, request: request.device,
            needsNewSigning: stored == nil, formats: formats)
        let decision = OfferModel.decide(question, about: subject)
        return Issuance(
            request: request, signed: verified.proven, caller: caller, snapshot: snapshot, question: question,
            decision: decision, plan: plan, grant: decision.needsGrant ? subject.grant(question) : nil, open: open,
            stored: stored, ignored: verified.ignored)
    }

    // MARK: 4. Sign

    /// Signs, records and releases an offer, or hands out what its open issued offer holds; `nil` if the decision no
    /// longer holds.
    private func grant(
        _ issuance: Issuance, about subject: PreparedSubject, signer: ArtefactSigner, _ reply: IssueReply
    ) async throws -> WrittenAnswer? {
        if let stored = issuance.stored { return try await handOut(stored, issuance, reply) }
        guard let number = issuance.snapshot.number else { return nil }
        let (now, catalogRevision) = (issuance.snapshot.now, issuance.snapshot.catalogRevision)
        await Task.yield()
        let issuedOffer = try nextIssuedOffer(issuance)
        let signatures = try signer.sign(issuance.plan, offer: issuance.question.offer, timestamp: now)
        await Task.yield()
        let decisionId = try random.orderedUUID(at: now)
        let record = try issuance.record.packed()
        let issued = IssuedOfferView(
            issuedOffer, catalogRevision: issuance.open?.catalogRevision ?? catalogRevision,
            scope: issuance.caller.scope, signatures: signatures, decisionId: decisionId, state: .open,
            ignored: issuance.ignored)
        let answer = try reply.write(.issued(issued, isNew: true))
        // Found before the transaction, which others wait for.
        let redeemed = issuance.open == nil ? issuance.redeemedIssuedOffers(of: subject) : []
        let committed: Commit
        do {
            committed = try await commit(issuance, answer, reply) { transaction in
                guard try issuance.stillHolds(in: number, transaction) else { return .moved }
                let (uses, caps): ([SharedUse], [CounterStore.Cap])
                switch try issuance.sharedLimits(in: number, transaction) {
                case .fit(let taken, let fitting): (uses, caps) = (taken, fitting)
                case .reached(let counters): return .limited(counters)
                }
                let signing = Signing(
                    decisionId: decisionId, decidedAt: now, customer: try issuance.owner(in: number, transaction),
                    catalogRevision: Int64(catalogRevision), record: record, signatures: signatures)
                let isRecorded = try Self.record(
                    issuedOffer, by: signing, issuance, redeemed: redeemed, caps: caps, in: number, transaction)
                guard isRecorded else { return .moved }
                for use in uses {
                    try EventStore(transaction).note(use, of: issuedOffer.offerId, at: now, in: number)
                }
                return nil
            }
        } catch  where CounterStore.isCapReached(error) {
            return nil
        }
        guard case .limited(let counters) = committed else { return committed.answer }
        // The signature is thrown away, and the answer is the rules' own no.
        let again = issuance.decided(with: counters, policy: policy)
        guard again.decision.outcome != .eligible else { return nil }
        return try await refuse(
            again, about: PreparedSubject(again.snapshot.facts, policy: policy), signer: signer, reply)
    }

    /// Releases signatures that are recorded already; only keeping the answer or opening the offer writes anything.
    private func handOut(
        _ stored: OpenIssuedOffer, _ issuance: Issuance, _ reply: IssueReply
    ) async throws -> WrittenAnswer? {
        let newest = stored.newestSigning
        let issued = IssuedOfferView(
            stored.issuedOffer, catalogRevision: stored.catalogRevision, scope: issuance.caller.scope,
            signatures: newest.signatures, decisionId: newest.decisionId, state: .open, ignored: issuance.ignored)
        let answer = try reply.write(.issued(issued, isNew: false))
        guard reply.keepsRepeats || issuance.opens else {
            metrics.answered(issuance)
            return answer
        }
        guard let number = issuance.snapshot.number else { return nil }
        return try await commit(issuance, answer, onEarlier: newest.decisionId, reply) { transaction in
            guard try issuance.stillHolds(in: number, transaction) else { return .moved }
            try issuance.noteOpening(transaction)
            return nil
        }.answer
    }

    /// The open issued offer with one more signing, or a new issued offer with its first.
    private func nextIssuedOffer(_ issuance: Issuance) throws -> IssuedOffer {
        let now = issuance.snapshot.now
        let expiresAt = now.adding(milliseconds: policy.signatureLife)
        let countsUntil = expiresAt.adding(milliseconds: policy.countingTail)
        if var issuedOffer = issuance.open?.issuedOffer {
            issuedOffer.signings += 1
            issuedOffer.productId = issuance.plan.productId
            issuedOffer.expiresAt = max(issuedOffer.expiresAt, expiresAt)
            issuedOffer.countsUntil = max(issuedOffer.countsUntil, countsUntil)
            return issuedOffer
        }
        let (question, offer) = (issuance.question, issuance.question.offer)
        guard let group = question.subscriptionGroupIdentifier else {
            throw UnsignableOffer(detail: "no subscription group")
        }
        var issuedOffer = IssuedOffer(
            id: try random.orderedUUID(at: now), offerId: offer.id, offerIdentifier: offer.offerIdentifier,
            offerType: offer.type, delivery: offer.delivery, productId: issuance.plan.productId,
            subscriptionGroupIdentifier: group, tags: offer.tags, issuedAt: now, expiresAt: expiresAt,
            countsUntil: countsUntil, signings: 1, cost: question.cost)
        issuedOffer.signUp = question.signUp.isUnknown ? nil : question.signUp
        issuedOffer.grantId = issuance.grant?.id
        return issuedOffer
    }

    /// Refuses, by the decision that was recorded for an identical request if there is one.
    ///
    /// An introductory offer is blocked by a signed statement where it is withheld and the customer has a known
    /// transaction, because StoreKit would grant it otherwise (docs/design.md#issuing step 3).
    private func refuse(
        _ issuance: Issuance, about subject: PreparedSubject, signer: ArtefactSigner, _ reply: IssueReply
    ) async throws -> WrittenAnswer? {
        let (question, snapshot) = (issuance.question, issuance.snapshot)
        let (now, customers) = (snapshot.now, snapshot.subject.customers)
        let outlook = issuance.decision.outlook(question, about: subject)
        var moving: [Range<Int>] = []
        let record = try issuance.record.packed(noting: &moving)
        let fingerprint = try issuance.fingerprint(of: record, without: moving, outlook, digest)
        if let entry = refusals.entry(fingerprint), let answer = try await refuse(issuance, outlook, as: entry, reply) {
            return answer
        }
        try rates.take(newRefusalOf: customers, by: issuance.caller)
        let decisionId = try random.orderedUUID(at: now)
        let signatures =
            try issuance.blocksIntroductoryOffer
            ? signer.sign(issuance.plan, offer: question.offer, timestamp: now, allowIntroductoryOffer: false) : []
        let refusal = Refusal(
            id: decisionId, customer: customers.first, offerId: question.offer.id, decidedAt: now,
            catalogRevision: Int64(snapshot.catalogRevision), outcome: issuance.decision.outcome,
            record: record, statement: signatures.first)
        let entry = RecordedRefusals.Entry(
            decisionId: decisionId, decidedAt: now,
            introductoryEligibility: signatures.first?.introductoryEligibility)
        let answer = try reply.write(.refused(entry.refusal(issuance, outlook)))
        let scope = issuance.caller.scope
        let committed = try await commit(issuance, answer, reply) { transaction in
            let number = try ScopeStore(transaction).findOrAdd(scope)
            if try issuance.stillHolds(in: number, transaction) {
                try issuance.noteOpening(transaction)
            } else {
                // Where anything has changed meanwhile the next request opens the offer. The record holds what was read
                // of the customer: an erasure since then must not be undone by it.
                guard try !ErasureStore(transaction).isErased(customers, after: snapshot.sequence) else {
                    return .moved
                }
            }
            try RefusalStore(transaction).insert(refusal, in: number)
            return nil
        }
        if case .recorded = committed { refusals.remember(entry, fingerprint) }
        return committed.answer
    }

    /// Refuses by a decision recorded earlier; only keeping the answer under its key writes anything.
    ///
    /// - Returns: `nil` if this answer needs a record of its own: it opens the offer, the statement that was signed is
    ///   too old, or what was recorded is no longer there.
    private func refuse(
        _ issuance: Issuance, _ outlook: Outlook, as entry: RecordedRefusals.Entry, _ reply: IssueReply
    ) async throws -> WrittenAnswer? {
        let (now, decisionId) = (issuance.snapshot.now, entry.decisionId)
        guard let number = issuance.snapshot.number else { return nil }
        guard !issuance.opens || issuance.snapshot.subject.customers.isEmpty else { return nil }
        if entry.introductoryEligibility != nil {
            let end = entry.decidedAt.adding(milliseconds: policy.signatureLife)
            guard end.milliseconds(since: now) >= policy.storedSignatureMinimumLife else { return nil }
        }
        let answer = try reply.write(.refused(entry.refusal(issuance, outlook)))
        guard reply.keepsRepeats else {
            let isHeld = try await database.readInline { try RefusalStore($0).hasRecord(of: decisionId, in: number) }
            if isHeld { metrics.answered(issuance) }
            return isHeld ? answer : nil
        }
        return try await commit(issuance, answer, onEarlier: decisionId, reply) { transaction in
            try RefusalStore(transaction).hasRecord(of: decisionId, in: number) ? nil : .moved
        }.answer
    }

    // MARK: 5. Record durably, and 6. release

    private enum Commit: Sendable {
        case recorded(WrittenAnswer)
        case earlier(WrittenAnswer)
        /// The inputs of the decision have changed: no offer and no refusal was recorded, and the request is decided again.
        /// A customer whose other request won then gets its signatures (200).
        case moved
        /// Others have taken the last use meanwhile: no offer was recorded, and the request is refused (403).
        case limited(OfferCounters)

        var answer: WrittenAnswer? {
            switch self {
            case .recorded(let answer), .earlier(let answer): answer
            case .moved, .limited: nil
            }
        }
    }

    /// Records in one durable transaction; its return is the release.
    ///
    /// - Parameters:
    ///   - decision: the decision that the answer reports, if it was recorded before.
    ///   - record: writes the offer or the refusal, or says why it wrote neither.
    private func commit(
        _ issuance: Issuance, _ answer: WrittenAnswer, onEarlier decision: LowercaseUUID? = nil, _ reply: IssueReply,
        _ record: @escaping @Sendable (any StoreTransaction) throws -> Commit?
    ) async throws -> Commit {
        let now = issuance.snapshot.now
        let committed: Commit = try await database.write(
            by: issuance.caller.author, expecting: { issuance.expectation(reply) }
        ) { transaction in
            if let earlier = try reply.earlier(at: now, transaction) { return .earlier(earlier) }
            if let obstacle = try record(transaction) { return obstacle }
            try reply.keep(answer, onEarlier: decision, at: now, transaction)
            try StoreClock(transaction).advance(to: now)
            return .recorded(answer)
        }
        if case .recorded = committed { metrics.answered(issuance) }
        return committed
    }

    /// Writes a new issued offer with its first signing, or one more signing of the open one.
    ///
    /// - Returns: false if the open issued offer takes no further signing, which `stillHolds` has ruled out.
    private static func record(
        _ issuedOffer: IssuedOffer, by signing: Signing, _ issuance: Issuance, redeemed: [LowercaseUUID],
        caps: [CounterStore.Cap], in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Bool {
        let (snapshot, customers) = (issuance.snapshot, issuance.snapshot.subject.customers)
        let store = IssuedOfferStore(transaction)
        try issuance.noteOpening(transaction)
        guard issuance.open == nil else {
            let signings = try store.addSigning(
                to: issuedOffer.id, signing, productId: issuedOffer.productId, cost: issuance.question.cost,
                expiresAt: issuedOffer.expiresAt, countsUntil: issuedOffer.countsUntil, at: snapshot.now,
                subject: customers, caps: caps, in: number)
            return signings == issuedOffer.signings
        }
        try store.settle(redeemed, at: issuedOffer.issuedAt, in: number)
        try store.insert(
            issuedOffer, by: signing, subject: customers, caps: caps,
            hasPassed: snapshot.facts.issuedOffers.contains { $0.waitsToBeSettled(at: issuedOffer.issuedAt) },
            in: number)
        if let grant = issuance.grant {
            try GrantStore(transaction).use(grant.id, by: issuedOffer.id, at: issuedOffer.issuedAt, in: number)
        }
        try RedemptionStore(transaction).matchLaterEvidence(
            of: signing.customer, since: issuedOffer.issuedAt, offers: issuance.question.offers,
            at: issuedOffer.issuedAt, in: number)
        return true
    }
}
