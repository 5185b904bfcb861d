import Foundation
import OfferStore

/// The audit chain's evidence of the place of a void: it comes after the rows of the events before it, and before
/// those of the events after it.
struct AuditedVoid: Sendable {
    /// The number of its event.
    var number: Int64
    /// The newest row that an earlier event covers.
    var after: Int64
    /// The oldest row that a later event covers.
    var before: Int64 = .max

    /// The voids of the whole chain, by the sequence of their issued offer.
    static func read(_ transaction: any StoreTransaction) throws -> [Int64: AuditedVoid] {
        let events = try transaction.rows(
            Statement(
                """
                SELECT sequence, kind, issued_offer, ledger_rows FROM audit_event
                WHERE kind IN ('issue', 'signing', 'refusal', 'void') ORDER BY sequence
                """))
        var voids: [Int64: AuditedVoid] = [:]
        var waiting: [Int64] = []
        var newest: Int64 = 0
        for event in events {
            let kind: String = try event.value(1)
            if kind == "void" {
                let issuedOffer: Int64 = try event.value(2)
                voids[issuedOffer] = AuditedVoid(number: try event.value(0), after: newest)
                waiting.append(issuedOffer)
                continue
            }
            let covered = try coveredRows(try event.value(3))
            for issuedOffer in waiting { voids[issuedOffer]?.before = covered.min() ?? .max }
            waiting = []
            newest = max(newest, covered.max() ?? 0)
        }
        return voids
    }

    /// The sequences in `[["issued_offer",12,"<digest>"],…]`.
    private static func coveredRows(_ text: String) throws -> [Int64] {
        let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[Any]] ?? []
        return rows.compactMap { ($0.dropFirst().first as? NSNumber)?.int64Value }
    }
}
