import OfferEligibility
import OfferModel
import OfferSigning
import OfferStore

extension Issuance {
    /// The SHA-256 of all that a refusal depends on and says, but for its instant: two orders with the same fingerprint are
    /// refused for the same reasons until the same turning point, and are the same record.
    ///
    /// Left out is what moves by itself without changing the answer: the instant, the newest row, until when the history is
    /// complete, and counters that everyone shares. Where they do change the answer, a finding differs.
    func fingerprint(_ outlook: Outlook, _ digest: any Digest) -> [UInt8] {
        var record = record
        record.now = Instant(milliseconds: 0)
        record.historySequence = 0
        record.counters = nil
        record.coverage.asOf = nil
        var writer = PackedWriter(capacity: 1_024)
        for text in [scope.bundleId.rawValue, scope.environment.rawValue, author.actor, question.offer.id.rawValue] {
            writer.append(text)
        }
        writer.append(each: record.packed()) { $0.append($1) }
        writer.append(snapshot.generation)
        writer.append(each: snapshot.version.customers) { writer, customer in
            writer.append(snapshot.version.changes[customer] ?? 0)
        }
        writer.append(plan.transactionId?.rawValue) { $0.append($1) }
        Self.append(decision.findings, to: &writer)
        writer.append(outlook.changesAt) { $0.append($1) }
        writer.append(outlook.notBefore) { $0.append($1) }
        writer.append(each: outlook.events) { $0.append($1.rawValue) }
        writer.append(outlook.isFinal)
        return digest.sha256(writer.bytes)
    }

    private static func append(_ findings: [Finding], to writer: inout PackedWriter) {
        writer.append(each: findings) { writer, finding in
            writer.append(finding.verdict.rawValue)
            writer.append(finding.reason.rawValue)
            switch finding.turningPoint {
            case .at(let instant): writer.append(instant.milliseconds as Int64?) { $0.append($1) }
            case .event(let event): writer.append(event.rawValue)
            case nil: writer.append(false)
            }
            append(finding.children ?? [], to: &writer)
        }
    }
}
