import OfferEligibility
import OfferModel
import OfferSigning
import OfferStore

/// Issues offers: verify, decide, sign, record durably, release (DESIGN §5.4).
public struct OfferIssuing: Sendable {
    private let registry: AppRegistry
    private let database: any StoreDatabase
    private let catalogs: CompiledCatalogs
    private let ingestion: HistoryIngestion
    private let random: any RandomSource
    private let policy: Policy
    private let clock: @Sendable () -> Instant

    /// How often a decision is made anew when what it rests on keeps changing under it.
    private static let attempts = 3

    init(
        registry: AppRegistry, database: any StoreDatabase, catalogs: CompiledCatalogs, ingestion: HistoryIngestion,
        random: any RandomSource, policy: Policy, clock: @escaping @Sendable () -> Instant
    ) {
        self.registry = registry
        self.database = database
        self.catalogs = catalogs
        self.ingestion = ingestion
        self.random = random
        self.policy = policy
        self.clock = clock
    }

    /// Answers an order with signed and durably recorded artefacts, or with a reasoned no.
    ///
    /// The signed data of the order is verified and kept first, whatever becomes of the offer.
    ///
    /// - Throws: ``RequestError``, and what libcrypto or the store throws; then nothing was released.
    public func issue(_ order: IssueOrder, caller: Caller) async throws -> IssueAnswer {
        let app = try registry.app(for: caller.scope)
        let verified = try ingestion.verify(order.delivery, caller: caller)
        let kept = try await ingestion.keep(verified, identifiers: order.customer, caller: caller)
        guard verified.refused.isEmpty else { throw RequestError.signedDataRefused(verified.refused) }
        if let ambiguity = kept.ambiguity { throw ambiguity }
        let signer = ArtefactSigner(app: app, random: random)
        for _ in 0..<Self.attempts {
            let asked = try await ask(order, signed: verified.proven, scope: caller.scope)
            let answer =
                switch asked.decision.outcome {
                case .eligible: try await grant(asked, order, signed: verified.proven, signer: signer)
                case .ineligible, .undetermined: try await refuse(asked, signer: signer)
                }
            if let answer { return answer }
        }
        throw RequestError.busy
    }
}

extension OfferIssuing {
    /// An order with all that its answer rests on.
    private struct Asked: Sendable {
        var scope: Scope
        var snapshot: Snapshot
        var question: Question
        var decision: Decision
        var plan: SigningPlan
        var openSlot: Slot?
        /// The open slot's newest signing, if it can be handed out again.
        var stored: [RecordedSignature]
    }

    /// Reads one snapshot and decides.
    private func ask(_ order: IssueOrder, signed: [ProvenIdentifier], scope: Scope) async throws -> Asked {
        let wallClock = clock()
        let (catalogs, policy) = (catalogs, policy)
        return try await database.read { transaction in
            let snapshot = try Snapshot.read(
                order.customer, signed: signed, scope: scope, wallClock: wallClock, catalogs: catalogs, transaction)
            guard let offer = snapshot.catalog.offer(order.offerId) else {
                throw RequestError.unknownOffer(order.offerId)
            }
            let product = try offer.product(asked: order.productId)
            let plan = try SigningPlan(
                offer, productId: product, order: order, history: snapshot.facts.history)
            let openSlot = snapshot.facts.openSlot(of: offer, at: snapshot.now)
            let stored = try StoredSigning.find(
                offer, plan: plan, fresh: order.fresh, snapshot, policy, transaction)
            let question = snapshot.question(
                offer, productId: product, scope: scope, signals: order.signals, needsNewSigning: stored.isEmpty)
            return Asked(
                scope: scope, snapshot: snapshot, question: question,
                decision: decide(question, facts: snapshot.facts, policy: policy), plan: plan, openSlot: openSlot,
                stored: stored)
        }
    }
}

extension OfferIssuing {
    /// Hands out stored signatures, or signs, records and releases; `nil` if what the decision rests on has changed.
    private func grant(
        _ asked: Asked, _ order: IssueOrder, signed: [ProvenIdentifier], signer: ArtefactSigner
    ) async throws -> IssueAnswer? {
        if let slot = asked.openSlot, let decisionId = asked.stored.first?.decisionId {
            let issued = IssuedOffer(
                slot, catalogRevision: asked.snapshot.catalogRevision, scope: asked.scope,
                signatures: asked.stored, decisionId: decisionId, state: .open)
            return .issued(issued, isNew: false)
        }
        guard let number = asked.snapshot.scope else { return nil }
        let slot = try nextSlot(asked)
        let decisionId = try random.uuid()
        let signatures = try signer.sign(
            asked.plan, offer: asked.question.offer, issuedOfferId: slot.id, signing: slot.signings,
            decisionId: decisionId, timestamp: asked.snapshot.now)
        let record = try DecisionRecord(
            asked.question, asked.snapshot, decision: asked.decision, signatures: signatures
        ).text()
        let policy = policy
        let isRecorded = try await database.write { transaction in
            guard try asked.snapshot.stillHolds(order.customer, signed: signed, in: number, transaction) else {
                return false
            }
            try Self.record(
                slot, asked, signatures: signatures, decisionId: decisionId, record: record, policy: policy,
                in: number, transaction)
            return true
        }
        guard isRecorded else { return nil }
        let issued = IssuedOffer(
            slot, catalogRevision: asked.snapshot.catalogRevision, scope: asked.scope, signatures: signatures,
            decisionId: decisionId, state: .open)
        return .issued(issued, isNew: true)
    }

