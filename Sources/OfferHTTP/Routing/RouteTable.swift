import HTTPTypes
import Hummingbird
import Metrics
import OfferApplication
import OfferModel

/// One call of the API: what the router, the `Allow` header and the test of `openapi.yaml` all go by.
struct Route: Sendable {
    /// The method; `GET` answers `HEAD` too.
    let method: HTTPRequest.Method
    /// The path as `openapi.yaml` writes it, such as `/v1/issued-offers/{id}`.
    let path: String
    /// Who may call; empty for everyone, with or without a key.
    let roles: [Role]
    let add: @Sendable (Router<OfferContext>, Authentication) -> Void

    /// A call that needs a key.
    init<Access: CallerAccess>(
        _ method: HTTPRequest.Method, _ path: String, for access: Access.Type,
        use answer: @escaping @Sendable (Request, CallerContext<Access>) async throws -> Response
    ) {
        self.method = method
        self.path = path
        roles = access.roles
        add = { router, authentication in
            router.group().add(middleware: authentication).group(context: CallerContext<Access>.self)
                .on(RouterPath(path), method: method, use: answer)
        }
    }

    /// A call that everyone may make.
    init(
        open method: HTTPRequest.Method, _ path: String,
        use answer: @escaping @Sendable (Request, OfferContext) async throws -> Response
    ) {
        self.method = method
        self.path = path
        roles = []
        add = { router, _ in router.on(RouterPath(path), method: method, use: answer) }
    }

    /// Whether a path is this route's, for any method.
    func matches(_ asked: String) -> Bool {
        let (own, others) = (path.split(separator: "/"), asked.split(separator: "/"))
        return own.count == others.count && zip(own, others).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}

/// Every call of the API, by method, path and role.
struct RouteTable: Sendable {
    let routes: [Route]
    private let limits: HTTPLimits
    private let threads: RequestThreads

