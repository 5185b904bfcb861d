import AppStoreData
import OfferModel
import OfferSigning
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
    /// Only one with thousands of payloads comes in parts: no purchase history is that long, and a transaction must not
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

/// The staged rows of one subscription, decoded and ready to be applied.
struct StagedSubscription: Sendable {
    private struct Alias: Hashable {
        var customer: CustomerNumber
        var alias: CustomerAlias
    }

    private var payloads: [HistoryPayload] = []
    private var aliases: [[CustomerAlias]] = []
    private(set) var end: ImportCursor

    /// Payloads of one key after the other.
    ///
    /// - Throws: `StoreError.corrupt` for a payload that cannot be read back.
    static func grouped(_ rows: [StagedRow], provenance: Provenance) throws -> [StagedSubscription] {
        var groups: [StagedSubscription] = []
        for row in rows {
            let content = try HistoryPayload.Content(staged: row.staged)
            if groups.last?.end.key != row.cursor.key { groups.append(StagedSubscription(end: row.cursor)) }
            let place = groups.count - 1
            groups[place].payloads.append(
                HistoryPayload(content, bytes: row.staged.payload, provenance: provenance))
            groups[place].aliases.append(row.staged.aliases)
            groups[place].end = row.cursor
        }
        return groups
    }

    /// Keeps the payloads, gives their customers their aliases, counts the outcomes, and records them in the audit.
    func apply(
        to run: inout ImportRun, offers: [Offer], at now: Instant, in scope: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        let before = try StoreClock(transaction).newestSequence()
        let results = try HistoryStore(transaction).ingest(payloads, offers: offers, at: now, in: scope)
        try attach(results, run.terms.provenance, at: now, in: scope, transaction)
        if run.terms.completeAsOf != nil { try remember(results, of: run, transaction) }
        let counts = count(results, into: &run.counts)
        run.cursor = end
        guard try StoreClock(transaction).newestSequence() > before else { return }
        try transaction.audit().record(
            .imported, at: now, in: scope,
            after: [
                "import": run.number, "customer": results.lazy.compactMap(\.customer).first, "added": counts.added,
                "updated": counts.updated,
            ])
    }

    private func attach(
        _ results: [IngestedPayload], _ provenance: Provenance, at now: Instant, in scope: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        var attached = Set<Alias>()
        for (aliases, result) in zip(aliases, results) {
            guard let customer = result.customer else { continue }
            let new = aliases.filter { attached.insert(Alias(customer: customer, alias: $0)).inserted }
            // One that Apple's data names for another customer is left out: the file mixes up two.
            try CustomerStore(transaction).state(new, of: [customer], provenance: provenance, at: now, in: scope)
        }
    }

    private func remember(
        _ results: [IngestedPayload], of run: ImportRun, _ transaction: any StoreTransaction
    ) throws {
        let accounts = Set(payloads.compactMap(\.content.appTransactionId)).sorted()
        for customer in Set(results.compactMap(\.customer)).sorted() {
            try ImportStore(transaction).remember(customer, accounts: accounts, of: run)
        }
    }

    /// Of payloads with one id the first is counted by its outcome, the others as repeated: so a rehearsal, which
    /// keeps none of them, counts the same.
    private func count(
        _ results: [IngestedPayload], into total: inout ImportCounts
    ) -> (added: Int64, updated: Int64) {
        var seen = Set<String>()
        var counts = ImportCounts()
        for (payload, result) in zip(payloads, results) {
            counts.count(result.outcome, isRepeated: !seen.insert(payload.content.viewName).inserted)
        }
        total.applied += Int64(payloads.count)
        total.subscriptions += 1
        total.added += counts.added
        total.updated += counts.updated
        total.unchanged += counts.unchanged
        total.repeated += counts.repeated
        return (counts.added, counts.updated)
    }
}

extension ImportCounts {
    mutating func count(_ outcome: IngestOutcome, isRepeated: Bool) {
        switch outcome {
        case _ where isRepeated: repeated += 1
        case .added: added += 1
        case .updated: updated += 1
        case .unchanged, .refused, .ignored: unchanged += 1
        }
    }
}

extension HistoryPayload.Content {
    /// The staged form of a line.
    ///
    /// - Throws: `StoreError.corrupt` if it is not what this version stages.
    init(staged: StagedPayload) throws(StoreError) {
        do throws(SignedDataRefusal) {
            switch staged.kind {
            case .transaction: self = .transaction(try Transaction(payload: staged.payload))
            case .renewalInfo: self = .renewalInfo(try RenewalInfo(payload: staged.payload))
            case .appTransaction: self = .appTransaction(try AppTransaction(payload: staged.payload))
            }
        } catch {
            throw .corrupt("a staged payload cannot be read: \(error.detail)")
        }
    }

    /// Equal for two views of the same thing.
    var viewName: String {
        switch self {
        case .transaction(let transaction): "t\(transaction.transactionId)"
        case .renewalInfo(let info): "r\(info.originalTransactionId)"
        case .appTransaction(let transaction): "a\(transaction.appTransactionId?.rawValue ?? "")"
        }
    }
}
