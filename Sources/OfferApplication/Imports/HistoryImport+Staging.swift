import OfferEligibility
import OfferModel
import OfferStore

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

    /// What lines are held to: by the catalog in force and the clock of now.
    func admission() async throws -> ImportAdmission {
        let (scope, catalogs, clock) = (scope, catalogs, clock)
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
        let clock = clock
        try await ledger.write(by: author) { transaction in
            try StoreClock(transaction).advance(to: try clock.instant(transaction))
            let store = ImportStore(transaction)
            try store.update(run, from: before)
            try store.stage(batch.payloads, of: run)
            try store.refuse(batch.refused, of: run)
        }
    }
}

/// Lines that are staged in one transaction.
struct StagedBatch: Sendable {
    private(set) var payloads: [StagedPayload] = []
    private(set) var refused: [RefusedLine] = []
    private(set) var lines: Int64 = 0
    private(set) var gaps: Int64 = 0
    private(set) var end: Int64?
    /// Whether the source has no more.
    private(set) var isLast = false

    /// Reads the next lines.
    ///
    /// - Parameter limit: at most so many, and no more than are half a megabyte.
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

    /// The import after these lines.
    func advanced(_ run: ImportRun) -> ImportRun {
        var run = run
        run.position = end ?? run.position
        run.counts.lines += lines
        run.counts.refused += Int64(refused.count)
        run.counts.gaps += gaps
        run.counts.staged += Int64(payloads.count)
        if isLast { run.stage = .applying }
        return run
    }
}
