/// The plain reference model of docs/design.md#issued-offers-and-limits: lists and loops over what was issued and
/// redeemed, with no index, no counter and no code of the product. Times in milliseconds.
struct ModelLedger: Sendable {
    /// The plan of a signing; equal plans may share one.
    struct Plan: Sendable, Hashable {
        var formats: Set<String>
        var appAccountToken: String?
        /// The identifier that is signed.
        var reference: String
    }

    struct IssuedOffer: Sendable, Hashable {
        var id: String
        var customer: Int
        var offer: String
        var issuedAt: Int64
        var signings = 1
        /// Of the newest signing.
        var plan: Plan
        var signedAt: Int64
        var voidedAt: Int64?
        var isReleased = false

        var expiresAt: Int64 { signedAt + signatureLife }
        var countsUntil: Int64 { expiresAt + countingTail }
    }

    struct Redemption: Sendable, Hashable {
        var transactionId: String
        var customer: Int
        var offer: String
        /// The date of its evidence: when it was bought.
        var at: Int64
        /// When the period that was bought ends.
        var ends: Int64
        /// Whether it came when no issued offer that counts stood for it, so that it took a place beyond the limits.
        var isExtra = false
    }

    struct Ask: Sendable, Hashable {
        var customer: Int
        var offer: String
        var plan: Plan
        var isFresh = false
    }

    enum Answer: Sendable, Hashable {
        case issue
        case sign(issuedOffer: String)
        case stored(issuedOffer: String, signing: Int)
        case refused(Set<String>)

        /// The rules that say no.
        var violated: Set<String> {
            if case .refused(let rules) = self { rules } else { [] }
        }
    }

    static let hour: Int64 = 3_600_000
    static let signatureLife = 24 * hour
    static let countingTail = hour
    static let leastLife = hour

    let terms: [OfferTerms]
    var issuedOffers: [IssuedOffer] = []
    var redemptions: [Redemption] = []

    /// The result of an order.
    func answer(_ ask: Ask, at now: Int64) -> Answer {
        let offer = terms(of: ask.offer)
        let own = own(ask.customer)
        let open = own.issuedOffers.first { $0.offer == ask.offer && own.isOpen($0, at: now) }
        let isStored = open.map { issuedOffer in
            !ask.isFresh && issuedOffer.plan == ask.plan && issuedOffer.expiresAt - now >= Self.leastLife
        }
        let redeemed = own.redemptions.map(\.redemption).filter { $0.offer == ask.offer }
        var violated: Set<String> = []
        if redeemed.contains(where: { $0.at <= now && now < $0.ends }) {
            violated.insert("platform.promotional.notApplied")
        }
        for limit in offer.limits {
            if let rule = violation(of: limit, offer, own, open: open, at: now) { violated.insert(rule) }
        }
        if let hours = offer.coolDownHours, redeemed.contains(where: { now < $0.at + hours * Self.hour }) {
            violated.insert("limit.coolDown")
        }
        if !own.places(at: now, open: open, { offer.excludes.contains($0) }).isEmpty {
            violated.insert("limit.excludes")
        }
        if let open, isStored == false, open.signings >= offer.signings { violated.insert("limit.signatures") }
        guard violated.isEmpty else { return .refused(violated) }
        guard let open else { return .issue }
        return isStored == true ? .stored(issuedOffer: open.id, signing: open.signings) : .sign(issuedOffer: open.id)
    }

    /// The rule that a limit is told by, if it gives no further place.
    private func violation(
        of limit: OfferTerms.Limit, _ offer: OfferTerms, _ own: Own, open: IssuedOffer?, at now: Int64
    ) -> String? {
        switch limit {
        case .customer(let count, let hours, let across):
            let taken = own.places(at: now, open: open) { counts($0, across, offer.id) }
            let since = hours.map { now - $0 * Self.hour } ?? .min
            guard taken.count(where: { $0 > since }) >= count else { return nil }
            return hours == nil ? "limit.customer" : "limit.customerWindow"
        case .total(let count): return used(offer.id, open: open, at: now) < count ? nil : "limit.total"
        case .spend(let milliunits):
            let spent = Int64(used(offer.id, open: open, at: now)) * OfferTerms.cost
            return spent + OfferTerms.cost <= milliunits ? nil : "limit.budget"
        }
    }

