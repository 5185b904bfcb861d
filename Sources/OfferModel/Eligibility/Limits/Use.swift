/// One use counted under a limit: a redemption permanently, an issued offer as long as it counts
/// (docs/design.md#issued-offers-and-limits).
final class Use: Sendable {
    /// The date that counts in a window: when the issued offer was issued; of a redemption without an issued offer, and
    /// of a second use of one, its first evidence (docs/decisions/0017).
    let takenAt: Instant
    /// From when it no longer counts; `nil` for a redemption.
    let countsUntil: Instant?
    let evidence: Evidence
    /// The issued offer that took it; absent for a use that we did not issue.
    let issuedOfferId: LowercaseUUID?
    let issuedAt: Instant?
    /// The app's account that it was issued for.
    let signUp: SignUp?
    /// When it was redeemed; absent for an issued offer that only counts.
    let redeemedAt: Instant?
    /// Whether another Apple Account of the app account made it.
    let isElsewhere: Bool
    /// Whether it is the one use that a grant of support gave, which counts under no limit; a second use of the same
    /// issued offer does.
    let isGranted: Bool

    var isRedeemed: Bool { countsUntil == nil }

    init(_ redemption: Redemption, issuedOffer: IssuedOffer?) {
        takenAt = redemption.isDoubled ? redemption.firstEvidence : issuedOffer?.issuedAt ?? redemption.firstEvidence
        countsUntil = nil
        evidence = redemption.evidence("redemption", .instant(redemption.firstEvidence))
        issuedOfferId = issuedOffer?.id
        issuedAt = issuedOffer?.issuedAt
        signUp = issuedOffer?.signUp
        redeemedAt = redemption.firstEvidence
        isElsewhere = false
        isGranted = issuedOffer?.grantId != nil && !redemption.isDoubled
    }

    init(_ issuedOffer: IssuedOffer) {
        takenAt = issuedOffer.issuedAt
        countsUntil = issuedOffer.countsUntil
        evidence = Evidence(field: "issuedOffer", observed: .text(issuedOffer.id.description))
        issuedOfferId = issuedOffer.id
        issuedAt = issuedOffer.issuedAt
        signUp = issuedOffer.signUp
        redeemedAt = nil
        isElsewhere = false
        isGranted = issuedOffer.grantId != nil
    }

    init(_ use: AccountUse) {
        takenAt = use.takenAt
        countsUntil = use.countsUntil
        evidence =
            use.issuedOfferId.map { Evidence(field: "issuedOffer", observed: .text($0.description)) }
            ?? Evidence(field: "redemption", observed: use.redeemedAt.map(EvidenceValue.instant))
        issuedOfferId = use.issuedOfferId
        issuedAt = nil
        signUp = nil
        redeemedAt = use.redeemedAt
        isElsewhere = true
        isGranted = false
    }

    /// Whether it counts at an instant, within the window if there is one.
    func counts(in window: Period?, at instant: Instant) -> Bool { end(in: window).map { instant < $0 } ?? true }

    /// The first moment at which it no longer counts, within the window if there is one; `nil` if it always will.
    func end(in window: Period?) -> Instant? {
        guard let window else { return countsUntil }
        let passes = takenAt.adding(window)
        return countsUntil.map { min($0, passes) } ?? passes
    }
}

extension RuleContext {
    /// The places that uses of those offers take at an instant not before the question's: redemptions from the
    /// earliest, then issued offers from the earliest.
    ///
    /// - Parameter withOpen: whether the issued offer of the offer asked for that is open then is among them.
    func uses(
        of counted: CountedOffers, in window: Period? = nil, at instant: Instant, withOpen: Bool = false
    ) -> [Use] {
        let uses = subject.uses
        var places: [Use] = []
        for place in uses.places.indices
        where !uses.places[place].isGranted && counted.holdsUse(at: place)
            && uses.places[place].counts(in: window, at: instant)
        {
            places.append(uses.places[place])
        }
        let issuedOffers = subject.countingIssuedOffers.filter { instant < $0.countsUntil && counted.holds($0) }
        guard !issuedOffers.isEmpty else { return places }
        let open = withOpen ? nil : use.openIssuedOffer(at: instant)?.id
        for issuedOffer in issuedOffers.sorted(by: { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) })
        where issuedOffer.id != open {
            let place = Use(issuedOffer)
            if place.counts(in: window, at: instant) { places.append(place) }
        }
        return places
    }
}

/// Purchases that may be uses of the counted offers, if they are in the group asked about: that is not certain.
struct AmbiguousUses {
    /// When each was bought. The use that it belongs to may have begun earlier, never later.
    fileprivate(set) var purchased: [Instant] = []

    var isEmpty: Bool { purchased.isEmpty }

    mutating func add(_ others: AmbiguousUses) {
        purchased += others.purchased
    }

    /// Whether one of them would count at an instant: what is older than the window would not, whatever its group.
    func matter(in window: Period?, at instant: Instant) -> Bool {
        purchased.contains { bought in window.map { instant < bought.adding($0) } ?? true }
    }

    /// When a finding that would be a yes from `end` on becomes one: when none of them counts any more. Without a
    /// window only a catalog that says which group they are in can tell.
    func turningPoint(_ end: Instant, in window: Period? = nil) -> TurningPoint {
        guard let window else { return isEmpty ? .at(end) : .event(.catalogChanged) }
        return .at(purchased.map { $0.adding(window) }.reduce(end, max))
    }
}

extension RuleContext {
    /// The purchases of which the group is not certain that show one of those offers.
    func ambiguousUses(of counted: CountedOffers) -> AmbiguousUses {
        guard let requested = subject.requested, !requested.ungrouped.isEmpty else { return AmbiguousUses() }
        let rows = requested.ungrouped.filter { row in
            guard row.payload.isOwned != false, let type = row.payload.offerType else { return false }
            return counted.mayHold(OfferLook(type, row.payload.offerIdentifier))
        }
        return AmbiguousUses(purchased: rows.map(\.payload.purchaseDate))
    }
}

/// A use of an offer by another Apple Account of the app account that a request names: what limits per account count
/// besides the customer's own uses (docs/design.md#issued-offers-and-limits).
///
/// A decision keeps those that it saw, so that it can be replayed (invariant 5). They name no person.
public struct AccountUse: Sendable, Hashable {
    /// The date that counts in a window.
    public var takenAt: Instant
    /// From when it no longer counts; absent for a redemption.
    public var countsUntil: Instant?
    /// When it was redeemed; absent for an issued offer that only counts.
    public var redeemedAt: Instant?
    /// The issued offer; absent for a use that we did not issue.
    public var issuedOfferId: LowercaseUUID?

    /// A use that is yet to be read.
    public static var blank: AccountUse { AccountUse(takenAt: .distantPast) }
}

extension PreparedSubject {
    /// The subject's uses of the offer asked for, except those known to be under another account than the one that
    /// asks.
    ///
    /// - Parameter knownOnly: whether also those are left out of which the account is not known.
    public func accountUses(_ question: Question, knownOnly: Bool = false) -> [AccountUse] {
        let context = context(question)
        return context.uses(of: CountedOffers(.thisOffer, context), at: question.now, withOpen: true)
            .filter { context.isUnderSameAccount($0) ?? !knownOnly }
            .map {
                AccountUse(
                    takenAt: $0.takenAt, countsUntil: $0.countsUntil, redeemedAt: $0.redeemedAt,
                    issuedOfferId: $0.issuedOfferId)
            }
    }
}
