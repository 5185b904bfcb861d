import OfferEligibility
public import OfferModel

/// What one commit made known about uses of offers, for whoever counts them (docs/design.md#issued-offers-and-limits).
public struct RedemptionNews: Sendable, Hashable {
    /// What became known.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A use of an offer, whatever else it is: a run of periods is one.
        case redeemed
        /// It only waits for the next renewal, by renewal info.
        case pending
        /// We did not issue it.
        case unmatched
        /// An earlier use took the same issued offer.
        case doubled
        /// It is dated after its issued offer stopped counting.
        case late
        /// An offer was signed, and the customer bought at full price right after.
        case fullPrice
    }

    /// The app and environment.
    public var scope: Scope
    /// How often; what did not happen is left out.
    public var counts: [Kind: Int]
}

/// Gathers them in one writing transaction.
struct RedemptionTally {
    private(set) var counts: [ScopeNumber: [RedemptionNews.Kind: Int]] = [:]

    mutating func add(_ number: Int, _ kind: RedemptionNews.Kind, in scope: ScopeNumber) {
        guard number > 0 else { return }
        counts[scope, default: [:]][kind, default: 0] += number
    }

    /// What has changed of a customer's redemptions. A row that is only told anew, because its run went on or its slot
    /// became known, is no news: of each offer of a subscription counts by how many there are more.
    mutating func add(_ change: RedemptionChange, in scope: ScopeNumber) {
        let removed = Dictionary(grouping: change.removed.map(\.redemption), by: Use.init)
        for (use, added) in Dictionary(grouping: change.added.map(\.redemption), by: Use.init) {
            for kind in RedemptionNews.Kind.allCases {
                let before = removed[use, default: []].count { $0.shows(kind) }
                add(added.count { $0.shows(kind) } - before, kind, in: scope)
            }
        }
    }

    /// The same offer of the same subscription.
    private struct Use: Hashable {
        let subscription: TransactionId
        let type: TransactionOfferType
        let identifier: OfferIdentifier?

        init(_ redemption: Redemption) {
            subscription = redemption.originalTransactionId
            type = redemption.offerType
            identifier = redemption.offerIdentifier
        }
    }
}

extension Redemption {
    fileprivate func shows(_ kind: RedemptionNews.Kind) -> Bool {
        switch kind {
        case .redeemed: true
        case .pending: transactionId == nil && offerEnds == nil
        case .unmatched: slotId == nil
        case .doubled: isDoubled
        case .late: isLate
        case .fullPrice: false
        }
    }
}
