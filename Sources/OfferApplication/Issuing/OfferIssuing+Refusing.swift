import OfferEligibility
import OfferModel
import OfferStore

extension OfferIssuing {
    /// Records a reasoned no; an introductory offer is blocked by a signed statement where the answer is certain and
    /// the customer has a known transaction, because StoreKit would grant it otherwise (DESIGN §6). Nothing is signed
    /// about a product that is not the offer's: the request names it freely.
    func refuse<Reply: IssueReply>(
        _ asked: AskedOrder, about subject: PreparedSubject, signer: ArtefactSigner, _ reply: Reply
    ) async throws -> Reply.Answer? {
        let decisionId = try random.orderedUUID(at: asked.snapshot.now)
        let blocks =
            asked.question.offer.delivery == .introductoryEligibility && asked.decision.outcome == .ineligible
            && asked.question.offer.products.contains(asked.plan.productId) && asked.plan.transactionId != nil
        let signatures =
            blocks
            ? try signer.sign(
                asked.plan, offer: asked.question.offer, issuedOfferId: nil, signing: nil, decisionId: decisionId,
                timestamp: asked.snapshot.now, allowIntroductoryOffer: false)
            : []
        let record = try DecisionRecord(asked, signatures: signatures).text()
        let answer = try reply.write(
            .refused(
                IssueRefusal(
                    decisionId: decisionId, decision: asked.decision,
                    outlook: asked.decision.outlook(asked.question, about: subject),
                    introductoryEligibility: signatures.first?.introductoryEligibility)))
        let scope = asked.scope
        return try await database.write(by: asked.author) { transaction in
            if let earlier = try reply.earlier(at: asked.snapshot.now, transaction) { return earlier }
            let number = try ScopeStore(transaction).findOrAdd(scope)
            if try asked.stillHolds(in: number, transaction) {
                try asked.noteOpening(transaction)
            } else {
                // Where anything has changed meanwhile the next request opens the offer. The record holds what was read of
                // the customer: an erasure since then must not be undone by it.
                guard
                    try !ErasureStore(transaction).isErased(
                        asked.snapshot.subject.customers, after: asked.snapshot.sequence)
                else { return nil }
            }
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
            try reply.keep(answer, at: asked.snapshot.now, transaction)
            try StoreClock(transaction).advance(to: asked.snapshot.now)
            return answer
        }
    }
}
