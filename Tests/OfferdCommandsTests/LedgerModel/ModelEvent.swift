/// Something that changed the ledger, with its place in the store's own order and when its request was sent and
/// answered.
struct ModelEvent: Sendable {
    enum Change: Sendable {
        case issue(ModelLedger.Ask, issuedOffer: String)
        case sign(ModelLedger.Ask, issuedOffer: String)
        case redeem(ModelLedger.Redemption)
        case void(issuedOffer: String, release: Bool)
    }

    var number: Int
    var change: Change
    /// The instant it is recorded with, in milliseconds.
    var at: Int64
    /// Where it stands; a void has no row of its own, so its place is looked for among the gaps.
    var place: Int64?
    /// Between which places the audit tells of it; what has a place needs none.
    var audited: AuditedVoid?
    var started: Int
    var ended: Int?
}

extension ModelEvent: CustomStringConvertible {
    var description: String {
        let what =
            switch change {
            case .issue(let ask, let issuedOffer): "issued \(ask.offer) to \(ask.customer): \(issuedOffer)"
            case .sign(let ask, let issuedOffer): "signed \(ask.offer) to \(ask.customer) again: \(issuedOffer)"
            case .redeem(let redemption): "redeemed \(redemption.offer) by \(redemption.customer)"
            case .void(let issuedOffer, let release): "voided \(issuedOffer)\(release ? ", released" : "")"
            }
        return "\(place.map(String.init) ?? "?") #\(number) \(what)"
    }
}

extension ModelLedger {
    /// Makes a change that must be what the model would have made.
    ///
    /// - Returns: why it is not, if so.
    mutating func apply(_ change: ModelEvent.Change, at now: Int64) -> String? {
        switch change {
        case .issue(let ask, let issuedOffer):
            let answer = answer(ask, at: now)
            issuedOffers.append(
                IssuedOffer(
                    id: issuedOffer, customer: ask.customer, offer: ask.offer, issuedAt: now, plan: ask.plan,
                    signedAt: now))
            return answer == .issue ? nil : "a new offer was issued; the model says \(answer)"
        case .sign(let ask, let issuedOffer):
            let answer = answer(ask, at: now)
            for index in issuedOffers.indices where issuedOffers[index].id == issuedOffer {
                issuedOffers[index].signings += 1
                issuedOffers[index].plan = ask.plan
                issuedOffers[index].signedAt = now
            }
            return answer == .sign(issuedOffer: issuedOffer)
                ? nil : "\(issuedOffer) was signed again; the model says \(answer)"
        case .redeem(var redemption):
            redemption.isExtra = true
            redemptions.append(redemption)
            let used = own(redemption.customer).redemptions.last?.issuedOffer
            redemptions.removeLast()
            // It takes no further place where it uses an issued offer that counts.
            redemption.isExtra = used.map { !own(redemption.customer).isCounting($0, at: now) } ?? true
            redemptions.append(redemption)
            return nil
        case .void(let issuedOffer, let release):
            guard let index = issuedOffers.firstIndex(where: { $0.id == issuedOffer }) else {
                return "voided, and not issued yet"
            }
            let wasOpen = own(issuedOffers[index].customer).isOpen(issuedOffers[index], at: now)
            issuedOffers[index].voidedAt = now
            issuedOffers[index].isReleased = release
            return wasOpen ? nil : "\(issuedOffer) was voided, and was not open"
        }
    }

    /// The limits of one offer under which more places are taken than they give, not counting what redemptions took
    /// beyond them (invariant 2).
    func overruns(at now: Int64) -> [String] {
        let owned = (0..<ModelCustomers.count).map(own)
        return terms.flatMap { offer in
            let places = owned.map { $0.placesWithinLimits(of: offer.id, at: now) }
            return offer.limits.flatMap { limit -> [String] in
                switch limit {
                case .customer(let count, let hours, .thisOffer):
                    let since = hours.map { now - $0 * Self.hour } ?? .min
                    return places.enumerated().compactMap { customer, places in
                        let used = places.count { $0 > since }
                        return used > count ? "\(offer.id): \(used) of \(count) by customer \(customer)" : nil
                    }
                case .customer: return []
                case .total(let count):
                    let used = places.map(\.count).reduce(0, +)
                    return used > count ? ["\(offer.id): \(used) of \(count)"] : []
                case .spend(let milliunits):
                    let spent = Int64(places.map(\.count).reduce(0, +)) * OfferTerms.cost
                    return spent > milliunits ? ["\(offer.id): \(spent) of \(milliunits) spent"] : []
                }
            }
        }
    }
}

extension ModelLedger.Own {
    /// The dates of the uses of an offer that an issuing commit let through.
    fileprivate func placesWithinLimits(of offer: String, at now: Int64) -> [Int64] {
        redemptions.filter { !$0.redemption.isExtra && $0.redemption.offer == offer }.compactMap(
            \.issuedOffer?.issuedAt)
            + issuedOffers.filter { $0.offer == offer && isCounting($0, at: now) }.map(\.issuedAt)
    }
}
