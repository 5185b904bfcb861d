import OfferModel
import OfferStore

extension HistoryImport {
    /// Makes history of what is staged. The next payloads are read and taken apart while the last ones are written.
    func apply(_ begun: ImportRun, _ progress: (ImportProgress) -> Void) async throws -> ImportRun {
        var run = begun
        var subscriptions = try await staged(of: run, after: run.cursor)
        while let last = subscriptions.last {
            let (batch, before) = (subscriptions, run)
            async let written = write(batch, from: before)
            let following = try await staged(of: before, after: last.end)
            run = try await written
            progress(
                ImportProgress(
                    stage: .applying, done: run.counts.applied, total: run.counts.staged,
                    items: run.counts.applied - begun.counts.applied))
            subscriptions = following
            try await Task.sleep(for: pace.rest)
        }
        return try await move(run, to: run.terms.completeAsOf == nil || run.counts.gaps > 0 ? .closing : .stating)
    }

    /// Notes that a stage is done.
    func move(_ run: ImportRun, to stage: ImportStage) async throws -> ImportRun {
        var moved = run
        moved.stage = stage
        moved.cursor = .start
        let next = moved
        try await ledger.write(by: author) { try ImportStore($0).update(next, from: run) }
        return next
    }

    /// The next subscriptions, each with all that is staged of it.
    ///
    /// Only one with thousands of payloads comes in parts: no purchase history has so many, and a transaction must not
    /// last long.
    private func staged(of run: ImportRun, after cursor: ImportCursor) async throws -> [StagedSubscription] {
        var limit = pace.payloads
        while true {
            let most = limit
            let rows = try await ledger.read { try ImportStore($0).rows(of: run, after: cursor, limit: most) }
            let subscriptions = try StagedSubscription.grouped(rows, provenance: run.terms.provenance)
            if rows.count < limit { return subscriptions }
            if subscriptions.count > 1 { return subscriptions.dropLast() }
            if limit >= Self.mostOfOne { return subscriptions }
            limit = Self.mostOfOne
        }
    }

    private static let mostOfOne = 2_000

    private func write(_ subscriptions: [StagedSubscription], from before: ImportRun) async throws -> ImportRun {
        let (scope, catalogs, clock) = (scope, catalogs, clock)
        return try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            try StoreClock(transaction).advance(to: now)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            let offers = try catalogs.offersInForce(of: number, in: scope, transaction)
            var run = before
            // Of who was erased since they were read nothing is staged any more.
            let staged = try ImportStore(transaction).stagedKeys(of: run, subscriptions.map(\.end.key))
            for subscription in subscriptions where staged.contains(subscription.end.key) {
                try subscription.apply(to: &run, offers: offers, at: now, in: number, transaction)
            }
            try ImportStore(transaction).update(run, from: before)
            return run
        }
    }
}