    func terms(of offer: String) -> OfferTerms {
        terms.first { $0.id == offer } ?? OfferTerms(id: offer, limits: [])
    }

    private func counts(_ offer: String, _ across: OfferTerms.Across, _ asked: String) -> Bool {
        switch across {
        case .thisOffer: offer == asked
        case .all: true
        case .tag(let tag): terms(of: offer).tags.contains(tag)
        }
    }

    /// How often everybody together has used an offer.
    private func used(_ offer: String, open: IssuedOffer?, at now: Int64) -> Int {
        (0..<ModelCustomers.count).reduce(0) { $0 + own($1).places(at: now, open: open) { $0 == offer }.count }
    }
}

extension ModelLedger {
    /// The state of one customer: the issued offers, and each redemption with the issued offer that it used.
    struct Own {
        let issuedOffers: [IssuedOffer]
        let redemptions: [(redemption: Redemption, issuedOffer: IssuedOffer?)]

        /// Whether it can be asked for again.
        func isOpen(_ issuedOffer: IssuedOffer, at now: Int64) -> Bool {
            issuedOffer.voidedAt == nil && now < issuedOffer.countsUntil && !isRedeemed(issuedOffer)
        }

        /// Whether it takes a place although nothing is known to have used it.
        func isCounting(_ issuedOffer: IssuedOffer, at now: Int64) -> Bool {
            !issuedOffer.isReleased && now < issuedOffer.countsUntil && !isRedeemed(issuedOffer)
        }

        /// The dates of the places taken: by redemptions for ever, by issued offers while they count; the open issued
        /// offer of the offer that is asked for is no use yet. An issued offer's first use has the issued offer's date,
        /// any other use its own.
        func places(at now: Int64, open: IssuedOffer?, _ isCounted: (String) -> Bool) -> [Int64] {
            redemptions.filter { isCounted($0.redemption.offer) }
                .map { isFirstUse($0) ? $0.issuedOffer?.issuedAt ?? $0.redemption.at : $0.redemption.at }
                + issuedOffers.filter { isCounted($0.offer) && $0.id != open?.id && isCounting($0, at: now) }.map(
                    \.issuedAt)
        }

        private func isFirstUse(_ use: (redemption: Redemption, issuedOffer: IssuedOffer?)) -> Bool {
            !redemptions.contains { other in
                other.issuedOffer?.id == use.issuedOffer?.id
                    && (other.redemption.at, other.redemption.transactionId)
                        < (use.redemption.at, use.redemption.transactionId)
            }
        }

        private func isRedeemed(_ issuedOffer: IssuedOffer) -> Bool {
            redemptions.contains { $0.issuedOffer?.id == issuedOffer.id }
        }
    }

    func own(_ customer: Int) -> Own {
        let issuedOffers = issuedOffers.filter { $0.customer == customer }
        return Own(
            issuedOffers: issuedOffers,
            redemptions: redemptions.filter { $0.customer == customer }.map {
                ($0, Self.issuedOffer(of: $0, among: issuedOffers))
            })
    }

    /// The issued offer that a redemption used: the newest of that offer issued by then.
    private static func issuedOffer(of redemption: Redemption, among issuedOffers: [IssuedOffer]) -> IssuedOffer? {
        issuedOffers.filter { $0.offer == redemption.offer && $0.issuedAt <= redemption.at }
            .max { ($0.issuedAt, $0.id) < ($1.issuedAt, $1.id) }
    }
}
