import Foundation
import OfferModel
import OfferStore

/// What `verify-ledger` found.
enum LedgerOutcome {
    /// - Parameter witnessed: how many checkpoints of the witness the database has; `nil` without a witness.
    case proven(LedgerReport, isSigned: Bool, witnessed: Int64? = nil)
    case broken(BrokenRow)

    /// A broken row as a command's failure.
    static func failure(_ row: BrokenRow) -> CommandFailure {
        .failed(
            "the ledger is broken: \(row.table) \(row.key): \(row.detail)",
            hints: ["keep a copy of the file as it is; docs/ledger.md tells what to look at"]
                + (row.table == "witness"
                    ? ["if you restored the copy on purpose: `offerd verify-ledger --accept-restore REASON`"] : []))
    }

    /// For people; a broken row is told as the command's failure.
    func lines() -> [String] {
        switch self {
        case .broken:
            return []
        case .proven(let report, let isSigned, let witnessed):
            var lines = ["proven: \(report.events) events, newest hash \(Hexadecimal.lowercase(report.head))"]
            lines += report.rows.sorted { $0.key < $1.key }.map { "  \($0): \($1) rows" }
            if let checkpoint = report.newestCheckpoint {
                lines.append(
                    "checkpoints: \(report.checkpoints), the newest signs \(checkpoint.eventSequence) events at "
                        + "\(checkpoint.signedAt)")
            } else {
                lines.append("checkpoints: none")
            }
            if let witnessed { lines.append("witness: \(witnessed) checkpoints, as in the database") }
            if report.saltedEvents > 0 {
                lines.append(
                    "\(report.saltedEvents) events took their digests with the random bytes in the file although the "
                        + "service had a digest key by then: whoever can write the file could have told them")
            }
            return lines + Self.unprovable(report, isSigned: isSigned)
        }
    }

    /// What nobody could find out.
    private static func unprovable(_ report: LedgerReport, isSigned: Bool) -> [String] {
        guard isSigned else {
            return [
                "not provable: that the whole chain was not made anew; signatures were not checked, because keys.yaml has "
                    + "no `audit`"
            ]
        }
        return [
            "not provable: that nothing was cut off after the newest checkpoint; \(report.unsignedEvents) events follow it"
        ]
    }

    /// For machines.
    ///
    /// - Throws: when it cannot be encoded.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(body), as: UTF8.self)
    }

    private var body: Body {
        switch self {
        case .broken(let row):
            Body(isProven: false, broken: Body.Broken(table: row.table, key: row.key, detail: row.detail))
        case .proven(let report, let isSigned, let witnessed):
            Body(
                isProven: true, events: report.events, head: Hexadecimal.lowercase(report.head), rows: report.rows,
                checkpoints: report.checkpoints,
                newestCheckpoint: report.newestCheckpoint.map {
                    Body.Checkpoint(number: $0.number, eventSequence: $0.eventSequence, signedAt: $0.signedAt)
                }, signaturesChecked: isSigned, unsignedEvents: report.unsignedEvents,
                saltedEvents: report.saltedEvents,
                witnessedCheckpoints: witnessed)
        }
    }

    private struct Body: Encodable {
        struct Broken: Encodable {
            var table: String
            var key: String
            var detail: String
        }

        struct Checkpoint: Encodable {
            var number: Int64
            var eventSequence: Int64
            var signedAt: Instant
        }

        var isProven: Bool
        var broken: Broken?
        var events: Int64?
        var head: String?
        var rows: [String: Int64]?
        var checkpoints: Int64?
        var newestCheckpoint: Checkpoint?
        var signaturesChecked: Bool?
        var unsignedEvents: Int64?
        var saltedEvents: Int64?
        var witnessedCheckpoints: Int64?
    }
}
