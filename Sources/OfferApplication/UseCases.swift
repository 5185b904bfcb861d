public import Metrics
public import OfferModel
public import OfferStore

/// Everything the service does.
///
/// Each member is one use case with its own type; `OfferHTTP` gets them all.
public struct UseCases: Sendable {
    /// `POST /v1/issued-offers`.
    public let issuing: IssueOffer
    /// `POST /v1/decisions`.
    public let decisions: OfferDecisions
    /// `POST /v1/transactions`.
    public let ingestion: HistoryIngestion
    /// `POST /v1/app-store/{bundleId}/{environment}/notifications`, and those fetched after an outage.
    public let notifications: NotificationIngestion
    /// `GET` and `PUT /v1/catalog`, and its revisions.
    public let catalogs: CatalogRevisions
    /// `/v1/offers`: the kill switch.
    public let switches: OfferPauses
    /// `POST /v1/issued-offers/{id}/replay` and `GET /v1/decisions/{id}`.
    public let replay: OfferReplay
    /// `POST /v1/signature-checks`.
    public let signatureChecks: SignatureChecks
    /// `POST /v1/issued-offers/{id}/void`.
    public let voiding: OfferVoiding
    /// `/v1/grants`.
    public let grants: CustomerGrants
    /// `GET /v1/customers` and `GET /v1/issued-offers`.
    public let customers: CustomerLookup
    /// `POST /v1/customers/status`.
    public let status: StatusLookup
    /// `POST /v1/customers/refresh`, and the work of `offerd backfill`.
    public let refresh: CustomerRefresh
    /// `GET /v1/issued-offers/export`.
    public let export: IssuedOfferExport
    /// `PUT /v1/customers/attributes`, `POST /v1/customers/unlink` and `POST /v1/customers/reset`.
    public let changes: CustomerChanges
    /// `/v1/events`.
    public let events: EventFeed
    /// `POST /v1/webhooks/test`.
    public let webhookTrials: WebhookTrials
    /// `GET /v1/reports/funnel`.
    public let reports: FunnelReports
    /// `GET /v1/reports/series`.
    public let series: OfferSeriesReports
    /// `/v1/simulations`.
    public let simulations: Simulations
    /// `POST /v1/customers/search`.
    public let search: CustomerSearch
    public let apiKeys: APIKeys
    /// Who is signed in to the console.
    package let consoleSessions: ConsoleSessions
    public let customerTokens: CustomerTokens
    /// Events that become due by themselves.
    public let dueEvents: DueEvents
    /// Checkpoints and keys.
    public let audit: LedgerAudit
    /// `GET /readyz`.
    public let readiness: Readiness
    /// What `/metrics` shows of the database.
    public let overviews: ServiceOverviews
    /// What `/metrics` and the console show of the server.
    public let states: ServerStates
    /// What the console shows an operator of one app and environment.
    public let scopeStates: ScopeStates
    /// The use cases that run on threads of their own, a few at once.
    package let shares = LongWorkShares()

