import OfferAPI
import OfferModel

/// Issued offers for people; never their signatures, which are as good as the offer.
enum IssuedText {
    /// One row an issued offer.
    static func table(_ items: [IssuedOfferBody]) -> TextTable {
        var table = TextTable(["ISSUED", "OFFER", "STATE", "PRODUCT", "SIGNATURES UNTIL", "ID"])
        for item in items {
            table.add([
                TimeText.absolute(item.issuedAt), item.offerId.rawValue, item.state.rawValue, item.productId.rawValue,
                TimeText.absolute(item.expiresAt), item.issuedOfferId.description,
            ])
        }
        return table
    }

    /// Everything about one.
    static func lines(_ item: IssuedOfferBody, _ palette: Palette) -> [String] {
        var fields = FieldList()
        fields.add("offer", item.offerId.rawValue)
        fields.add("type", item.offerType.rawValue)
        fields.add("state", "\(item.state.rawValue): \(meaning(item.state))")
        fields.add("product", item.productId.rawValue)
        fields.add("App Store name", item.offerIdentifier?.rawValue)
        fields.add("issued", TimeText.absolute(item.issuedAt))
        fields.add("signatures until", TimeText.absolute(item.expiresAt))
        fields.add("delivery", item.delivery.rawValue)
        fields.add("signed as", formats(item.signatures))
        fields.add("app account", item.signatures.v1.flatMap { $0.appAccountToken.isEmpty ? nil : $0.appAccountToken })
        fields.add("key", item.keyId?.rawValue)
        fields.add("app", "\(item.bundleId.rawValue), \(item.environment.rawValue)")
        fields.add("catalog", "revision \(item.catalogRevision)")
        fields.add("decision", item.decisionId.description)
        return [palette.paint(item.issuedOfferId.description, .heading)] + fields.lines(palette).map { "  " + $0 }
    }

    private static func meaning(_ state: SlotState) -> String {
        switch state {
        case .open: "it takes a place under the limits and may be used"
        case .redeemed: "it was used"
        case .expired: "it ended unused and takes no place any more"
        case .voided: "it was withdrawn; no further signature is given"
        }
    }

    private static func formats(_ signatures: SignaturesBody) -> String {
        let formats = [
            signatures.v1.map { _ in "v1" }, signatures.v2.map { _ in "v2" },
            signatures.introductoryEligibility.map { _ in "introductory eligibility" },
        ].compactMap { $0 }
        return formats.isEmpty ? "nothing is signed" : formats.joined(separator: ", ")
    }
}
