import CommandLineSupport
import OfferAPI
import OfferModel

/// Issued offers for people; never their signatures, which are as good as the offer.
enum IssuedText {
    /// - Parameter now: if given, the table also says how long the signatures last from then.
    static func table(_ items: [IssuedOfferView], now: Instant? = nil) -> TextTable {
        TextTable(
            ["ISSUED", "OFFER", "STATE", "PRODUCT", "SIGNATURES UNTIL", "ID"], optional: [3, 4], endsInDetail: true,
            rows: items.map { item in
                [
                    TimeText.absolute(item.issuedAt), item.offerId.rawValue, item.state.rawValue,
                    item.productId.rawValue,
                    now.map { TimeText.absolute(item.expiresAt, now: $0) } ?? TimeText.absolute(item.expiresAt),
                    item.issuedOfferId.description,
                ]
            })
    }

    /// Until when an unused offer counts.
    static func countsUntil(_ item: IssuedOfferView) -> String {
        TimeText.absolute(item.expiresAt.adding(milliseconds: Offer.countingTail))
    }

    static func text(_ item: IssuedOfferView, _ palette: Palette) -> String {
        var fields = FieldList()
        fields.add("offer", item.offerId.rawValue)
        fields.add("type", item.offerType.rawValue)
        fields.add("state", "\(item.state.rawValue): \(meaning(item.state))")
        fields.add("product", item.productId.rawValue)
        fields.add("App Store name", item.offerIdentifier?.rawValue)
        fields.add("issued", TimeText.absolute(item.issuedAt))
        fields.add("signatures until", TimeText.absolute(item.expiresAt))
        fields.add("voided", item.voidedAt.map { TimeText.absolute($0) })
        fields.add("reason", item.voidReason)
        fields.add("granted", item.grantId.map { "by support, grant \($0): it counts under no limit" })
        fields.add(
            "released",
            item.released.map { $0 ? "yes: it no longer counts" : "no: it counts until \(countsUntil(item))" })
        fields.add("delivery", item.delivery.rawValue)
        fields.add("signed as", formats(item.signatures))
        fields.add("app account", item.signatures.v1.flatMap { $0.appAccountToken.isEmpty ? nil : $0.appAccountToken })
        fields.add("key", item.keyId?.rawValue)
        fields.add("app", "\(item.bundleId.rawValue), \(item.environment.rawValue)")
        fields.add("catalog", "revision \(item.catalogRevision)")
        fields.add("decision", item.decisionId.description)
        let heading = palette.paint(item.issuedOfferId.description, .heading)
        return ([heading] + fields.lines(palette, indent: 2)).joined(separator: "\n")
    }

    private static func meaning(_ state: IssuedOfferState) -> String {
        switch state {
        case .open: "not used yet, counts toward the limits"
        case .redeemed: "used"
        case .expired: "its signatures expired unused; it no longer counts"
        case .voided: "no further signature is issued"
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

enum ExportCSV {
    /// The checkpoint's columns are everything its signature covers, as signed: the date in milliseconds.
    private static let columns: [(name: String, cell: @Sendable (ExportedOffer) -> CSVTable.Cell)] = [
        ("issuedOfferId", { .text($0.offer.issuedOfferId) }),
        ("offerId", { .text($0.offer.offerId) }),
        ("offerType", { .text($0.offer.offerType.rawValue) }),
        ("delivery", { .text($0.offer.delivery.rawValue) }),
        ("offerIdentifier", { .text($0.offer.offerIdentifier) }),
        ("productId", { .text($0.offer.productId) }),
        ("bundleId", { .text($0.offer.bundleId) }),
        ("environment", { .text($0.offer.environment.rawValue) }),
        ("state", { .text($0.offer.state.rawValue) }),
        ("issuedAt", { .text($0.offer.issuedAt) }),
        ("expiresAt", { .text($0.offer.expiresAt) }),
        ("signings", { .number($0.signings) }),
        ("voidedAt", { .text($0.offer.voidedAt) }),
        ("catalogRevision", { .number($0.offer.catalogRevision) }),
        ("eventSequence", { .number($0.proof?.eventSequence) }),
        ("eventHash", { .text($0.proof?.eventHash) }),
        ("previousHash", { .text($0.proof?.previousHash) }),
        ("rowDigest", { .text($0.proof?.rowDigest) }),
        ("checkpoint", { .number($0.proof?.checkpoint?.number) }),
        ("checkpointEventSequence", { .number($0.proof?.checkpoint?.eventSequence) }),
        ("checkpointHead", { .text($0.proof?.checkpoint?.head) }),
        ("checkpointSignedAt", { .number($0.proof?.checkpoint?.signedAt.milliseconds) }),
        ("checkpointKeyFingerprint", { .text($0.proof?.checkpoint?.keyFingerprint) }),
        ("checkpointSignature", { .text($0.proof?.checkpoint?.signature) }),
        ("grantId", { .text($0.offer.grantId) }),
    ]

    static let header = CSVTable.line(columns.map { .text($0.name) })

    static func line(_ item: ExportedOffer) -> String { CSVTable.line(columns.map { $0.cell(item) }) }
}
