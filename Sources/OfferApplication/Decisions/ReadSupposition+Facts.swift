import AppStoreData
import OfferEligibility
import OfferModel

extension ResolvedWhatIf.Supplied {
    /// What is known of the subject, with this history in place of the stored one.
    ///
    /// - Throws: ``RequestError/invalidRequest(pointer:detail:hint:)`` at an offer that the catalog cannot have issued.
    func facts(
        replacing stored: SubjectFacts, at now: Instant, in catalog: Catalog, _ policy: Policy
    ) throws(RequestError) -> SubjectFacts {
        var facts = stored
        facts.history = History(payloads, isComplete: isComplete, at: now)
        facts.keptEvidence = []
        guard let issuedOffers else { return facts }
        facts.slots = []
        for (place, offer) in issuedOffers.enumerated() {
            do throws(SuppliedOfferFault) {
                facts.slots.append(try Slot(offer, place: place, in: catalog, policy: policy))
            } catch {
                throw .invalidRequest(
                    pointer: "/history/issuedOffers/\(place)/\(error.member)", detail: error.detail(offer),
                    hint: error.hint(catalog.offer(offer.offerId)))
            }
        }
        return facts
    }

    /// Refuses what was signed or issued after the instant that is decided at: it would count although it cannot be known
    /// yet. Not for a supposed instant, which leaves such evidence out.
    ///
    /// - Throws: ``RequestError/invalidRequest(pointer:detail:hint:)``.
    func requireKnown(at now: Instant) throws(RequestError) {
        let latest = now.adding(milliseconds: SignedDataReader.allowedClockSkewMilliseconds)
        let dates: [(date: Instant, place: String)] =
            payloads.transactions.enumerated().map { ($1.payload.signedDate, "transactions/\($0)/signedDate") }
            + payloads.renewalInfos.enumerated().map { ($1.payload.signedDate, "renewalInfos/\($0)/signedDate") }
            + (payloads.appTransaction.map {
                [($0.payload.receiptCreationDate, "appTransaction/receiptCreationDate")]
            } ?? [])
            + (issuedOffers ?? []).enumerated().map { ($1.issuedAt, "issuedOffers/\($0)/issuedAt") }
        guard let first = dates.first(where: { $0.date > latest }) else { return }
        throw .invalidRequest(
            pointer: "/history/\(first.place)",
            detail: "`\(first.date)` is after the instant that is decided at, `\(now)`",
            hint: "correct the date, or give `asOf`, which decides at another instant")
    }
}

extension SuppliedOfferFault {
    fileprivate func detail(_ offer: SuppliedOffer) -> String {
        switch self {
        case .unknownOffer: "the catalog has no offer `\(offer.offerId)`"
        case .productRequired: "the offer `\(offer.offerId)` has several products and none is named"
        case .unknownProduct: "the offer `\(offer.offerId)` is not for `\(offer.productId?.rawValue ?? "")`"
        }
    }

    fileprivate func hint(_ offer: Offer?) -> String {
        guard let offer else { return "`offerId` is the offer's `id` in the catalog that is decided by" }
        return "set `productId` to one of " + offer.products.map { "`\($0)`" }.joined(separator: ", ")
    }
}