    /// - Parameters:
    ///   - digest: SHA-256 of documents and token secrets.
    ///   - digestKey: takes the audit's digests of what may be erased; without it the database's own salt does.
    ///   - outlet: how webhooks are tried; without it they cannot be.
    ///   - timeZones: those that reports by date know; only UTC unless given.
    ///   - inProgress: how many requests the server is answering.
    ///   - freeSpace: how many bytes are left on the disk that holds the database; `nil` where that is unknown.
    public init(
        registry: AppRegistry, database: any StoreDatabase, digest: any Digest, random: any RandomSource,
        digestKey: (any KeyedDigest)? = nil, checkpointSigner: CheckpointSigner? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory, rates: RequestRates = RequestRates(.off),
        webhooks: WebhookRegistry = WebhookRegistry(), outlet: WebhookOutlet? = nil,
        customerTokens: CustomerTokens = CustomerTokens(), timeZones: TimeZones = .onlyUTC,
        grants: GrantTerms = .standard, clock: @escaping @Sendable () -> Instant,
        inProgress: @escaping @Sendable () -> Int = { 0 }, freeSpace: @escaping @Sendable () -> Int64? = { nil }
    ) {
        self.customerTokens = customerTokens
        let database = WatchedDatabase(database)
        let metrics = ServiceMetrics(metrics)
        let ledger = Ledger(database, digest: digest, key: digestKey, onRedemptions: { metrics.note($0) })
        let catalogs = CompiledCatalogs()
        let wallClock = clock
        let clock = RequestClock(wallClock: wallClock)
        ingestion = HistoryIngestion(
            registry: registry, database: ledger, catalogs: catalogs, clock: clock, rates: rates)
        notifications = NotificationIngestion(
            registry: registry, database: ledger, catalogs: catalogs, clock: clock, metrics: metrics, rates: rates)
        refresh = CustomerRefresh(
            registry: registry, ledger: ledger, catalogs: catalogs, clock: clock, rates: rates)
        issuing = IssueOffer(
            registry: registry, database: ledger, catalogs: catalogs, ingestion: ingestion, digest: digest,
            random: random, policy: .standard, clock: clock, rates: rates, metrics: metrics)
        decisions = OfferDecisions(
            registry: registry, database: database, ingestion: ingestion, catalogs: catalogs, policy: .standard,
            clock: clock, rates: rates, metrics: metrics, shares: shares)
        signatureChecks = SignatureChecks(
            registry: registry, database: database, catalogs: catalogs, decisions: decisions, clock: clock,
            work: shares.signatures)
        self.catalogs = CatalogRevisions(
            database: ledger, compiled: catalogs, digest: digest, clock: clock, work: shares.catalogs)
        switches = OfferPauses(database: ledger, catalogs: catalogs, clock: clock)
        customers = CustomerLookup(
            database: database, catalogs: catalogs, policy: .standard, clock: clock, work: shares.stories)
        status = StatusLookup(database: database, ingestion: ingestion, clock: clock, rates: rates)
        export = IssuedOfferExport(database: database, catalogs: catalogs, clock: clock, work: shares.stories)
        replay = OfferReplay(database: database, catalogs: catalogs, policy: .standard, work: shares.stories)
        changes = CustomerChanges(database: ledger, digestKey: digestKey, clock: clock, rates: rates)
        voiding = OfferVoiding(database: ledger, stories: customers, clock: clock)
        self.grants = CustomerGrants(
            database: ledger, catalogs: catalogs, random: random, clock: clock, terms: grants)
        events = EventFeed(database: database, webhooks: webhooks, clock: clock)
        webhookTrials = WebhookTrials(webhooks: webhooks, outlet: outlet, random: random, clock: wallClock)
        reports = FunnelReports(
            database: database, catalogs: catalogs, policy: .standard, clock: clock, work: shares.reports)
        series = OfferSeriesReports(
            database: database, catalogs: catalogs, timeZones: timeZones, policy: .standard, clock: clock,
            work: shares.reports)
        simulations = Simulations(
            registry: registry, database: database, catalogs: catalogs, policy: .standard, clock: clock, random: random,
            rates: rates, shares: shares, inProgress: inProgress)
        search = CustomerSearch(
            database: database, catalogs: catalogs, policy: .standard, clock: clock, work: shares.stories)
        apiKeys = APIKeys(
            database: ledger, digest: digest, random: random, author: .service, rates: rates, clock: wallClock)
        consoleSessions = ConsoleSessions(
            database: ledger, apiKeys: apiKeys, digest: digest, random: random, clock: clock)
        dueEvents = DueEvents(ledger: ledger, clock: clock)
        audit = LedgerAudit(ledger: ledger, signer: checkpointSigner, clock: clock)
        readiness = Readiness(database: database, registry: registry, clock: clock, freeSpace: freeSpace)
        overviews = ServiceOverviews(registry: registry, database: database, catalogs: catalogs, clock: clock)
        states = ServerStates(registry: registry, readiness: readiness, overviews: overviews, clock: clock)
        scopeStates = ScopeStates(database: database, webhooks: webhooks, apiKeys: apiKeys)
    }
}
