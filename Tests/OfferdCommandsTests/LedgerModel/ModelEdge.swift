/// A moment at which an answer changes by itself, and an order whose answer that is.
struct ModelEdge: Sendable {
    enum Kind: Sendable {
        case order(ModelLedger.Ask)
        case key(String)
    }

    var at: Int64
    var kind: Kind
}

extension ModelState {
    /// Every such moment: of issued offers, windows, rests, running offers and kept answers.
    var edges: [ModelEdge] {
        ledger.issuedOffers.flatMap(edges) + ledger.redemptions.flatMap(edges)
            + kept.sorted { $0.key < $1.key }
            .map { ModelEdge(at: $1.answer.answeredAt + 24 * ModelLedger.hour, kind: .key($0)) }
    }

    private func edges(of issuedOffer: ModelLedger.IssuedOffer) -> [ModelEdge] {
        let ask = ModelLedger.Ask(customer: issuedOffer.customer, offer: issuedOffer.offer, plan: issuedOffer.plan)
        return
            ([issuedOffer.countsUntil, issuedOffer.expiresAt - ModelLedger.leastLife]
            + windowEnds(of: issuedOffer.issuedAt))
            .map { ModelEdge(at: $0, kind: .order(ask)) }
    }

    private func edges(of redemption: ModelLedger.Redemption) -> [ModelEdge] {
        let plan = ModelLedger.Plan(
            formats: ["v2"], appAccountToken: nil, reference: ModelCustomers.original(redemption.customer))
        let ask = ModelLedger.Ask(customer: redemption.customer, offer: redemption.offer, plan: plan)
        let rests = ledger.terms.compactMap(\.coolDownHours).map { redemption.at + $0 * ModelLedger.hour }
        return ([redemption.ends] + rests + windowEnds(of: redemption.at)).map { ModelEdge(at: $0, kind: .order(ask)) }
    }

    private func windowEnds(of taken: Int64) -> [Int64] {
        ledger.terms.flatMap(\.limits).compactMap { limit in
            guard case .customer(_, let hours?, _) = limit else { return nil }
            return taken + hours * ModelLedger.hour
        }
    }
}
