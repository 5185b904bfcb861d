public import OfferModel

extension CaseFile {
    /// What a case asks about one of the file's offers.
    public func question(_ asked: OfferCase, about offer: Offer) -> Question {
        let product = asked.productId ?? offer.products.first ?? CaseWorld.product.productId
        let group = group(of: product)
        let catalogProducts = catalog?.product(product)?.group.products.map(\.productId)
        return Question(
            now: asked.asOf, scope: Scope(bundleId: bundleId, environment: asked.environment), offer: offer,
            productId: product, subscriptionGroupIdentifier: group,
            pause: asked.pause.flatMap(Pause.init(rawValue:)) ?? .none, signals: asked.signals,
            needsNewSigning: asked.needsNewSigning, takesHistoryAsProven: asked.takesHistoryAsProven,
            groupProducts: Set(asked.groupProducts ?? catalogProducts ?? []), request: asked.request, offers: offers,
            offerGroups: catalog?.offerGroups ?? [:])
    }

    /// What is known of the customer of a case: without data signed or bought after its instant, unless the case is
    /// about the present.
    public func facts(of asked: OfferCase, policy: Policy = .standard) -> SubjectFacts {
        let facts = SubjectFacts(
            history: History(asked.history, asOf: asked.asOf),
            slots: asked.issuedOffers.enumerated().compactMap { slot($1, place: $0, policy) },
            attributes: asked.attributes, firstStoredAt: asked.firstStoredAt, rolloutKey: asked.rolloutKey,
            openedAt: asked.openedAt)
        return asked.isPresent ? facts : facts.known(asOf: asked.asOf)
    }

    private func slot(_ issued: CaseIssuedOffer, place: Int, _ policy: Policy) -> Slot? {
        guard let offer = offer(issued.offerId), let product = issued.productId ?? offer.products.first,
            let group = group(of: product)
        else { return nil }
        let expires = issued.expiresAt ?? issued.issuedAt.adding(milliseconds: policy.signatureLife)
        return Slot(
            id: issued.id ?? Self.id(of: place), offerId: offer.id, offerIdentifier: offer.offerIdentifier,
            offerType: offer.type, delivery: offer.delivery, productId: product, subscriptionGroupIdentifier: group,
            tags: offer.tags, issuedAt: issued.issuedAt, expiresAt: expires,
            countsUntil: issued.countsUntil ?? expires.adding(milliseconds: policy.slotTail),
            signings: issued.signings, voidedAt: issued.voidedAt, isReleased: issued.isReleased)
    }

    /// The id of an issued offer that a case does not name, from its place in the list.
    private static func id(of place: Int) -> LowercaseUUID {
        LowercaseUUID(version4From: (0..<16).map { $0 < 12 ? 0 : UInt8(truncatingIfNeeded: place >> (8 * (15 - $0))) })
    }
}

extension History {
    /// The history that a case states; what is complete is so by the backend's word.
    fileprivate init(_ stated: CaseHistory, asOf: Instant) {
        self.init(
            transactions: Self.recorded(stated.transactions), renewalInfos: Self.recorded(stated.renewalInfos),
            appTransactions: Self.recorded(stated.appTransactions))
        if stated.isComplete {
            coverage = Coverage(level: .complete, asOf: stated.completeAsOf ?? asOf, provenance: .caller)
        } else if !transactions.isEmpty {
            coverage = Coverage(level: .partial)
        }
    }

    private static func recorded<Payload>(_ rows: [CaseRow<Payload>]) -> [Recorded<Payload>] {
        rows.enumerated().map { index, row in
            Recorded(
                payload: row.payload, payloadBytes: Array("\(row.payload)".utf8), provenance: row.provenance,
                sequence: Int64(index))
        }
    }
}
