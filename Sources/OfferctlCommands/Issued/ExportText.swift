import Foundation
import OfferAPI
import OfferModel

/// Exported offers as lines of a file.
enum ExportText {
    /// The names of the columns.
    static let header = [
        "issuedOfferId", "offerId", "offerType", "delivery", "offerIdentifier", "productId", "bundleId", "environment",
        "state", "issuedAt", "expiresAt", "signings", "voidedAt", "catalogRevision", "eventSequence", "eventHash",
        "previousHash", "rowDigest", "checkpoint", "checkpointEventSequence", "checkpointHead", "checkpointSignature",
    ].joined(separator: ",")

    /// One offer as CSV (RFC 4180).
    static func line(_ item: ExportedOfferBody) -> String {
        let offer: [String] = [
            item.issuedOfferId.description, item.offerId.rawValue, item.offerType.rawValue, item.delivery.rawValue,
            item.offerIdentifier?.rawValue ?? "", item.productId.rawValue, item.bundleId.rawValue,
            item.environment.rawValue, item.state.rawValue, item.issuedAt.description, item.expiresAt.description,
            String(item.signings), item.voidedAt?.description ?? "", String(item.catalogRevision),
        ]
        return (offer + proof(item.proof) + checkpoint(item.proof?.checkpoint)).map(field).joined(separator: ",")
    }

    private static func proof(_ proof: LedgerProofBody?) -> [String] {
        guard let proof else { return ["", "", "", ""] }
        return [String(proof.eventSequence), proof.eventHash, proof.previousHash, proof.rowDigest]
    }

    private static func checkpoint(_ checkpoint: CheckpointBody?) -> [String] {
        guard let checkpoint else { return ["", "", "", ""] }
        return [
            String(checkpoint.number), String(checkpoint.eventSequence), checkpoint.head, checkpoint.signature,
        ]
    }

    /// One offer as JSON with sorted keys.
    static func json(_ item: ExportedOfferBody) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(item), as: UTF8.self)
    }

    /// Quoted where it has to be; what a spreadsheet would take for a formula begins with an apostrophe.
    private static func field(_ text: String) -> String {
        let harmless = text.first.map { "=+-@\t\r".contains($0) } == true ? "'" + text : text
        guard harmless.contains(where: { ",\"\r\n".contains($0) }) else { return harmless }
        return "\"" + harmless.replacing("\"", with: "\"\"") + "\""
    }
}
