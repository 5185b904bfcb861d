import Foundation
import OfferAPI
import OfferModel

/// Exported offers as lines of a file.
enum ExportText {
    private static let columns = [
        "issuedOfferId", "offerId", "offerType", "delivery", "offerIdentifier", "productId", "bundleId", "environment",
        "state", "issuedAt", "expiresAt", "signings", "voidedAt", "catalogRevision", "eventSequence", "eventHash",
        "previousHash", "rowDigest", "checkpoint", "checkpointEventSequence", "checkpointHead", "checkpointSignedAt",
        "checkpointKeyFingerprint", "checkpointSignature",
    ]

    /// The line with the names of the columns.
    static let header = CSVTable.line(columns.map(CSVTable.Cell.text))

    /// One offer as a line of CSV.
    static func line(_ item: ExportedOfferBody) -> String {
        let offer: [CSVTable.Cell] = [
            .text(item.issuedOfferId.description), .text(item.offerId.rawValue), .text(item.offerType.rawValue),
            .text(item.delivery.rawValue), text(item.offerIdentifier?.rawValue), .text(item.productId.rawValue),
            .text(item.bundleId.rawValue), .text(item.environment.rawValue), .text(item.state.rawValue),
            .text(item.issuedAt.description), .text(item.expiresAt.description), .number(String(item.signings)),
            text(item.voidedAt?.description), .number(String(item.catalogRevision)),
        ]
        return CSVTable.line(offer + proof(item.proof) + checkpoint(item.proof?.checkpoint))
    }

    private static func proof(_ proof: LedgerProofBody?) -> [CSVTable.Cell] {
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

    /// One offer as JSON with sorted keys.
    static func json(_ item: ExportedOfferBody) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(item), as: UTF8.self)
    }
}
