import OfferModel
import OfferStore

extension HistoryImport {
    /// Notes the operator's word that nothing is missing, of each customer of whom it can hold.
    ///
    /// Only after everything is applied: half an import is no complete history. And not of a customer who shares an alias
    /// or an unproven Apple Account with another: they may be one person, and what is known of one alone would lack what
    /// the other bought (invariant 3).
    func state(_ begun: ImportRun, _ progress: (ImportProgress) -> Void) async throws -> ImportRun {
        guard let asOf = begun.terms.completeAsOf else { return try await move(begun, to: .closing) }
        var run = begun
        while true {
            let (before, scope, clock) = (run, scope, clock)
            let next = try await ledger.write(by: author) { transaction in
                let now = try clock.instant(transaction)
                try StoreClock(transaction).advance(to: now)
                return try Self.state(before, asOf: asOf, at: now, in: scope, transaction)
            }
            guard let next else { return try await move(run, to: .closing) }
            run = next
            progress(
                ImportProgress(
                    stage: .stating, done: run.counts.stated, total: run.counts.subscriptions,
                    items: run.counts.stated - begun.counts.stated))
            try await Task.sleep(for: pace.rest)
        }
    }

    /// The next customers; `nil` if there are none.
    private static func state(
        _ before: ImportRun, asOf: Instant, at now: Instant, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> ImportRun? {
        let imports = ImportStore(transaction)
        let customers = try imports.remembered(of: before, after: before.cursor.row, limit: 200)
        guard let last = customers.last else { return nil }
        let survivors = try CustomerStore(transaction).survivors(of: customers)
        let whole = try customers.filter { customer in
            // Of who was erased since it began some lines may be gone.
            try survivors[customer] == customer && !imports.mayBeSomebodyElse(customer, of: before)
                && !ErasureStore(transaction).isErased(customer, since: before.beganAt)
        }
        try CoverageStore(transaction).stateComplete(
            whole, asOf: asOf, provenance: .operator, at: now, in: try ScopeStore(transaction).findOrAdd(scope))
        var run = before
        run.cursor = ImportCursor(key: "", row: last.rawValue)
        run.counts.stated += Int64(whole.count)
        try imports.update(run, from: before)
        return run
    }
}
