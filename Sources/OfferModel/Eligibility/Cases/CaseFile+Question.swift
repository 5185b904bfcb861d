extension CaseFile {
    public func question(_ asked: OfferCase, about offer: Offer) -> Question {
        let product = asked.productId ?? offer.products.first ?? CaseWorld.product.productId
        let group = group(of: product)
        let catalogProducts = catalog?.product(product)?.group.products.map(\.productId)
        var question = Question(
            now: asked.asOf, scope: Scope(bundleId: bundleId, environment: asked.environment),
            offer: CompiledOffer(offer), productId: product, subscriptionGroupIdentifier: group,
            catalog: CompiledCatalog(
                Catalog(bundleId: bundleId, offers: offers), offerGroups: catalog?.offerGroups ?? [:]),
            pause: asked.pause, signals: asked.signals,
            needsNewSigning: asked.needsNewSigning, takesHistoryAsProven: asked.takesHistoryAsProven,
            groupProducts: Set(asked.groupProducts ?? catalogProducts ?? []), products: products(with: product),
            request: asked.request)
        // Which account it is makes no difference to a case.
        if asked.accountUses != nil { question.signUp = SignUp(customerId: "customer") }
        return question
    }

    /// The facts of the customer of a case: without data signed or bought after its instant, unless the case is
    /// about the present.
    public func facts(of asked: OfferCase, policy: Policy = .standard) -> SubjectFacts {
        var facts = SubjectFacts(
            history: History(asked.history, asOf: asked.asOf),
            issuedOffers: asked.issuedOffers.enumerated().compactMap { issuedOffer($1, place: $0, policy) },
            attributes: asked.attributes, firstStoredAt: asked.firstStoredAt, rolloutKey: asked.rolloutKey,
            openedAt: asked.openedAt)
        facts.grants = asked.grants
        for index in facts.issuedOffers.indices {
            let id = facts.issuedOffers[index].id
            facts.issuedOffers[index].grantId = asked.grants.first { $0.issuedOfferId == id }?.id
        }
        var known = asked.isPresent ? facts : facts.known(asOf: asked.asOf)
        if let counters = asked.counters {
            for offer in offers {
                known.counters[offer.id] = OfferCounters(counters, asked, issuedOffers: known.issuedOffers, offer)
            }
        }
        for offer in offers {
            known.accountUses[offer.id] = asked.accountUses?.map {
                AccountUse(takenAt: $0, countsUntil: nil, redeemedAt: $0, issuedOfferId: nil)
            }
        }
        return known
    }

    /// The catalog's products in the group of one; without a catalog every product costs the same.
    private func products(with product: ProductId) -> [Product] {
        if let catalog { return catalog.product(product)?.group.products ?? [] }
        var only = CaseWorld.product
        only.productId = product
        return [only]
    }

    private func issuedOffer(_ issued: SuppliedOffer, place: Int, _ policy: Policy) -> IssuedOffer? {
        guard let offer = offers.first(where: { $0.has(issued.offerId) }),
            let product = issued.productId ?? offer.products.first,
            let group = group(of: product)
        else { return nil }
        var issuedOffer = IssuedOffer(issued, of: offer, on: product, in: group, place: place, policy)
        issuedOffer.offerId = issued.offerId
        issuedOffer.cost = products(with: product).first { $0.productId == product }.flatMap { offer.cost(on: $0) }
        return issuedOffer
    }
}

extension OfferCounters {
    /// The counters that a case states; the customer's own open offers are among what is used.
    fileprivate init(_ stated: CaseCounters, _ asked: OfferCase, issuedOffers: [IssuedOffer], _ offer: Offer) {
        let open = issuedOffers.filter { offer.has($0.offerId) && $0.isOpen(at: asked.asOf) && $0.grantId == nil }
        self.init(asOf: stated.asOf ?? asked.asOf, places: stated.used ?? open.count, open: open.map(OpenPlace.init))
        spent = Dictionary(open.compactMap(\.cost).map { ($0.currency, $0.milliunits) }) { $0.saturatingAdding($1) }
        if let stated = stated.spent { spent[stated.currency] = stated.milliunits }
        endings = [Ending(unit: .places, amount: .max, at: stated.frees)]
        if let currency = stated.spent?.currency {
            endings.append(Ending(unit: .money(currency), amount: .max, at: stated.frees))
        }
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