    init(
        _ useCases: UseCases, limits: HTTPLimits, threads: RequestThreads = RequestThreads(), openAPI: [UInt8]
    ) {
        self.limits = limits
        self.threads = threads
        let issuedOffers = IssuedOffersController(useCases: useCases, limits: limits)
        let decisions = DecisionsController(
            decisions: useCases.decisions, recorded: useCases.recordedDecisions, limits: limits)
        let transactions = TransactionsController(ingestion: useCases.ingestion, limits: limits)
        let appStore = AppStoreController(
            notifications: useCases.notifications, turns: AsyncSemaphore(limits.notifications, waiting: 0),
            strangers: threads.strangers,
            exceeding: RefusalPace(interval: limits.exceedingInterval), bodyLimit: limits.notificationBytes)
        let catalog = CatalogController(catalogs: useCases.catalogs, bodyLimit: limits.catalogBytes)
        let offers = OffersController(switches: useCases.switches)
        let customers = CustomersController(useCases: useCases, limits: limits)
        let events = EventsController(events: useCases.events)
        let reports = ReportsController(reports: useCases.reports)
        let signatures = SignatureChecksController(
            checks: useCases.signatureChecks, bodyLimit: limits.bodyBytes)
        let health = HealthController(readiness: useCases.readiness)
        let description = DescriptionController(document: openAPI)
        routes = [
            Route(.post, "/v1/issued-offers", for: ClientOrAppAccess.self, use: issuedOffers.issue),
            Route(.get, "/v1/issued-offers", for: SupportAccess.self, use: issuedOffers.list),
            Route(.get, "/v1/issued-offers/export", for: SupportAccess.self, use: issuedOffers.export),
            Route(.get, "/v1/issued-offers/{id}", for: ClientOrSupportAccess.self, use: issuedOffers.show),
            Route(.post, "/v1/issued-offers/{id}/void", for: SupportAccess.self, use: issuedOffers.void),
            Route(.post, "/v1/issued-offers/{id}/replay", for: SupportAccess.self, use: issuedOffers.replay),
            Route(.post, "/v1/decisions", for: AnyKeyAccess.self, use: decisions.decide),
            Route(.get, "/v1/decisions/{id}", for: SupportAccess.self, use: decisions.show),
            Route(.post, "/v1/signature-checks", for: SupportAccess.self, use: signatures.check),
            Route(.post, "/v1/transactions", for: ClientOrAppAccess.self, use: transactions.ingest),
            Route(.get, "/v1/catalog", for: MarketingOrSupportAccess.self, use: catalog.show),
            Route(.put, "/v1/catalog", for: MarketingAccess.self, use: catalog.apply),
            Route(.get, "/v1/catalog/revisions", for: MarketingAccess.self, use: catalog.revisions),
            Route(.get, "/v1/catalog/revisions/{n}", for: MarketingAccess.self, use: catalog.revision),
            Route(.get, "/v1/offers", for: MarketingOrSupportAccess.self, use: offers.list),
            Route(.post, "/v1/offers/{id}/pause", for: MarketingAccess.self, use: offers.pause),
            Route(.post, "/v1/offers/{id}/resume", for: MarketingAccess.self, use: offers.resume),
            Route(.post, "/v1/offers/pause", for: MarketingAccess.self, use: offers.pauseAll),
            Route(.post, "/v1/offers/resume", for: MarketingAccess.self, use: offers.resumeAll),
            Route(.get, "/v1/customers", for: SupportAccess.self, use: customers.show),
            Route(.post, "/v1/customers/status", for: ClientAppOrSupportAccess.self, use: customers.status),
            Route(.post, "/v1/customers/refresh", for: SupportAccess.self, use: customers.refresh),
            Route(.post, "/v1/customers/unlink", for: SupportAccess.self, use: customers.unlink),
            Route(.post, "/v1/customers/reset", for: MarketingOrSupportAccess.self, use: customers.reset),
            Route(.put, "/v1/customers/attributes", for: ClientAccess.self, use: customers.setAttributes),
            Route(.get, "/v1/events", for: SupportAccess.self, use: events.list),
            Route(.get, "/v1/events/{id}", for: SupportAccess.self, use: events.show),
            Route(.post, "/v1/events/{id}/resend", for: SupportAccess.self, use: events.resend),
            Route(.get, "/v1/reports/funnel", for: MarketingAccess.self, use: reports.funnel),
            Route(open: .post, "/v1/app-store/{bundleId}/{environment}/notifications", use: appStore.notify),
            Route(open: .get, "/healthz", use: health.live),
            Route(open: .get, "/readyz", use: health.ready),
            Route(open: .get, "/openapi.yaml", use: description.show),
        ]
    }

    /// The methods that a path takes, `HEAD` and `OPTIONS` included; empty if there is nothing at the path. `*` is the
    /// whole server (RFC 9110 §9.3.7).
    func methods(at path: String) -> [HTTPRequest.Method] {
        var methods: [HTTPRequest.Method] = []
        for route in routes where (path == "*" || route.matches(path)) && !methods.contains(route.method) {
            methods.append(route.method)
        }
        guard !methods.isEmpty else { return [] }
        return methods + (methods.contains(.get) ? [.head, .options] : [.options])
    }

    func router(
        _ apiKeys: APIKeys, customerTokens: CustomerTokens = CustomerTokens(),
        metrics: any MetricsFactory = MetricsSystem.factory,
        inProgress: RequestsInProgress = RequestsInProgress(), trustedProxies: [IPNetwork] = []
    ) -> Router<OfferContext> {
        let router = Router(context: OfferContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AccessLog(metrics, inProgress, TrustedProxies(networks: trustedProxies)))
        let pace = RefusalPace()
        router.add(middleware: UnreadBodies(pace: pace))
        router.add(middleware: ProblemDocuments(routes: self, pace: pace))
        let authentication = Authentication(
            apiKeys: apiKeys, customerTokens: customerTokens,
            threads: threads, usualBytes: limits.bodyBytes)
        for route in routes { route.add(router, authentication) }
        return router
    }
}
