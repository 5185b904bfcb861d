public import OfferModel
public import OfferStore

/// Imports unsigned history from a source of any size (docs/import.md).
///
/// The source is read into a staging table first, and its payloads are then applied subscription by subscription in the
/// order of their ids: all of one in one transaction, so that its redemptions are counted once. Both steps note how far
/// they are in the transaction that does the work; an import that breaks off anywhere, by `kill -9` too, goes on there
/// when the same source is given again, and comes to the same state (invariant 7). Transactions are small, and rest in
/// between, so that a server on the same database hardly notices.
///
/// Imported data is not proven: it merges no customers and never outranks what Apple has signed
/// (docs/design.md#history-and-state, docs/design.md#identity).
///
/// Another kind of source is another ``ImportSource`` and other ``ImportTerms``:
///
///     let imports = HistoryImport(ledger: ledger, scope: scope, author: author, clock: { .wallClock() })
///     let terms = ImportTerms(source: "receipts", provenance: .receipt, digest: digestOfTheFileAndTheOptions)
///     let report = try await imports.run(source, terms, progress: { … }, refusals: { … })
public struct HistoryImport: Sendable {
    let ledger: Ledger
    let scope: Scope
    let author: AuditAuthor
    let catalogs = CompiledCatalogs()
    let clock: RequestClock
    let pace: Pace

    /// How much one transaction does, and how long others have the writer for themselves in between.
    public struct Pace: Sendable {
        public var lines: Int
        /// The payloads applied in one transaction, roughly: subscriptions are not split.
        public var payloads: Int
        public var rest: Duration

        /// 1,000 lines, 250 payloads and 2 ms, unless told otherwise.
        public init(lines: Int = 1_000, payloads: Int = 250, rest: Duration = .milliseconds(2)) {
            self.lines = lines
            self.payloads = payloads
            self.rest = rest
        }
    }

    public init(
        ledger: Ledger, scope: Scope, author: AuditAuthor, pace: Pace = Pace(),
        clock: @escaping @Sendable () -> Instant
    ) {
        self.ledger = ledger
        self.scope = scope
        self.author = author
        self.pace = pace
        self.clock = RequestClock(wallClock: clock)
    }

    /// Imports a source, or goes on with it where it was interrupted.
    ///
    /// - Parameters:
    ///   - source: what is read; it is taken up behind what was staged before.
    ///   - terms: what it is; a source with an open import of the same terms goes on.
    ///   - refusals: given every refused line in order, after everything is applied. If it throws, giving the same
    ///     source again gives them again.
    ///   - needingApple: given the ids of the subscriptions whose customers need data from Apple
    ///     (``ImportedCustomers``).
    ///   - reported: told when all of them were given, while they still could be given again. Once it has returned, they
    ///     are given no more, even where the import is interrupted after that (``ImportReport/wasReported``).
    /// - Throws: ``ImportError/anotherIsOpen(_:)``, `clockBehind`, `CancellationError`, what the source, the closures
    ///   or the store throw; what was committed stays.
    public func run(
        _ source: some ImportSource, _ terms: ImportTerms, progress: (ImportProgress) -> Void = { _ in },
        refusals: ([RefusedLine]) throws -> Void = { _ in }, needingApple: ([String]) throws -> Void = { _ in },
        reported: () throws -> Void = {}
    ) async throws -> ImportReport {
        var (run, isResumed) = try await begin(terms)
        if run.stage == .staging { run = try await stage(source, run, progress) }
        if run.stage == .applying { run = try await apply(run, progress) }
        if run.stage == .stating { run = try await state(run, progress) }
        let wasReported = run.report != nil
        if !wasReported {
            let refused = try await report(run, refusals)
            let customers = try await outlook(of: run, needingApple: needingApple)
            try reported()
            run = try await keep(KeptImportReport(refused: refused, customers: customers), of: run)
        }
        let kept = try KeptImportReport(run)
        try await close(run)
        return ImportReport(
            counts: run.counts, refused: kept.refused, customers: kept.customers, isResumed: isResumed,
            wasReported: wasReported)
    }

    /// Drops what an interrupted import has staged and not applied; what it applied stays.
    ///
    /// - Parameter source: the kind of source, as in ``ImportTerms/source``.
    /// - Returns: what it had done; `nil` if none is open.
    public func discard(source: String) async throws -> ImportCounts? {
        guard let run = try await open(source) else { return nil }
        // First of all: what goes on with it would take what is missing from here on for done.
        try await ledger.write(by: author) { try ImportStore($0).abandon(run) }
        try await close(run, isDiscarded: true)
        return run.counts
    }

    private func open(_ source: String) async throws -> ImportRun? {
        return try await ledger.read { transaction in
            guard let number = try ScopeStore(transaction).number(of: scope) else { return nil }
            return try ImportStore(transaction).open(source: source, in: number)
        }
    }

    private func begin(_ terms: ImportTerms) async throws -> (ImportRun, isResumed: Bool) {
        if let open = try await open(terms.source) {
            guard open.terms == terms else { throw ImportError.anotherIsOpen(open) }
            return (open, true)
        }
        let run = try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            try StoreClock(transaction).advance(to: now)
            return try ImportStore(transaction).begin(
                terms, at: now, in: try ScopeStore(transaction).findOrAdd(scope))
        }
        return (run, false)
    }

    private func report(
        _ run: ImportRun, _ refusals: ([RefusedLine]) throws -> Void
    ) async throws -> [String: Int64] {
        var refused: [String: Int64] = [:]
        var last: Int64 = 0
        while true {
            let after = last
            let lines = try await ledger.read { try ImportStore($0).refusals(of: run, after: after, limit: 1_000) }
            guard let end = lines.last?.line else { return refused }
            for line in lines { refused[line.reason, default: 0] += 1 }
            try refusals(lines)
            last = end
        }
    }

    private func close(_ run: ImportRun, isDiscarded: Bool = false) async throws {
        let isClear = { @Sendable (transaction: any StoreTransaction) in
            try ImportStore(transaction).clear(run, limit: 1_000)
        }
        while try await !ledger.write(by: author, isClear) { try await Task.sleep(for: pace.rest) }
        try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            try StoreClock(transaction).advance(to: now)
            try ImportStore(transaction).close(
                run, isDiscarded: isDiscarded, at: now, in: try ScopeStore(transaction).findOrAdd(scope))
        }
    }

    /// Notes the operator's word that nothing is missing, for each customer it can apply to.
    ///
    /// Only after everything is applied: half an import is not a complete history. And not of a customer who shares an
    /// alias or an unproven Apple Account with another: they may be one person, and what is known of one alone would
    /// lack what the other bought (invariant 3).
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

public struct ImportProgress: Sendable, Hashable {
    public var stage: ImportStage
    /// How much of the stage is done, of ``total``.
    public var done: Int64
    /// How much there is: units of the source while it is read, payloads while they are applied.
    public var total: Int64
    /// Lines read or payloads applied since this process began with the stage.
    public var items: Int64
}

/// The result of an import, or of its rehearsal.
public struct ImportReport: Sendable, Hashable {
    /// The counts; for a rehearsal, as they would be.
    public var counts: ImportCounts
    public var refused: [String: Int64] = [:]
    /// Who was imported and what can be decided of them; `nil` of a rehearsal.
    public var customers: ImportedCustomers?
    public var isResumed = false
    /// An earlier process was given the refusals and the ids, and was interrupted after that.
    public var wasReported = false
}

public enum ImportError: Error, Sendable, Hashable {
    /// Another source of the same kind was begun and not finished.
    case anotherIsOpen(ImportRun)
}
