import OfferModel

/// Reads one entry of a case's `issuedOffers`.
struct CaseIssuedOfferReader {
    private static let keys = [
        "id", "offerId", "productId", "issuedAt", "expiresAt", "countsUntil", "signings", "voidedAt", "released",
    ]

    let source: CaseOffers
    /// The offer the case asks for, which an entry need not name.
    let asked: OfferId?

    func read(_ field: Field) -> CaseIssuedOffer? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let offerId =
            mapping.has("offerId")
            ? mapping.optional("offerId")?.knownOffer(among: source.offers)
            : asked ?? mapping.required("offerId").flatMap { $0.knownOffer(among: source.offers) }
        let id = mapping.value("id", default: nil) { $0.uuid().map(Optional.some) }
        let issuedAt = mapping.required("issuedAt")?.caseInstant()
        let signings = mapping.value("signings", default: 1) { $0.wholeNumber(1...1_000) }
        guard let offerId, let id, let issuedAt, let signings else { return nil }
        return CaseIssuedOffer(
            id: id, offerId: offerId,
            productId: mapping.optional("productId")?.text(.productId).map { ProductId($0) }, issuedAt: issuedAt,
            expiresAt: mapping.optional("expiresAt")?.caseInstant(),
            countsUntil: mapping.optional("countsUntil")?.caseInstant(), signings: signings,
            voidedAt: mapping.optional("voidedAt")?.caseInstant(),
            isReleased: mapping.optional("released")?.boolean() ?? false)
    }
}
