import OfferEligibility
import OfferModel
import OfferStore

extension OfferIssuing {
    /// Records a reasoned no, unless it is the one that was recorded for an identical order; an introductory offer is blocked by a signed statement where the answer is certain and
    /// the customer has a known transaction, because StoreKit would grant it otherwise (docs/design.md#http). Nothing is signed
    /// about a product that is not the offer's: the request names it freely.
    func refuse<Reply: IssueReply>(
        _ asked: AskedOrder, about subject: PreparedSubject, signer: ArtefactSigner, _ reply: Reply
    ) async throws -> Reply.Answer? {
        let outlook = asked.decision.outlook(asked.question, about: subject)
        let fingerprint = asked.fingerprint(outlook, digest)
        if let entry = refusals.entry(fingerprint), let answer = try await answer(asked, outlook, by: entry, reply) {
            return answer
        }
        let decisionId = try random.orderedUUID(at: asked.snapshot.now)
        let blocks =
            asked.question.offer.delivery == .introductoryEligibility && asked.decision.outcome == .ineligible
            && asked.question.offer.products.contains(asked.plan.productId) && asked.plan.transactionId != nil
        let signatures =
            blocks
            ? try signer.sign(
                asked.plan, offer: asked.question.offer, timestamp: asked.snapshot.now, allowIntroductoryOffer: false)
            : []
        let refusal = Refusal(
            id: decisionId, customer: asked.snapshot.subject.customers.first, offerId: asked.question.offer.id,
            decidedAt: asked.snapshot.now, catalogRevision: Int64(asked.snapshot.catalogRevision),
            outcome: asked.decision.outcome, record: asked.record.packed(), statement: signatures.first)
        let answer = try reply.write(
            .refused(
                IssueRefusal(
                    decisionId: decisionId, decision: asked.decision, outlook: outlook,
                    introductoryEligibility: signatures.first?.introductoryEligibility)))
        let scope = asked.scope
        let (given, isRecorded): (Reply.Answer?, Bool) = try await database.write(by: asked.author) { transaction in
            if let earlier = try reply.earlier(at: asked.snapshot.now, transaction) { return (earlier, false) }
            let number = try ScopeStore(transaction).findOrAdd(scope)
            if try asked.stillHolds(in: number, transaction) {
                try asked.noteOpening(transaction)
            } else {
                // Where anything has changed meanwhile the next request opens the offer. The record holds what was read of
                // the customer: an erasure since then must not be undone by it.
                guard
                    try !ErasureStore(transaction).isErased(
                        asked.snapshot.subject.customers, after: asked.snapshot.sequence)
                else { return (nil, false) }
            }
            try RefusalStore(transaction).insert(refusal, in: number)
            try reply.keep(answer, at: asked.snapshot.now, transaction)
            try StoreClock(transaction).advance(to: asked.snapshot.now)
            return (answer, true)
        }
        if isRecorded {
            refusals.remember(
                RecordedRefusals.Entry(
                    decisionId: decisionId, decidedAt: asked.snapshot.now,
                    introductoryEligibility: signatures.first?.introductoryEligibility), fingerprint)
        }
        return given
    }

    /// Answers with a decision recorded earlier; only keeping the answer under its key writes anything.
    ///
    /// - Returns: `nil` if this answer needs a record of its own: it opens the offer, the statement that was signed is too
    ///   old, or what was recorded is no longer there.
    private func answer<Reply: IssueReply>(
        _ asked: AskedOrder, _ outlook: Outlook, by entry: RecordedRefusals.Entry, _ reply: Reply
    ) async throws -> Reply.Answer? {
        guard let number = asked.snapshot.scope else { return nil }
        guard !asked.opens || asked.snapshot.subject.customers.isEmpty else { return nil }
        if entry.introductoryEligibility != nil {
            let end = entry.decidedAt.adding(milliseconds: policy.signatureLife)
            guard end.milliseconds(since: asked.snapshot.now) >= policy.storedSignatureMinimumLife else { return nil }
        }
        let answer = try reply.write(
            .refused(
                IssueRefusal(
                    decisionId: entry.decisionId, decision: asked.decision, outlook: outlook,
                    introductoryEligibility: entry.introductoryEligibility)))
        let decision = entry.decisionId
        guard Reply.keepsAnswers else {
            let isHeld = try await database.readInline { try RefusalStore($0).hasRecord(of: decision, in: number) }
            return isHeld ? answer : nil
        }
        return try await database.write(by: asked.author) { transaction in
            if let earlier = try reply.earlier(at: asked.snapshot.now, transaction) { return earlier }
            guard try RefusalStore(transaction).hasRecord(of: decision, in: number) else { return nil }
            try reply.keep(answer, onEarlier: decision, at: asked.snapshot.now, transaction)
            try StoreClock(transaction).advance(to: asked.snapshot.now)
            return answer
        }
    }
}
