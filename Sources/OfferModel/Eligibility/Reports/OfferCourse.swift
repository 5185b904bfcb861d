/// How one customer used one offer, as their history shows it at an instant (docs/reports.md).
public struct OfferCourse: Sendable, Hashable {
    /// The uses of issued offers of the offer, from the earliest; not of those that a grant of support gave.
    public let redemptions: [Redemption]
    /// Uses of the offer that no issued offer led to.
    public let redemptionsWithoutIssuedOffer: Int
    /// How many of them are another customer's, with the account that the issued offer was signed for.
    public let redemptionsByAnother: Int
    /// Uses of the App Store's own retention offers in the group.
    public let redemptionsOfRetention: Int
    /// Uses of an issued offer beyond its first.
    public let doubledRedemptions: Int
    /// Whether Apple refunded a period of a use, in full or in part.
    public let isRefunded: Bool
    /// Whether a use still runs, or waits for the next renewal.
    public let isInOffer: Bool
    /// Whether a period without any offer that began after a use was paid for, and not refunded in full: of the same
    /// group, so also after an upgrade.
    public let hasRenewedAtFullPrice: Bool
    /// Whether the customer's own subscription of the group gives access; absent if that is unknown.
    public let isActive: Bool?

    /// - Parameters:
    ///   - offer: the offer; its issued offers are those with its id.
    ///   - group: the group of its products; absent if it is unknown.
    ///   - start: uses without an issued offer and retention offers count from then on.
    ///   - now: what began or was refunded later does not count.
    public init(
        of offer: Offer, in group: SubscriptionGroupId?, _ facts: SubjectFacts, since start: Instant, at now: Instant,
        policy: Policy = .standard
    ) {
        let past = SubscriptionHistory(facts)
        let uses = KnownUses(past, lengths: OfferLengths([offer]), takesHistoryAsProven: false)
        let issuedOffers = Set(
            facts.issuedOffers.lazy.filter { $0.offerId == offer.id && $0.grantId == nil }.map(\.id))
        let redemptions = uses.redemptions.filter { $0.issuedOfferId.map(issuedOffers.contains) ?? false }
        let key = group.map { RedemptionKey(look: offer.look, group: $0) }
        self.redemptions = redemptions
        redemptionsWithoutIssuedOffer = uses.redemptions.count {
            $0.issuedOfferId == nil && $0.key == key && $0.firstEvidence >= start
        }
        redemptionsOfRetention = uses.redemptions.count {
            $0.offerType == .retention && $0.subscriptionGroupIdentifier == group && $0.firstEvidence >= start
        }
        doubledRedemptions = redemptions.count - Set(redemptions.map(\.issuedOfferId)).count
        let own = redemptions.filter { !$0.isByAnother }
        redemptionsByAnother = redemptions.count - own.count
        let runs = own.map { RedeemedRun($0, in: past.groups[$0.subscriptionGroupIdentifier]?.rows ?? []) }
        isRefunded = runs.contains { $0.isRefunded(by: now) }
        hasRenewedAtFullPrice = runs.contains { $0.isFollowedAtFullPrice(by: now) }
        guard let group = group ?? redemptions.last?.subscriptionGroupIdentifier else {
            isActive = nil
            isInOffer = false
            return
        }
        let subject = Subject(
            past, at: now, coverage: facts.history.coverage, policy: policy, uses: uses, group: nil, groupProducts: [])
        let isActive = OwnSubscription(subject.view(of: group).candidates(at: now)).hasAccess
        self.isActive = isActive
        isInOffer = runs.contains { $0.isRunning(at: now, isActive: isActive == true) }
    }
}

/// The periods of one redemption, and what followed them in the group.
struct RedeemedRun {
    private let redemption: Redemption
    private let periods: [Recorded<Transaction>]
    private let later: [Recorded<Transaction>]

    /// - Parameter rows: every transaction of the group, by purchase date.
    init(_ redemption: Redemption, in rows: [Recorded<Transaction>]) {
        self.redemption = redemption
        let first = rows.first { $0.payload.transactionId == redemption.transactionId }
        guard let first else {
            periods = []
            later = []
            return
        }
        let begun = first.payload.purchaseDate
        let ends = redemption.offerEnds ?? begun
        periods = rows.filter { row in
            row.isOfSamePeriod(as: first) || row.payload.transactionId == redemption.transactionId
                || row.payload.originalTransactionId == redemption.originalTransactionId && row.key == redemption.key
                    && row.payload.purchaseDate >= begun && row.payload.purchaseDate < ends
        }
        later = rows.filter { $0.payload.purchaseDate > begun && !$0.isOfSamePeriod(as: first) }
    }

