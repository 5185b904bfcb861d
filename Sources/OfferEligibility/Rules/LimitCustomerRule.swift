import OfferModel

/// The customer has a place left under every limit per customer (DESIGN §5.3).
///
/// Redemptions count for ever, whether or not we issued them; slots count until `countsUntil`, voided ones too unless
/// released. The open slot of this offer does not count against itself.
struct LimitCustomerRule: Rule {
    let id = RuleId.limitCustomer

    func finding(_ context: RuleContext) -> Finding {
        let counts = context.offer.limits.compactMap { limit in
            if case .perCustomer(let count, nil, .thisOffer) = limit { count } else { nil }
        }
        guard let allowed = counts.min() else { return notApplicable("the offer has no limit per customer") }
        let use = context.use
        let evidence =
            [
                Evidence(
                    field: "limit.customer", observed: .number(use.count), required: .number(allowed))
            ]
            + use.redemptions.map {
                Evidence(
                    field: "redemption", observed: .instant($0.firstEvidence), provenance: $0.provenance,
                    transactionId: $0.transactionId ?? $0.originalTransactionId)
            }
            + use.countingSlots.sorted { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }.map {
                Evidence(field: "issuedOffer", observed: .text($0.id.description))
            }
        guard use.count < allowed else {
            let frees = use.frees(below: allowed)
            let end = frees.map { "the next place frees at \($0)" } ?? "no place will free by itself"
            return violated(
                .limitReached, "\(use.count) of \(allowed) uses per customer are taken; \(end)", evidence: evidence,
                turningPoint: frees.map(TurningPoint.at))
        }
        return satisfied("\(use.count) of \(allowed) uses per customer are taken", evidence: evidence)
    }
}
