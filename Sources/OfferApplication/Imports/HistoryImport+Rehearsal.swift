public import OfferModel
public import OfferStore

extension HistoryImport {
    /// Reads a whole source and says what importing it would come to; nothing is written.
    ///
    /// - Parameters:
    ///   - provenance: the one it would be imported with.
    ///   - progress: told now and then.
    ///   - refusals: given every refused line in order, while the source is read.
    /// - Throws: what the source, the closures or the store throw.
    public func rehearse(
        _ source: some ImportSource, provenance: Provenance, progress: (ImportProgress) -> Void = { _ in },
        refusals: ([RefusedLine]) throws -> Void = { _ in }
    ) async throws -> ImportReport {
        try source.resume(at: 0, after: 0)
        let (admission, scope) = (try await admission(), scope)
        var report = ImportReport(counts: ImportCounts())
        var seen = SeenNames()
        var batch = try StagedBatch(source, admission, limit: pace.lines)
        while true {
            let current = batch
            async let known = ledger.read { try Self.outcomes(of: current, provenance, in: scope, $0) }
            let following = batch.isLast ? nil : try StagedBatch(source, admission, limit: pace.lines)
            for (payload, outcome) in zip(batch.payloads, try await known) {
                report.counts.subscriptions += seen.isNew("k\(payload.key)") ? 1 : 0
                report.counts.count(outcome.outcome, isRepeated: !seen.isNew("\(payload.key)\n\(outcome.name)"))
            }
            report.counts.lines += batch.lines
            report.counts.refused += Int64(batch.refused.count)
            report.counts.gaps += batch.gaps
            report.counts.staged += Int64(batch.payloads.count)
            for line in batch.refused { report.refused[line.reason, default: 0] += 1 }
            try refusals(batch.refused)
            progress(
                ImportProgress(
                    stage: .staging, done: batch.end ?? source.size, total: source.size, items: report.counts.lines))
            guard let following else { return report }
            batch = following
        }
    }

    private struct KnownOutcome: Sendable {
        var name: String
        var outcome: IngestOutcome
    }

    private static func outcomes(
        of batch: StagedBatch, _ provenance: Provenance, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> [KnownOutcome] {
        let number = try ScopeStore(transaction).number(of: scope)
        return try batch.payloads.map { staged in
            let content = try HistoryPayload.Content(staged: staged)
            let payload = HistoryPayload(content, bytes: staged.payload, provenance: provenance)
            let outcome = try number.map { try HistoryStore(transaction).outcome(of: payload, in: $0) }
            return KnownOutcome(name: content.viewName, outcome: outcome ?? .added)
        }
    }
}

/// Which names were met: by 64 bits each, so that a million of them take little memory. Two names in a million meet by
/// chance once in thirty million times, and then one purchase is counted as repeated.
private struct SeenNames {
    private var hashes = Set<UInt64>()

    mutating func isNew(_ name: String) -> Bool {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x100_0000_01b3 }
        return hashes.insert(hash).inserted
    }
}
