import OfferModel

/// Reads `customer.*`: facts of the customer's purchases in the whole app.
///
/// Presence decides at once; what is absent, and counts that could be greater, need a complete history (invariant 3).
struct CustomerFactReader {
    let subject: Subject
    let now: Instant

    func fact(_ fact: CustomerFact) -> Fact {
        switch fact {
        case .daysSinceFirstPurchase: daysSinceFirstPurchase
        case .daysSinceFirstSeen: daysSinceFirstSeen
        case .everSubscribed: everSubscribed
        case .refunds: refunds
        case .storefront: storefront
        case .offersRedeemed: RedemptionFactReader(subject: subject).offersRedeemed
        case .daysSinceLastOffer: RedemptionFactReader(subject: subject).daysSinceLast(at: now)
        }
    }

    private var incompleteness: ReasonCode? { subject.isComplete ? nil : .historyIncomplete }

    private var daysSinceFirstPurchase: Fact {
        let doubt = subject.purchases.isFirstUncertain ? .valueUnknown : incompleteness
        guard let first = subject.purchases.first else { return Fact(.undetermined(doubt ?? .noPurchase)) }
        return grown(since: first.date, doubt: doubt, subject.history.transactions[first.row])
    }

    private var daysSinceFirstSeen: Fact {
        guard let seen = subject.firstSeen else { return Fact(.undetermined(.appTransactionUnknown)) }
        let days = Fact.Knowledge.days(since: seen.date, at: now)
        let doubt: ReasonCode? =
            !seen.isObtainedKnown
            ? .appTransactionUnknown : subject.purchases.isFirstUncertain ? .valueUnknown : incompleteness
        return Fact(
            doubt.map { .atLeast(days, because: $0) } ?? .known(.number(days)), provenance: seen.provenance,
            transactionId: seen.transactionId, change: .none)
    }

    private func grown(since start: Instant, doubt: ReasonCode?, _ row: Recorded<Transaction>) -> Fact {
        let days = Fact.Knowledge.days(since: start, at: now)
        return Fact(
            doubt.map { .atLeast(days, because: $0) } ?? .known(.number(days)), provenance: row.provenance,
            transactionId: row.payload.transactionId, change: .none)
    }

    private var everSubscribed: Fact {
        let ever = subject.purchases.anySubscription
        guard let bought = ever.own.map({ subject.history.transactions[$0] }) else {
            let doubt = ever.isUncertain ? .valueUnknown : incompleteness
            return Fact(
                doubt.map(Fact.Knowledge.undetermined) ?? .known(.boolean(false)),
                change: .to(.boolean(true), .subscriptionBought))
        }
        return Fact(
            .known(.boolean(true)), provenance: bought.provenance, transactionId: bought.payload.transactionId,
            change: .none)
    }

    /// A refund that Apple reverses is one no longer, so the count may also shrink.
    private var refunds: Fact {
        let known = subject.purchases.refunds.filter { $0.date <= now }
        let doubt = subject.purchases.areRefundsUncertain ? .valueUnknown : incompleteness
        let newest = known.max { ($0.date, $0.row) < ($1.date, $1.row) }.map { subject.history.transactions[$0.row] }
        return Fact(
            .count(known.count, doubt: doubt), provenance: newest?.provenance,
            transactionId: newest?.payload.transactionId, change: .any(.transactionReceived))
    }

    private var storefront: Fact {
        guard let row = subject.purchases.storefront.map({ subject.history.transactions[$0] }),
            let code = row.payload.storefront
        else {
            let reason: ReasonCode =
                !subject.isComplete
                ? .historyIncomplete : subject.purchases.first == nil ? .noPurchase : .storefrontUnknown
            return Fact(.undetermined(reason), change: .any(.transactionReceived))
        }
        return Fact(
            .known(.text(code)), provenance: row.provenance, transactionId: row.payload.transactionId,
            change: .any(.transactionReceived))
    }
}
