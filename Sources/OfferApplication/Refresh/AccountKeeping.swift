import OfferModel
import OfferStore

/// Keeps what Apple gave of one account, in one durable transaction.
struct AccountKeeping: Sendable {
    let ledger: Ledger
    let catalogs: CompiledCatalogs
    let clock: RequestClock

    /// Keeps the verified payloads, and that they are all there is if nothing speaks against it (invariant 3). What is
    /// known already, with nothing new to state, costs no durable commit.
    ///
    /// - Parameters:
    ///   - asOf: before Apple was asked: what was bought meanwhile may be missing.
    ///   - recent: what Apple's data was found to be complete as of then or later is not stated again.
    func keep(
        _ fetched: FetchedAccount, of account: AskedAccount, asOf: Instant, recent: Instant, in scope: Scope,
        by author: AuditAuthor
    ) async throws -> KeptAccount {
        let known = try await ledger.read { transaction in
            // What Apple answered about who was erased meanwhile would bring everything back.
            try account.seen?.requireNotErased(transaction)
            return try Self.known(fetched, of: account, asOf: asOf, recent: recent, in: scope, transaction)
        }
        if let known { return known }
        return try await ledger.write(by: author) { transaction in
            try account.seen?.requireNotErased(transaction)
            let now = try clock.instant(transaction)
            let number = try ScopeStore(transaction).findOrAdd(scope)
            let offers = try catalogs.offersInForce(of: number, in: scope, transaction)
            let ingested = try HistoryStore(transaction).ingest(fetched.payloads, offers: offers, at: now, in: number)
            let storeClock = StoreClock(transaction)
            try storeClock.advance(to: now)
            if let date = fetched.newestDateOfApple { try storeClock.noteSigned(at: date) }
            let kept = try KeptAccount(
                fetched, of: account, outcomes: ingested.map(\.outcome), of: scope, in: number, transaction)
            if kept.gaps.isEmpty {
                for owner in kept.owners where scope.environment.isOfTesters {
                    try UnlistedHistory(listed: fetched.transactionIds, asOf: asOf, in: number, transaction)
                        .remove(of: owner, offers: offers, at: now)
                }
                try CoverageStore(transaction).stateComplete(
                    kept.owners, asOf: min(asOf, now), provenance: .serverAPI, at: now, in: number)
            }
            return kept
        }
    }

    /// The outcome of storing if it would change nothing; `nil` if there is something to write.
    private static func known(
        _ fetched: FetchedAccount, of account: AskedAccount, asOf: Instant, recent: Instant, in scope: Scope,
        _ transaction: any StoreTransaction
    ) throws -> KeptAccount? {
        guard let number = try ScopeStore(transaction).number(of: scope),
            try HistoryStore(transaction).missing(fetched.payloads, in: number).isEmpty
        else { return nil }
        let kept = try KeptAccount(
            fetched, of: account, outcomes: fetched.payloads.map { _ in .unchanged }, of: scope, in: number,
            transaction)
        guard kept.gaps.isEmpty else { return kept }
        let coverage = CoverageStore(transaction)
        let isStated = try kept.owners.allSatisfy { owner in
            guard let stated = try coverage.coverage(of: owner), stated.provenance == .serverAPI else { return false }
            return stated.asOf.map { $0 >= recent } ?? false
        }
        let isAll =
            try !scope.environment.isOfTesters
            || UnlistedHistory(listed: fetched.transactionIds, asOf: asOf, in: number, transaction)
                .isEmpty(of: kept.owners)
        return isStated && isAll ? kept : nil
    }
}

extension KeptAccount {
    /// Counts the outcomes of the payloads, and finds their customers and what is missing.
    fileprivate init(
        _ fetched: FetchedAccount, of account: AskedAccount, outcomes: [IngestOutcome], of named: Scope,
        in scope: ScopeNumber, _ transaction: any StoreTransaction
    ) throws {
        refused = fetched.refused
        subscriptions = fetched.subscriptions
        appTransactionIds = fetched.namedAppTransactionIds
        count(zip(fetched.payloads, outcomes))
        let customers = CustomerStore(transaction)
        owners = try customers.customers(proven: account.proven + fetched.proven, in: scope)
        // What the payloads proved to be the same customer's counts too, and what came from elsewhere meanwhile.
        let stored = try customers.customers(owners).flatMap(\.originalTransactionIds)
        gaps = Self.gaps(fetched, account.subscriptions.union(stored), owners: owners, in: named.environment)
    }

    /// Purchases of a tester that Apple no longer lists were cleared there, and are not a gap.
    static func gaps(
        _ fetched: FetchedAccount, _ known: Set<TransactionId>, owners: [CustomerNumber],
        in environment: AppStoreEnvironment
    ) -> [RefreshGap] {
        var gaps: [RefreshGap] = []
        if !fetched.refused.isEmpty { gaps.append(.refusedData) }
        if fetched.hasMorePages { gaps.append(.morePages) }
        if !environment.isOfTesters, !known.isSubset(of: fetched.subscriptions) { gaps.append(.missingSubscription) }
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
