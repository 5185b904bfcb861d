import OfferModel

/// The App Store lists the offer among the win-back offers that the customer may have (Apple:
/// `eligibleWinBackOfferIds`).
struct ListedByAppStoreRule: Rule {
    let id = RuleId.winBackListedByAppStore

    func concerns(_ offer: Offer) -> Bool { offer.delivery == .appStore }

    func finding(_ context: RuleContext) -> Finding {
        guard let list = context.winBackList else {
            return notApplicable("no renewal info signed after the subscription's end carries the App Store's list")
        }
        let identifier = context.offer.offerIdentifier
        let evidence = [
            Evidence(
                field: "eligibleWinBackOfferIds", observed: .list(list.offers.map { .text($0.rawValue) }),
                required: identifier.map { .text($0.rawValue) }, provenance: list.provenance,
                transactionId: list.originalTransactionId),
            Evidence(field: "signedDate", observed: .instant(list.signedDate), provenance: list.provenance),
        ]
        guard let identifier, list.offers.contains(identifier) else {
            return violated(
                .notListedByAppStore,
                "the App Store did not list the offer for the customer on \(list.signedDate.day)", evidence: evidence,
                turningPoint: .event(.renewalInfoReceived))
        }
        return satisfied(
            "the App Store listed the offer `\(identifier)` for the customer on \(list.signedDate.day)",
            evidence: evidence)
    }
}

/// The win-back offers that Apple says a customer may have.
struct WinBackList {
    let offers: [OfferIdentifier]
    let signedDate: Instant
    let provenance: Provenance
    let originalTransactionId: TransactionId
}

extension RuleContext {
    /// Apple's own list, where it decides: the offer is delivered by the App Store, and the newest renewal info of the
    /// subscription that speaks, signed after its end, carries one (docs/design.md#decisions).
    var winBackList: WinBackList? {
        guard offer.delivery == .appStore, let group = question.subscriptionGroupIdentifier,
            let speaking = subject.candidates(of: group, at: now).speaking?.subscription,
            let info = speaking.renewalInfo, let expires = speaking.current.payload.expiresDate,
            info.payload.signedDate > expires, let offers = info.payload.eligibleWinBackOfferIds
        else { return nil }
        return WinBackList(
            offers: offers, signedDate: info.payload.signedDate, provenance: info.provenance,
            originalTransactionId: info.payload.originalTransactionId)
    }
}