    /// The open slot with one more signing, or a new slot with its first.
    private func nextSlot(_ asked: Asked) throws -> Slot {
        let now = asked.snapshot.now
        let expiresAt = now.adding(milliseconds: policy.signatureLife)
        let countsUntil = expiresAt.adding(milliseconds: policy.slotTail)
        if var slot = asked.openSlot {
            slot.signings += 1
            slot.expiresAt = max(slot.expiresAt, expiresAt)
            slot.countsUntil = max(slot.countsUntil, countsUntil)
            return slot
        }
        let offer = asked.question.offer
        guard let group = asked.question.subscriptionGroupIdentifier else {
            throw UnsignableOffer(detail: "no subscription group")
        }
        return Slot(
            id: try random.uuid(), offerId: offer.id, offerIdentifier: offer.offerIdentifier, offerType: offer.type,
            delivery: offer.delivery, productId: asked.plan.productId, subscriptionGroupIdentifier: group,
            tags: offer.tags, issuedAt: now, expiresAt: expiresAt, countsUntil: countsUntil, signings: 1)
    }

    /// Writes the slot, the signatures and the decision, in the committing transaction.
    private static func record(
        _ slot: Slot, _ asked: Asked, signatures: [RecordedSignature], decisionId: LowercaseUUID, record: String,
        policy: Policy, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws {
        let customers = asked.snapshot.subject.customers
        let store = SlotStore(transaction)
        guard let owner = try owner(asked, in: number, transaction) else {
            throw UnsignableOffer(detail: "no customer")
        }
        if asked.openSlot == nil {
            let redeemed = asked.snapshot.facts.redemptions(of: asked.question.offer).compactMap(\.slotId)
            try store.settle(redeemed, at: slot.issuedAt, in: number)
            try store.insert(
                slot, catalogRevision: Int64(asked.snapshot.catalogRevision), for: owner, subject: customers,
                in: number)
        } else {
            let signings = try store.addSigning(
                to: slot.id, expiresAt: slot.expiresAt, countsUntil: slot.countsUntil, at: asked.snapshot.now,
                subject: customers, in: number)
            guard signings == slot.signings else { throw StoreError.constraint("issued_offer.signings") }
        }
        try DecisionStore(transaction).insert(
            RecordedDecision(
                id: decisionId, kind: asked.openSlot == nil ? .issue : .signing, customer: owner,
                offerId: slot.offerId, decidedAt: asked.snapshot.now,
                catalogRevision: Int64(asked.snapshot.catalogRevision), outcome: asked.decision.outcome,
                issuedOfferId: slot.id, body: record),
            in: number)
        for signature in signatures {
            try SignatureStore(transaction).insert(signature, in: number)
        }
        try StoreClock(transaction).advance(to: asked.snapshot.now)
    }

    /// The customer of the transaction that is signed, else the earliest stored of the subject.
    private static func owner(
        _ asked: Asked, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> CustomerNumber? {
        let store = CustomerStore(transaction)
        let identifier: ProvenIdentifier? =
            switch asked.plan.transactionId {
            case .transaction(let id): .originalTransactionId(id)
            case .appTransaction(let id): .appTransactionId(id)
            case nil: nil
            }
        if let identifier, let owner = try store.customer(identifier, in: number) { return owner }
        return asked.snapshot.subject.customers.first
    }
}

extension OfferIssuing {
    /// Records a reasoned no; an introductory offer is blocked by a signed statement where the answer is certain and
    /// the customer has a known transaction, because StoreKit would grant it otherwise (DESIGN §6). Nothing is signed
    /// about a product that is not the offer's: the request names it freely.
    private func refuse(_ asked: Asked, signer: ArtefactSigner) async throws -> IssueAnswer {
        let decisionId = try random.uuid()
        let blocks =
            asked.question.offer.delivery == .introductoryEligibility && asked.decision.outcome == .ineligible
            && asked.question.offer.products.contains(asked.plan.productId) && asked.plan.transactionId != nil
        let signatures =
            blocks
            ? try signer.sign(
                asked.plan, offer: asked.question.offer, issuedOfferId: nil, signing: nil, decisionId: decisionId,
                timestamp: asked.snapshot.now, allowIntroductoryOffer: false)
            : []
        let record = try DecisionRecord(
            asked.question, asked.snapshot, decision: asked.decision, signatures: signatures
        ).text()
        let scope = asked.scope
        try await database.write { transaction in
            let number = try ScopeStore(transaction).findOrAdd(scope)
            try DecisionStore(transaction).insert(
                RecordedDecision(
                    id: decisionId, kind: .refusal, customer: asked.snapshot.subject.customers.first,
                    offerId: asked.question.offer.id, decidedAt: asked.snapshot.now,
                    catalogRevision: Int64(asked.snapshot.catalogRevision), outcome: asked.decision.outcome,
                    body: record),
                in: number)
            for signature in signatures {
                try SignatureStore(transaction).insert(signature, in: number)
            }
            try StoreClock(transaction).advance(to: asked.snapshot.now)
        }
        return .refused(
            IssueRefusal(
                decisionId: decisionId, decision: asked.decision,
                introductoryEligibility: signatures.first?.introductoryEligibility))
    }
}

extension Offer {
    /// The product that is asked for.
    ///
    /// - Throws: ``RequestError/productRequired(offerId:products:)`` if the offer has several and none is named.
    func product(asked: ProductId?) throws -> ProductId {
        if let asked { return asked }
        guard products.count == 1, let only = products.first else {
            throw RequestError.productRequired(offerId: id, products: products)
        }
        return only
    }
}
