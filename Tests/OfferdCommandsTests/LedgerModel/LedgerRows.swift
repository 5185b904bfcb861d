import Foundation
import OfferModel
import OfferStore

/// The rows of the ledger as they are on disk, read past the servers: what happened, and in the store's own order.
struct LedgerRows: Sendable {
    struct Decision: Sendable {
        var sequence: Int64
        var id: String
        var kind: String
        var offer: String
        var decidedAt: Int64
        var issuedOffer: String?
        /// The newest sequence that was there when it was decided.
        var seen: Int64
        /// The number of the request.
        var number: Int
    }

    struct Signature: Sendable {
        var issuedOffer: String
        var signing: Int
        var decision: String
        var format: String
        var artefact: String
        var signedAt: Int64
    }

    struct IssuedOffer: Sendable, Hashable {
        var sequence: Int64
        var offer: String
        var issuedAt: Int64
        var expiresAt: Int64
        var countsUntil: Int64
        var signings: Int
        var voidedAt: Int64?
        var voidReason: String?
        var isReleased: Bool
    }

    struct IdempotencyRecord: Sendable, Hashable {
        var status: Int
        var body: [UInt8]
        var answeredAt: Int64
    }

    /// Those added since the last look, by sequence.
    var decisions: [Decision]
    var signatures: [Signature]
    var issuedOffers: [String: IssuedOffer]
    /// When each transaction was received, and its sequence.
    var transactions: [String: (sequence: Int64, at: Int64)]
    /// The owners of stored renewal info.
    var renewalInfos: Set<String>
    var keptAnswers: [String: IdempotencyRecord]
    /// The voids in the audit, by the sequence of the issued offer.
    var voids: [Int64: AuditedVoid]
    /// Places in the order since the last look that no row has: a void leaves one.
    var gaps: [Int64]
    var newest: Int64
    var lastInstant: Int64?
}

extension LedgerRows {
    /// Reads everything, and of what only grows what came after a sequence.
    init(after last: Int64, _ transaction: any StoreTransaction) throws {
        func rows(_ sql: String) throws -> [StoredRow] { try transaction.rows(Statement(sql, last)) }
        decisions = try rows(
            """
            SELECT sequence, id, kind, offer_id, decided_at, issued_offer_id, record FROM decision
            WHERE sequence > ?1 ORDER BY sequence
            """
        ).map { row in
            let record = try DecisionRecord(stored: try row.value(6))
            var number = 0
            if case .number(let told)? = record.signals["number"] { number = Int(exactly: told) ?? 0 }
            return Decision(
                sequence: try row.value(0), id: try row.value(1), kind: try row.value(2), offer: try row.value(3),
                decidedAt: try row.value(4), issuedOffer: try row.value(5), seen: record.historySequence,
                number: number)
        }
        signatures = try rows(
            """
            SELECT issued_offer_id, signing, decision_id, format, artefact, signed_at FROM signature
            WHERE sequence > ?1 ORDER BY sequence
            """
        ).map { row in
            Signature(
                issuedOffer: try row.value(0), signing: try row.value(1), decision: try row.value(2),
                format: try row.value(3), artefact: try row.value(4), signedAt: try row.value(5))
        }
        let issued = try transaction.rows(
            Statement(
                """
                SELECT id, offer_id, issued_at, expires_at, counts_until, signings, voided_at, void_reason, is_released,
                    sequence
                FROM issued_offer
                """)
        ).map { row in
            (
                try row.value(0, as: String.self),
                IssuedOffer(
                    sequence: try row.value(9), offer: try row.value(1), issuedAt: try row.value(2),
                    expiresAt: try row.value(3),
                    countsUntil: try row.value(4), signings: try row.value(5), voidedAt: try row.value(6),
                    voidReason: try row.value(7), isReleased: try row.value(8))
            )
        }
        issuedOffers = Dictionary(issued) { first, _ in first }
        let bought = try rows(
            "SELECT transaction_id, sequence, received_at FROM history_transaction WHERE sequence > ?1"
        )
        .map { (try $0.value(0, as: String.self), (try $0.value(1, as: Int64.self), try $0.value(2, as: Int64.self))) }
        transactions = Dictionary(bought) { first, _ in first }
        renewalInfos = Set(
            try rows("SELECT original_transaction_id FROM history_renewal_info WHERE sequence > ?1")
                .map { try $0.value(0, as: String.self) })
        let kept = try transaction.rows(Statement("SELECT key, status, body, answered_at FROM kept_answer")).map {
            row in
            (
                try row.value(0, as: String.self),
                IdempotencyRecord(
                    status: try row.value(1), body: Array(try row.value(2, as: String.self).utf8),
                    answeredAt: try row.value(3))
            )
        }
        keptAnswers = Dictionary(kept) { first, _ in first }
        let state = try transaction.row(Statement("SELECT sequence, last_instant FROM store_state"))
        newest = try state?.value(0) ?? last
        lastInstant = try state?.value(1)
        voids = try AuditedVoid.read(transaction)
        let used = try Self.sequences(after: last, transaction)
        gaps = (last + 1..<newest + 1).filter { !used.contains($0) }
    }

    /// The sequences of every table that has them; the audit counts its events on its own.
    private static func sequences(after last: Int64, _ transaction: any StoreTransaction) throws -> Set<Int64> {
        let tables = Table.all.filter { table in
            table.name != "store_state" && !table.name.hasPrefix("audit")
                && table.columns.contains { $0.name == "sequence" }
        }
        return try tables.reduce(into: []) { used, table in
            let rows = try transaction.rows(Statement("SELECT sequence FROM \(table.name) WHERE sequence > ?1", last))
            for row in rows { used.insert(try row.value(0)) }
        }
    }
}
