package import HTTPTypes
package import Hummingbird
import Metrics
package import OfferAPI
import OfferApplication
package import OfferModel

/// One call of the API: what the router, the `Allow` header and the test of `openapi.yaml` all go by.
package struct Route: Sendable {
    /// The method; `GET` answers `HEAD` too.
    let method: HTTPRequest.Method
    /// The path as `openapi.yaml` writes it, such as `/v1/issued-offers/{id}`.
    let path: String
    /// Who may call besides `admin`, in the order the documentation names them; empty for everyone, with or without a
    /// key.
    let roles: [Role]
    let add: @Sendable (Router<OfferContext>, Authentication) -> Void

    /// A call that needs a key.
    init(
        _ method: HTTPRequest.Method, _ path: String, for roles: [Role],
        use answer: @escaping @Sendable (Request, CallerContext) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.roles = roles
        add = { router, authentication in
            router.group().add(middleware: authentication).group(context: CallerContext.self)
                .on(RouterPath(path), method: method) { request, context in
                    try context.require(roles)
                    return try await answer(request, context)
                }
        }
    }

    /// A call that everyone may make.
    package init(
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

/// Pages for people on the server of the API, whose errors are pages too.
package struct FurtherRoutes: Sendable {
    /// The path above all of theirs, such as `/console`.
    let root: String
    let routes: [Route]
    /// The page that says what a problem document would.
    let page: @Sendable (ProblemBody, Request, OfferContext) -> Response

    package init(
        below root: String, _ routes: [Route],
        page: @escaping @Sendable (ProblemBody, Request, OfferContext) -> Response
    ) {
        self.root = root
        self.routes = routes
        self.page = page
    }

    fileprivate func contains(_ path: String) -> Bool { path == root || path.hasPrefix("\(root)/") }
}

package struct RouteTable: Sendable {
    private(set) var routes: [Route]
    private(set) var further: FurtherRoutes?
    private let limits: HTTPLimits
    private let threads: RequestThreads

    init(
        _ useCases: UseCases, limits: HTTPLimits, threads: RequestThreads = RequestThreads()
    ) {
        self.limits = limits
        self.threads = threads
        let issuedOffers = IssuedOffersController(useCases: useCases, limits: limits)
        let decisions = DecisionsController(useCases: useCases, limits: limits)
        let appStore = AppStoreController(
            notifications: useCases.notifications, turns: AsyncSemaphore(limits.notifications, waiting: 0),
            strangers: threads.strangers,
            exceeding: SpacedTurns(interval: limits.exceedingInterval), bodyLimit: limits.notificationBytes)
        let catalog = CatalogController(useCases: useCases, limits: limits)
        let offers = OffersController(useCases: useCases, limits: limits)
        let customers = CustomersController(useCases: useCases, limits: limits)
        let grants = GrantsController(useCases: useCases, limits: limits)
        let simulations = SimulationsController(useCases: useCases, limits: limits)
        let events = EventsController(useCases: useCases, limits: limits)
        routes = [
            Route(.post, "/v1/issued-offers", for: [.client, .app], use: issuedOffers.issue),
            Route(.get, "/v1/issued-offers", for: [.support], use: issuedOffers.list),
            Route(.get, "/v1/issued-offers/export", for: [.support], use: issuedOffers.export),
            Route(.get, "/v1/issued-offers/{id}", for: [.client, .support], use: issuedOffers.show),
            Route(.post, "/v1/issued-offers/{id}/void", for: [.support], use: issuedOffers.void),
            Route(.post, "/v1/issued-offers/{id}/replay", for: [.support], use: issuedOffers.replay),
            Route(.post, "/v1/decisions", for: [.client, .app, .support, .marketing], use: decisions.decide),
            Route(.get, "/v1/decisions", for: [.support], use: decisions.unmatched),
            Route(.get, "/v1/decisions/{id}", for: [.support], use: decisions.show),
            Route(.post, "/v1/signature-checks", for: [.support], use: issuedOffers.check),
            Route(.post, "/v1/transactions", for: [.client, .app], use: customers.ingest),
            Route(.get, "/v1/catalog", for: [.marketing, .support], use: catalog.show),
            Route(.put, "/v1/catalog", for: [.marketing], use: catalog.apply),
            Route(.get, "/v1/catalog/revisions", for: [.marketing], use: catalog.revisions),
            Route(.get, "/v1/catalog/revisions/{n}", for: [.marketing], use: catalog.revision),
            Route(.get, "/v1/offers", for: [.marketing, .support], use: offers.list),
            Route(.post, "/v1/offers/{id}/pause", for: [.marketing], use: offers.pause()),
            Route(.post, "/v1/offers/{id}/resume", for: [.marketing], use: offers.resume()),
            Route(.post, "/v1/offers/pause", for: [.marketing], use: offers.pause(ofAll: true)),
            Route(.post, "/v1/offers/resume", for: [.marketing], use: offers.resume(ofAll: true)),
            Route(.get, "/v1/customers", for: [.support], use: customers.show),
            Route(.post, "/v1/customers/status", for: [.client, .app, .support], use: customers.status),
            Route(.post, "/v1/customers/refresh", for: [.client, .support], use: customers.refresh),
            Route(.post, "/v1/customers/unlink", for: [.support], use: customers.unlink),
            Route(.post, "/v1/customers/reset", for: [.marketing, .support], use: customers.reset),
            Route(.post, "/v1/customers/search", for: [.support, .marketing], use: simulations.search),
            Route(.put, "/v1/customers/attributes", for: [.client], use: customers.setAttributes),
            Route(.post, "/v1/grants", for: [.support], use: grants.grant),
            Route(.get, "/v1/grants", for: [.support], use: grants.list),
            Route(.delete, "/v1/grants/{id}", for: [.support], use: grants.revoke),
            Route(.get, "/v1/events", for: [.client, .support, .marketing], use: events.list),
            Route(.get, "/v1/events/{id}", for: [.client, .support], use: events.show),
            Route(.post, "/v1/events/{id}/resend", for: [.support], use: events.resend),
            Route(.post, "/v1/webhooks/test", for: [.support], use: events.tryWebhooks),
            Route(.get, "/v1/reports/funnel", for: [.marketing], use: offers.funnel),
            Route(.get, "/v1/reports/series", for: [.marketing, .support], use: offers.series),
            Route(.post, "/v1/simulations", for: [.marketing, .support], use: simulations.start),
            Route(.get, "/v1/simulations/{id}", for: [.marketing, .support], use: simulations.show),
            Route(.delete, "/v1/simulations/{id}", for: [.marketing, .support], use: simulations.cancel),
            Route(open: .post, "/v1/app-store/{bundleId}/{environment}/notifications", use: appStore.notify),
            Route(open: .get, "/healthz") { _, _ in try .json(HealthBody()) },
            Route(open: .get, "/readyz") { _, _ in
                try await useCases.readiness.check()
                return try .json(HealthBody())
            },
            Route(open: .get, "/openapi.yaml") { request, _ in PublicDocument.yaml.answer(to: request) },
            Route(open: .get, "/openapi.json") { request, _ in try PublicDocument.json.get().answer(to: request) },
            Route(open: .get, "/docs") { request, _ in PublicDocument.page.answer(to: request) },
        ]
    }

    /// Who may make a call besides `admin`; `nil` if there is no such call.
    package func roles(of method: HTTPRequest.Method, _ path: String) -> [Role]? {
        routes.first { $0.method == method && $0.path == path }?.roles
    }

    /// - Parameter alone: whether it has nothing else.
    mutating func add(_ further: FurtherRoutes, alone: Bool) {
        self.further = further
        routes = (alone ? [] : routes) + further.routes
    }

    /// The page of a problem; `nil` where it is told as a document.
    func page(of problem: ProblemBody, _ request: Request, _ context: OfferContext) -> Response? {
        guard let further, further.contains(request.uri.path) else { return nil }
        return further.page(problem, request, context)
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
        inProgress: RequestsInProgress = RequestsInProgress(), trustedProxies: [IPNetwork] = [], hasTLS: Bool = false
    ) -> Router<OfferContext> {
        let router = Router(context: OfferContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AccessLog(metrics, inProgress, TrustedProxies(networks: trustedProxies), hasTLS: hasTLS))
        // A lone client hardly notices five milliseconds, a crowd gets 200 turns a second.
        let pace = SpacedTurns(interval: .milliseconds(5))
        router.add(middleware: UnreadBodies(pace: pace))
        router.add(middleware: ProblemDocuments(routes: self, pace: pace))
        let authentication = Authentication(
            apiKeys: apiKeys, customerTokens: customerTokens,
            threads: threads, usualBytes: limits.bodyBytes)
        for route in routes { route.add(router, authentication) }
        return router
    }
}
