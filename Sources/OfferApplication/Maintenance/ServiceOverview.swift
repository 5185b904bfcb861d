import OfferDocuments
public import OfferModel
import OfferStore

/// What an operator has to know and only the database tells, for `/metrics` (docs/monitoring.md).
public struct ServiceOverview: Sendable {
    public struct Pause: Sendable, Hashable {
        public var scope: Scope
        /// Absent for every offer.
        public var offer: OfferId?
        public var since: Instant
        /// When it ends by itself.
        public var until: Instant?
    }

    /// How much of a limit that all customers share is used.
    public struct SharedLimitUse: Sendable, Hashable {
        public var scope: Scope
        public var offer: OfferId
        /// `total`, or the currency of a budget.
        public var limit: String
        /// 1 where all of it is used; more where redemptions became known late, or the limit was lowered.
        public var share: Double
    }

    /// The first end among the API keys of a role.
    public struct APIKeyEnd: Sendable, Hashable {
        public var scope: Scope
        public var role: Role
        public var at: Instant
    }

    public var pauses: [Pause] = []
    public var uses: [SharedLimitUse] = []
    public var keyEnds: [APIKeyEnd] = []
    /// When `offerd backup` last succeeded, and when the ledger was last proven.
    public var backedUpAt: Instant?
    public var provenAt: Instant?
}

/// Reads a ``ServiceOverview`` of the apps of `keys.yaml`.
public struct ServiceOverviews: Sendable {
    /// How long a key is still shown after its end, in milliseconds: an alert must not go out as requests begin to fail.
    private static let keysStay = 7 * Instant.Duration.day

    let registry: AppRegistry
    let database: any StoreDatabase
    let catalogs: CompiledCatalogs
    let clock: RequestClock

    /// - Throws: `StoreError`.
    public func read() async throws -> ServiceOverview {
        let scopes = registry.all.flatMap { app in
            app.signingKeys.keys.map { Scope(bundleId: app.bundleId, environment: $0) }
        }
        return try await database.read { transaction in
            let now = try clock.tolerantInstant(transaction)
            var overview = ServiceOverview()
            let marks = try MaintenanceStore(transaction).marks()
            (overview.backedUpAt, overview.provenAt) = (marks.backedUpAt, marks.provenAt)
            overview.keyEnds = try keyEnds(transaction, at: now)
            for scope in scopes.sorted(by: { "\($0)" < "\($1)" }) {
                guard let number = try ScopeStore(transaction).number(of: scope) else { continue }
                overview.pauses += try PauseStore(transaction).active(in: number)
                    .filter { $0.isOfKillSwitch && $0.isInForce(at: now) }.map {
                        ServiceOverview.Pause(scope: scope, offer: $0.offerId, since: $0.pausedAt, until: $0.endsAt)
                    }
                overview.uses += try uses(of: number, in: scope, transaction, at: now)
            }
            return overview
        }
    }

    /// Keys that another key replaces are left out: someone has taken care of their end.
    private func keyEnds(
        _ transaction: any StoreTransaction, at now: Instant
    ) throws -> [ServiceOverview.APIKeyEnd] {
        var ends: [Scope: [Role: Instant]] = [:]
        for key in try APIKeyStore(transaction).keys() where key.revokedAt == nil && key.endsAt == nil {
            guard let end = key.expiresAt, end.adding(milliseconds: Self.keysStay) > now else { continue }
            ends[key.scope, default: [:]][key.role] = min(end, ends[key.scope]?[key.role] ?? end)
        }
        return ends.flatMap { scope, ends in
            ends.map { ServiceOverview.APIKeyEnd(scope: scope, role: $0.key, at: $0.value) }
        }.sorted { ("\($0.scope)", $0.role.rawValue) < ("\($1.scope)", $1.role.rawValue) }
    }

    /// The limits of offers that can be issued now.
    private func uses(
        of number: ScopeNumber, in scope: Scope, _ transaction: any StoreTransaction, at now: Instant
    ) throws -> [ServiceOverview.SharedLimitUse] {
        let revision = try CatalogStore(transaction).currentNumber(in: number)
        let catalog: CompiledCatalog
        do {
            catalog = try catalogs.catalog(revision, of: number, in: scope, transaction)
        } catch is InvalidDocument {
            // What this version cannot read, it does not issue either.
            return []
        }
        let offers = catalog.offers.filter { compiled in
            let offer = compiled.offer
            return !compiled.sharedLimits.isEmpty
                && ![.draft, .ended].contains(OfferStanding(offer, in: scope.environment, at: now))
        }
        guard !offers.isEmpty else { return [] }
        let store = CounterStore(transaction)
        try store.readAll(in: number)
        return try offers.flatMap { compiled in
            let offer = compiled.offer
            let counters = try store.counters(
                of: offer, in: catalog.offerGroups[offer.id], open: [], at: now, in: number)
            let used = OfferUsage(counters, of: offer, in: catalog.catalog)
            // Of several limits of one kind, the one that is used up first. The reader refuses an allowance of nothing.
            var shares: [String: Double] = [:]
            for limit in compiled.sharedLimits {
                let name = if case .money(let currency) = limit.unit { currency } else { "total" }
                let taken = used.allowance(limit).taken
                shares[name] = max(shares[name] ?? 0, Double(taken) / Double(limit.allowed))
            }
            return shares.sorted { $0.key < $1.key }.map { name, share in
                ServiceOverview.SharedLimitUse(scope: scope, offer: offer.id, limit: name, share: share)
            }
        }
    }
}
