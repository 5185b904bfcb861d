import OfferEligibility
import OfferModel
import OfferSigning
import OfferStore

extension IssueOffer {
    /// Hands out what the open slot holds, or signs, records and releases; `nil` if what the decision rests on has
    /// changed.
    func grant<Reply: IssueReply>(
        _ asked: Issuance, signer: ArtefactSigner, _ reply: Reply
    ) async throws -> Reply.Answer? {
        if let stored = asked.stored {
            let issued = IssuedOfferView(
                stored.slot, catalogRevision: stored.catalogRevision, scope: asked.scope,
                signatures: stored.newestSigning.signatures, decisionId: stored.newestSigning.decisionId, state: .open)
            return try await handOut(issued, asked, reply)
        }
        guard let number = asked.snapshot.scope else { return nil }
        let slot = try nextSlot(asked)
        let signatures = try signer.sign(
            asked.plan, offer: asked.question.offer, timestamp: asked.snapshot.now)
        let decisionId = try random.orderedUUID(at: asked.snapshot.now)
        let record = asked.record.packed()
        let issued = IssuedOfferView(
            slot, catalogRevision: asked.catalogRevision, scope: asked.scope, signatures: signatures,
            decisionId: decisionId, state: .open)
        let answer = try reply.write(.issued(issued, isNew: true))
        // Found before anybody waits for the transaction.
        let redeemed = asked.redeemedSlots
        let committed: Committed<Reply.Answer>
        do {
            committed = try await database.write(by: asked.author) { transaction in
                if let earlier = try reply.earlier(at: asked.snapshot.now, transaction) { return .answered(earlier) }
                guard try asked.stillHolds(in: number, transaction) else { return .moved }
                let caps: [CounterStore.Cap]
                switch try asked.sharedLimits(in: number, transaction) {
                case .fit(let fitting): caps = fitting
                case .reached(let counters): return .limited(counters)
                }
                let signing = Signing(
                    decisionId: decisionId, decidedAt: asked.snapshot.now,
                    customer: try Self.owner(asked, in: number, transaction),
                    catalogRevision: Int64(asked.snapshot.catalogRevision), record: record, signatures: signatures)
                guard
                    try Self.record(slot, by: signing, asked, redeemed: redeemed, caps: caps, in: number, transaction)
                else { return .moved }
                try reply.keep(answer, at: asked.snapshot.now, transaction)
                return .answered(answer)
            }
        } catch  where CounterStore.isCap(error) {
            return nil
        }
        switch committed {
        case .answered(let answer): return answer
        case .moved: return nil
        case .limited(let counters):
            // The signature is thrown away, and the answer is the rules' own no.
            let again = asked.decided(with: counters, policy: policy)
            guard again.decision.outcome != .eligible else { return nil }
            let subject = PreparedSubject(again.snapshot.facts, policy: policy)
            return try await refuse(again, about: subject, signer: signer, reply)
        }
    }

    /// What became of a signed offer in the committing transaction.
    private enum Committed<Answer: Sendable>: Sendable {
        /// It was recorded, or the same request had been answered before.
        case answered(Answer)
        /// What the decision rests on has changed.
        case moved
        /// Others have taken the last place meanwhile.
        case limited(OfferCounters)
    }

    /// Hands out signatures that are recorded already; only keeping the answer or opening the offer writes anything.
    private func handOut<Reply: IssueReply>(
        _ issued: IssuedOfferView, _ asked: Issuance, _ reply: Reply
    ) async throws -> Reply.Answer? {
        let answer = try reply.write(.issued(issued, isNew: false))
        guard Reply.keepsAnswers || asked.opens else { return answer }
        guard let number = asked.snapshot.scope else { return nil }
        return try await database.write(by: asked.author) { transaction in
            if let earlier = try reply.earlier(at: asked.snapshot.now, transaction) { return earlier }
            guard try asked.stillHolds(in: number, transaction) else { return nil }
            try asked.noteOpening(transaction)
            try reply.keep(answer, onEarlier: issued.decisionId, at: asked.snapshot.now, transaction)
            try StoreClock(transaction).advance(to: asked.snapshot.now)
            return answer
        }
    }

    /// The open slot with one more signing, or a new slot with its first.
    private func nextSlot(_ asked: Issuance) throws -> Slot {
        let now = asked.snapshot.now
        let expiresAt = now.adding(milliseconds: policy.signatureLife)
        let countsUntil = expiresAt.adding(milliseconds: policy.slotTail)
        if var slot = asked.open?.slot {
            slot.signings += 1
            slot.productId = asked.plan.productId
            slot.expiresAt = max(slot.expiresAt, expiresAt)
            slot.countsUntil = max(slot.countsUntil, countsUntil)
            return slot
        }
        let offer = asked.question.offer
        guard let group = asked.question.subscriptionGroupIdentifier else {
            throw UnsignableOffer(detail: "no subscription group")
        }
        var slot = Slot(
            id: try random.orderedUUID(at: now), offerId: offer.id, offerIdentifier: offer.offerIdentifier,
            offerType: offer.type,
            delivery: offer.delivery, productId: asked.plan.productId, subscriptionGroupIdentifier: group,
            tags: offer.tags, issuedAt: now, expiresAt: expiresAt, countsUntil: countsUntil, signings: 1,
            cost: asked.question.cost)
        slot.signUp = asked.question.signUp.isUnknown ? nil : asked.question.signUp
        return slot
    }

    /// Writes a new slot with its first signing, or one more signing of the open one, in the committing transaction.
    ///
    /// - Returns: false if the open slot takes no further signing; then nothing was written.
    private static func record(
        _ slot: Slot, by signing: Signing, _ asked: Issuance, redeemed: [LowercaseUUID], caps: [CounterStore.Cap],
        in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Bool {
        let customers = asked.snapshot.subject.customers
        let store = SlotStore(transaction)
        try asked.noteOpening(transaction)
        if asked.open == nil {
            try store.settle(redeemed, at: slot.issuedAt, in: number)
            try store.insert(
                slot, by: signing, subject: customers, caps: caps,
                hasPassed: asked.snapshot.facts.slots.contains { $0.waitsToBeSettled(at: slot.issuedAt) }, in: number)
            try RedemptionStore(transaction).matchLaterEvidence(
                of: signing.customer, since: slot.issuedAt, offers: asked.question.offers, at: slot.issuedAt,
                in: number)
        } else {
            let signings = try store.addSigning(
                to: slot.id, signing, productId: slot.productId, cost: asked.question.cost, expiresAt: slot.expiresAt,
                countsUntil: slot.countsUntil, at: asked.snapshot.now, subject: customers, caps: caps, in: number)
            guard signings == slot.signings else { return false }
        }
        try StoreClock(transaction).advance(to: asked.snapshot.now)
        return true
    }

    /// The customer of the transaction that is signed (docs/design.md#identity); the answer must still hold.
    ///
    /// - Throws: ``UnsignableOffer`` if there is none, which a decision never lets through.
    private static func owner(
        _ asked: Issuance, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> CustomerNumber {
        // A subscription of the history that was read belongs to a customer whose rows were read.
        let customers = asked.snapshot.subject.customers
        if case .transaction = asked.plan.transactionId, let only = customers.first, customers.count == 1 {
            return only
        }
        let identifier: ProvenIdentifier? =
            switch asked.plan.transactionId {
            case .transaction(let id): .originalTransactionId(id)
            case .appTransaction(let id): .appTransactionId(id)
            case nil: nil
            }
        guard let identifier, let owner = try CustomerStore(transaction).customer(identifier, in: number) else {
            throw UnsignableOffer(detail: "no customer")
        }
        return owner
    }
}