    func isRefunded(by now: Instant) -> Bool {
        periods.contains { row in
            // Of a period with added seats, each transaction.
            row.isRefunded(by: now) && periods.allSatisfy { !$0.isOfSamePeriod(as: row) || $0.isRefunded(by: now) }
        }
    }

    /// Running, or shown as the offer of the next renewal of a subscription that runs.
    func isRunning(at now: Instant, isActive: Bool) -> Bool {
        guard redemption.transactionId != nil || redemption.offerEnds != nil else { return isActive }
        return redemption.offerEnds.map { $0 > now } ?? false
    }

    /// Whether a period without an offer that began after the run did was paid for by the customer.
    func isFollowedAtFullPrice(by now: Instant) -> Bool {
        later.contains { row in
            row.isOwned == true && row.payload.purchaseDate <= now && row.payload.offerType == nil
                && row.payload.price != 0 && !row.isTakenBackInFull(by: now)
        }
    }
}

extension Recorded<Transaction> {
    fileprivate func isRefunded(by now: Instant) -> Bool {
        payload.revocationDate.map { $0 <= now } == true && isRefund == true
    }

    fileprivate var key: RedemptionKey? {
        guard let type = payload.offerType, let group = payload.subscriptionGroupIdentifier else { return nil }
        return RedemptionKey(look: OfferLook(type, payload.offerIdentifier), group: group)
    }

    /// A prorated refund leaves a period that was paid for in part.
    fileprivate func isTakenBackInFull(by now: Instant) -> Bool {
        guard let revoked = payload.revocationDate, revoked <= now else { return false }
        return payload.revocationType != .refundProrated
    }
}

/// The customer's own subscription of a group at an instant; what the family shares with them is not theirs.
public struct OwnSubscription: Sendable, Hashable {
    /// Whether it gives access; absent if that is unknown. False without any data: a report counts
    /// what is known to be.
    public let hasAccess: Bool?
    /// Whether it renews; absent if unknown, or without access.
    public let willAutoRenew: Bool?

    public var isRenewing: Bool? {
        guard let hasAccess else { return nil }
        return hasAccess ? willAutoRenew : false
    }

    public var isCancelled: Bool { hasAccess == true && willAutoRenew == false }

    public init(_ history: History, of group: SubscriptionGroupId, at instant: Instant, policy: Policy = .standard) {
        let subject = Subject(SubjectFacts(history: history), at: instant, policy: policy)
        self.init(subject.view(of: group).candidates(at: instant))
    }

    init(_ candidates: [Candidate]) {
        let own = candidates.filter { $0.isOwned == true }
        let uncertain = candidates.contains { $0.isOwned == nil && $0.resolution.hasAccess != false }
        if let active = own.first(where: { $0.resolution.hasAccess == true }) {
            hasAccess = true
            willAutoRenew = active.subscription.willAutoRenew
        } else {
            hasAccess = uncertain || own.contains { $0.resolution.hasAccess == nil } ? nil : false
            willAutoRenew = nil
        }
    }
}

/// Whether an offer kept a customer who had cancelled: the save rate's question of one redemption (docs/reports.md).
public enum SaveOutcome: Sendable, Hashable {
    /// When the offer was issued their subscription was not known to be running with renewal off.
    case notAtRisk
    /// The days have not passed yet.
    case pending
    /// After those days their subscription runs and renews.
    case saved
    /// After those days it does not.
    case lost
    case undetermined

    /// How many days after the redemption's first evidence it is judged.
    public static let days: Int64 = 30

    public static func isDue(_ redemption: Redemption) -> Instant {
        redemption.firstEvidence.adding(milliseconds: days * Instant.Duration.day)
    }

    /// - Parameters:
    ///   - atIssue: the customer's subscription when the issued offer was issued, by what was signed until then.
    ///   - afterwards: the same when the redemption is judged; absent before.
    public init(atIssue: OwnSubscription, afterwards: OwnSubscription?) {
        guard atIssue.isCancelled else {
            self = .notAtRisk
            return
        }
        guard let afterwards else {
            self = .pending
            return
        }
        self = afterwards.isRenewing.map { $0 ? .saved : .lost } ?? .undetermined
    }
}
