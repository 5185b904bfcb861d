import OfferEligibility
import OfferModel
import OfferStore

/// Keeps what Apple gave of one account, in one durable transaction.
struct AccountKeeping: Sendable {
    let ledger: Ledger
    let catalogs: CompiledCatalogs
    let clock: RequestClock

    /// Keeps the verified payloads, and that they are all there is if nothing speaks against it (invariant 3).
    ///
    /// - Parameter asOf: before Apple was asked: what was bought meanwhile may be missing.
    func keep(
        _ fetched: FetchedAccount, of account: AskedAccount, asOf: Instant, in scope: Scope, by author: AuditAuthor
    ) async throws -> KeptAccount {
        let (clock, catalogs) = (clock, catalogs)
        return try await ledger.write(by: author) { transaction in
            let now = try clock.instant(transaction)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            let payloads = fetched.payloads
            let ingested = try HistoryStore(transaction).ingest(
                payloads, offers: try catalogs.offersInForce(of: number, in: scope, transaction), at: now, in: number)
            let storeClock = StoreClock(transaction)
            try storeClock.advance(to: now)
            if let date = fetched.newestDateOfApple { try storeClock.noteSigned(at: date) }
            var kept = KeptAccount()
            kept.refused = fetched.refused
            kept.subscriptions = fetched.subscriptions
            kept.appTransactionIds = fetched.namedAppTransactionIds
            kept.count(Array(zip(payloads, ingested.map(\.outcome))))
            kept.owners = try CustomerStore(transaction).customers(proven: account.proven + fetched.proven, in: number)
            // What the payloads proved to be the same customer's counts too, and what came from elsewhere meanwhile.
            let stored = try CustomerStore(transaction).customers(kept.owners).flatMap(\.originalTransactionIds)
            kept.gaps = Self.gaps(fetched, account.subscriptions.union(stored), owners: kept.owners)
            if kept.gaps.isEmpty {
                try CoverageStore(transaction).stateComplete(
                    kept.owners, asOf: min(asOf, now), provenance: .serverAPI, at: now, in: number)
            }
            return kept
        }
    }

    private static func gaps(
        _ fetched: FetchedAccount, _ known: Set<TransactionId>, owners: [CustomerNumber]
    ) -> [RefreshGap] {
        var gaps: [RefreshGap] = []
        if !fetched.refused.isEmpty { gaps.append(.refusedData) }
        if fetched.hasMorePages { gaps.append(.morePages) }
        if !known.isSubset(of: fetched.subscriptions) { gaps.append(.missingSubscription) }
        if owners.count > 1 { gaps.append(.severalCustomers) }
        return gaps
    }
}

extension AskedAccount {
    /// The identifiers by which the account is known here.
    var proven: [ProvenIdentifier] {
        subscriptions.sorted().map { .originalTransactionId($0) }
            + appTransactionIds.sorted().map { .appTransactionId($0) }
    }
}
