public import OfferModel
public import OfferStore

extension HistoryImport {
    /// Reads the source into the staging table. The next lines are read while the last ones are written.
    func stage(
        _ source: some ImportSource, _ begun: ImportRun, _ progress: (ImportProgress) -> Void
    ) async throws -> ImportRun {
        var run = begun
        try source.resume(at: run.position, after: run.counts.lines)
        let admission = try await admission()
        var batch = try StagedBatch(source, admission, limit: pace.lines)
        while true {
            let (current, before, next) = (batch, run, batch.advanced(run))
            async let written: Void = write(current, from: before, to: next)
            let following = batch.isLast ? nil : try StagedBatch(source, admission, limit: pace.lines)
            try await written
            run = next
            progress(
                ImportProgress(
                    stage: .staging, done: run.position, total: max(source.size, run.position),
                    items: run.counts.lines - begun.counts.lines))
            guard let following else { return run }
            batch = following
            try await Task.sleep(for: pace.rest)
        }
    }

    /// The checks of a line, by the catalog in force and the clock.
    func admission() async throws -> ImportAdmission {
        return try await ledger.read { transaction in
            let now = try clock.instant(transaction)
            var catalog = Catalog(bundleId: scope.bundleId)
            if let number = try ScopeStore(transaction).number(of: scope) {
                let revision = try CatalogStore(transaction).currentNumber(in: number)
                catalog = try catalogs.catalog(revision, of: number, in: scope, transaction).catalog
            }
            return ImportAdmission(scope: scope, now: now, catalog: catalog)
        }
    }

    private func write(_ batch: StagedBatch, from before: ImportRun, to run: ImportRun) async throws {
        try await ledger.write(by: author) { transaction in
            try StoreClock(transaction).advance(to: try clock.instant(transaction))
            let store = ImportStore(transaction)
            try store.update(run, from: before)
            try store.stage(batch.payloads, of: run)
            try store.refuse(batch.refused, of: run)
        }
    }
}

struct StagedBatch: Sendable {
    private(set) var payloads: [StagedPayload] = []
    private(set) var refused: [RefusedLine] = []
    private(set) var lines: Int64 = 0
    private(set) var gaps: Int64 = 0
    private(set) var end: Int64?
    private(set) var isLast = false

    /// Reads the next lines.
    ///
    /// - Parameter limit: the most lines; half a megabyte ends the batch earlier.
    init(_ source: some ImportSource, _ admission: ImportAdmission, limit: Int) throws {
        var size = 0
        while lines < limit, size < 524_288 {
            guard let line = try source.next() else {
                isLast = true
                return
            }
            lines += 1
            end = line.end
            switch admission.staged(line) {
            case .success(let staged):
                payloads += staged
                for payload in staged { size += payload.payload.count }
            case .failure(let refusal):
                gaps += refusal.reason.isGap ? 1 : 0
                let detail = line.place.map { "\($0): \(refusal.detail)" } ?? refusal.detail
                refused.append(RefusedLine(line: line.number, reason: refusal.reason.rawValue, detail: detail))
                size += detail.utf8.count
            }
        }
    }

    func advanced(_ run: ImportRun) -> ImportRun {
        var run = run
        run.position = end ?? run.position
        count(into: &run.counts)
        if isLast { run.stage = .applying }
        return run
    }

    func count(into counts: inout ImportCounts) {
        counts.lines += lines
        counts.refused += Int64(refused.count)
        counts.gaps += gaps
        counts.staged += Int64(payloads.count)
    }
}

extension HistoryImport {
    /// Reads a whole source and reports the result that importing it would have; nothing is written.
    ///
    /// - Parameter refusals: given every refused line in order, while the source is read.
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
            batch.count(into: &report.counts)
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

/// The names seen so far: 64 bits each, so that a million of them take little memory. Two names in a million meet by
/// chance once in thirty million times, and then one purchase is counted as repeated.
private struct SeenNames {
    private var hashes = Set<UInt64>()

    mutating func isNew(_ name: String) -> Bool {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x100_0000_01b3 }
        return hashes.insert(hash).inserted
    }
}
