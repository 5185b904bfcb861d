import OfferEligibility
import OfferModel
import OfferStore

extension DecisionRecord {
    /// Decides again what was decided, by a catalog: from the rows stored by then, the slots as they were seen, and the rest
    /// as recorded. It calls the same function as issuing does.
    ///
    /// - Throws: ``RequestError/unknownOffer(_:)`` if the catalog does not have the offer, and ``StoreError``.
    func decideAgain(
        _ id: OfferId, by catalog: CompiledCatalog, scope: Scope, policy: Policy, in number: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws -> Decision {
        guard let offer = catalog.catalog.offer(id) else { throw RequestError.unknownOffer(id) }
        var facts = try facts(in: number, transaction)
        facts.counters[id] = counters
        let question = Question(
            offer, productId: productId, of: catalog, scope: scope, at: now, pause: pause, signals: signals,
            request: request,
            signUp: SignUp(appAccountToken: order.appAccountToken, customerId: order.customerId),
            needsNewSigning: needsNewSigning, formats: Set(formats), takesHistoryAsProven: false)
        return decide(question, facts: facts, policy: policy)
    }

    /// The decision as it was recorded: the rules' answers of the record, with the messages and the evidence of the same
    /// decision made again.
    func decision(explainedBy again: Decision?) -> Decision {
        var known = Dictionary(grouping: again?.findings ?? [], by: \.rule)
        return Decision(
            findings: findings.map { answer in
                guard var finding = known[answer.rule]?.first else {
                    return Finding(
                        rule: answer.rule, verdict: answer.verdict, reason: answer.reason,
                        message: "`\(answer.rule.rawValue)`: `\(answer.reason.rawValue)`")
                }
                known[answer.rule]?.removeFirst()
                finding.verdict = answer.verdict
                finding.reason = answer.reason
                return finding
            })
    }

    private func facts(in number: ScopeNumber, _ transaction: any StoreTransaction) throws -> SubjectFacts {
        var facts = SubjectFacts(
            history: try HistoryStore(transaction).history(of: identifiers, upTo: historySequence, in: number),
            slots: try slots.map { try slot($0, in: number, transaction) }, attributes: attributes,
            firstStoredAt: firstStoredAt, rolloutKey: rolloutKey, openedAt: openedAt)
        facts.isUnited = customers.count > 1
        facts.keptEvidence = keptEvidence
        facts.history.coverage = coverage
        return facts
    }

    /// The slot as it was seen: its row has gone on changing.
    private func slot(
        _ seen: SeenSlot, in number: ScopeNumber, _ transaction: any StoreTransaction
    ) throws -> Slot {
        guard var slot = try SlotStore(transaction).issuedOffer(seen.id, in: number)?.slot else {
            throw StoreError.corrupt("the issued offer `\(seen.id)` that a decision has seen is missing")
        }
        slot.signings = seen.signings
        slot.expiresAt = seen.expiresAt
        slot.countsUntil = seen.countsUntil
        slot.voidedAt = seen.voidedAt
        slot.isReleased = seen.isReleased
        slot.settledAt = seen.settledAt
        return slot
    }
}
