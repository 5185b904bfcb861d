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
            let frees = context.placeFrees(below: allowed)
            let end = frees.map { "the next place frees at \($0)" } ?? "no place will free by itself"
            return violated(
                .limitReached, "\(use.count) of \(allowed) uses per customer are taken; \(end)", evidence: evidence,
                turningPoint: frees.map(TurningPoint.at))
        }
        if context.mayHaveUsedElsewhere {
            return undetermined(
                .groupMismatch,
                "at least \(use.count) of \(allowed) uses per customer are taken, perhaps more: "
                    + ReasonCode.groupMismatch.explanation, evidence: evidence)
        }
        return satisfied("\(use.count) of \(allowed) uses per customer are taken", evidence: evidence)
    }
}

extension RuleContext {
    /// When fewer than `allowed` places are taken, if nothing else happens; `nil` if never, or if that cannot be told.
    fileprivate func placeFrees(below allowed: Int) -> Instant? {
        guard !mayHaveUsedElsewhere else { return nil }
        return subject.slots.filter { $0.offerId == offer.id }.map(\.countsUntil).filter { $0 > now }.sorted()
            .first { instant in
                OfferUse(of: offer, in: question.subscriptionGroupIdentifier, subject: subject, at: instant).count
                    < allowed
            }
    }

    /// Whether a purchase that may belong to the group shows the offer asked for.
    fileprivate var mayHaveUsedElsewhere: Bool {
        guard let group = question.subscriptionGroupIdentifier else { return false }
        let key = RedemptionKey(offer.delivery.redeemedAs, offer.offerIdentifier, group)
        return subject.outsiders(of: group).contains { row in
            row.payload.isOwned != false
                && row.payload.offerType.map { RedemptionKey($0, row.payload.offerIdentifier, group) } == key
        }
    }
}
