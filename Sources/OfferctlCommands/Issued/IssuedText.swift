import CommandLineSupport
import OfferAPI
import OfferModel

/// Issued offers for people; never their signatures, which are as good as the offer.
enum IssuedText {
    static func table(_ items: [IssuedOfferView]) -> TextTable {
        TextTable(
            ["ISSUED", "OFFER", "STATE", "PRODUCT", "SIGNATURES UNTIL", "ID"], optional: [3, 4], endsInDetail: true,
            rows: items.map { item in
                [
                    TimeText.absolute(item.issuedAt), item.offerId.rawValue, item.state.rawValue,
                    item.productId.rawValue,
                    TimeText.absolute(item.expiresAt), item.issuedOfferId.description,
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
    private static let columns = [
        "issuedOfferId", "offerId", "offerType", "delivery", "offerIdentifier", "productId", "bundleId", "environment",
        "state", "issuedAt", "expiresAt", "signings", "voidedAt", "catalogRevision", "eventSequence", "eventHash",
        "previousHash", "rowDigest", "checkpoint", "checkpointEventSequence", "checkpointHead", "checkpointSignedAt",
        "checkpointKeyFingerprint", "checkpointSignature",
    ]

    static let header = CSVTable.line(columns.map(CSVTable.Cell.text))

    static func line(_ item: ExportedOffer) -> String {
        let offer: [CSVTable.Cell] = [
            .text(item.issuedOfferId.description), .text(item.offerId.rawValue), .text(item.offerType.rawValue),
            .text(item.delivery.rawValue), text(item.offerIdentifier?.rawValue), .text(item.productId.rawValue),
            .text(item.bundleId.rawValue), .text(item.environment.rawValue), .text(item.state.rawValue),
            .text(item.issuedAt.description), .text(item.expiresAt.description), .number(String(item.signings)),
            text(item.voidedAt?.description), .number(String(item.catalogRevision)),
        ]
        return CSVTable.line(offer + proof(item.proof) + checkpoint(item.proof?.checkpoint))
    }

    private static func proof(_ proof: IssuedOfferProof?) -> [CSVTable.Cell] {
        guard let proof else { return Array(repeating: .empty, count: 4) }
        return [
            .number(String(proof.eventSequence)), .text(proof.eventHash), .text(proof.previousHash),
            .text(proof.rowDigest),
        ]
    }

    /// All that its signature is over, as it was signed: the date in milliseconds.
    private static func checkpoint(_ checkpoint: CheckpointBody?) -> [CSVTable.Cell] {
        guard let checkpoint else { return Array(repeating: .empty, count: 6) }
        return [
            .number(String(checkpoint.number)), .number(String(checkpoint.eventSequence)), .text(checkpoint.head),
            .number(String(checkpoint.signedAt.milliseconds)), .text(checkpoint.keyFingerprint),
            .text(checkpoint.signature),
        ]
    }

    private static func text(_ value: String?) -> CSVTable.Cell { value.map(CSVTable.Cell.text) ?? .empty }
}
