import Charts
import HTTPTypes
import Hummingbird
import OfferAPI
package import OfferApplication
import OfferDocuments
package import OfferHTTP
package import OfferModel

/// The console: pages for people beside the API (docs/console.md).
///
/// A page asks the same use cases as a call of the API and shows that call's answer, so it is shown to the roles that may
/// make the call. It has no rule, figure or reason of its own.
package struct ConsoleSite: Sendable {
    package static let root = "/console"
    /// Bytes of a form: the longest that is read has a JWS in it.
    static let formBytes = 64 * 1_024

    let useCases: UseCases
    let state: @Sendable () async -> ServerState
    let clock: @Sendable () -> Instant
    let proxyUsers: ProxyUsers?
    let table: RouteTable
    let pages: PageWriter
    /// To read a form and to write a page takes milliseconds, in which Swift's own threads can answer many calls of the
    /// API. People who are signed in do not wait for those who are not.
    private let people = WorkThread(label: "offerd.console")
    private let strangers = WorkThread(label: "offerd.console.strangers")

    /// - Parameters:
    ///   - state: what operators are shown of the server.
    ///   - proxyUsers: the people that a proxy in front signs in.
    ///   - clock: where a drawing's present is.
    package static func routes(
        _ useCases: UseCases, state: @escaping @Sendable () async -> ServerState,
        proxyUsers: ProxyUsers? = nil, clock: @escaping @Sendable () -> Instant
    ) -> @Sendable (RouteTable) -> FurtherRoutes {
        { table in
            let console = ConsoleSite(
                useCases: useCases, state: state, clock: clock, proxyUsers: proxyUsers, table: table,
                pages: PageWriter(table: table))
            return FurtherRoutes(below: root, console.routes) { console.pages.page(of: $0, $2) }
        }
    }

    private var routes: [Route] {
        return [
            Route(open: .get, Self.signInPath) { request, context in
                try await withTaskExecutorPreference(strangers) { @concurrent in
                    try await signInForm(request, context)
                }
            },
            Route(open: .post, Self.signInPath) { request, context in
                try await withTaskExecutorPreference(strangers) { @concurrent in try await signIn(request, context) }
            },
            Route(open: .get, "\(Self.root)/style.css") { request, _ in Self.style.answer(to: request) },
            Route(open: .get, "\(Self.root)/console.js") { request, _ in Self.script.answer(to: request) },
            Route(open: .get, "/") { request, _ in try Self.front(request) },
            page(Self.root, use: home),
            action("\(Self.root)/sign-out", []) { _, visit in try await signOut(visit) },
            page("\(Self.root)/customers", showing: .customers, use: customers),
            action(
                "\(Self.root)/customers/refresh", Self.refreshFields, making: .refresh, of: customerAgain, use: refresh),
            action("\(Self.root)/grants", Self.grantFields, making: .grant, of: customerAgain, use: grant),
            action(
                "\(Self.root)/grants/{id}/revoke", ["q", "kind"], making: .revokeGrant, of: customerAgain,
                use: revokeGrant),
            page("\(Self.root)/issued-offers/{id}", showing: .issuedOffer, use: issuedOffer),
            action(
                "\(Self.root)/issued-offers/{id}/void", ["reason", "release"], making: .void, of: issuedOffer, use: void
            ),
            page("\(Self.root)/decisions/{id}", showing: APICall(.get, "/v1/decisions/{id}"), use: recordedDecision),
            page("\(Self.root)/signatures", showing: .signatureChecks) { _, visit in try pages.signatures(visit) },
            action(
                "\(Self.root)/signatures", Self.signatureFields, making: .signatureChecks,
                of: { _, visit in try pages.signatures(visit) }, use: checkSignature),
        ] + marketing + operations
    }

    /// `GET /`: a browser is led to the console.
    private static func front(_ request: Request) throws -> Response {
        let accepted = request.headers[values: .accept].joined(separator: ",").lowercased()
        guard accepted.contains("text/html") else {
            throw Problem(
                .notFound, "there is nothing at `/`",
                hint: "`/openapi.yaml` lists every path; the console, for people, is at `\(root)`")
        }
        return .redirect(to: root)
    }

    private var operations: [Route] {
        [
            page(Self.operationsPath, showing: .operations, use: operations),
            action("\(Self.operationsPath)/resend", ["event"], making: .operations, of: operations, use: resend),
            action(
                "\(Self.operationsPath)/test", ["webhook"], making: .operations, of: operations, use: tryWebhooks),
        ]
    }

    private var marketing: [Route] {
        let (offer, catalog) = ("\(Self.root)/offers/{id}", "\(Self.root)/catalog")
        let audience = "\(offer)/audience/{simulation}"
        return [
            page("\(Self.root)/offers", showing: .offers, use: offers),
            page(offer, showing: .offers, use: self.offer),
            action("\(offer)/pause", Self.pauseFields, making: .pause, of: self.offer, use: pause()),
            action("\(offer)/resume", [], making: .resume, of: self.offer, use: resume()),
            action(
                "\(Self.root)/pause", Self.pauseFields + ["agreed"], making: .pauseAll, of: offers,
                use: pause(ofAll: true)),
            action("\(Self.root)/resume", [], making: .resumeAll, of: offers, use: resume(ofAll: true)),
            page("\(offer)/results", showing: .series, use: results),
            page(Self.overviewPath, showing: .funnel, use: overview),
            action("\(offer)/audience", ["where"], making: .simulate, of: self.offer, use: simulate),
            page(audience, showing: .simulation, use: self.audience),
            action("\(audience)/cancel", [], making: .cancel, of: self.audience, use: cancel),
            page(catalog, showing: .catalog, use: self.catalog),
            action("\(catalog)/plan", Self.editorFields, upTo: Self.catalogFormBytes, making: .apply, use: plan),
            action(catalog, Self.editorFields, upTo: Self.catalogFormBytes, making: .apply, use: apply),
            action("\(catalog)/add", Self.editorFields, upTo: Self.catalogFormBytes, making: .apply, use: add),
            action(
                "\(catalog)/audience", Self.editorFields + ["counted"], upTo: Self.catalogFormBytes, making: .simulate,
                use: simulatePlanned),
            page("\(catalog)/revisions/{n}", showing: .revision, use: revision),
            action(
                "\(catalog)/revisions/{n}/rollback", ["revision", "message", "agreed"], making: .apply, of: revision,
                use: rollBack),
        ]
    }

    private static let style = PublicDocument(
        PackageResources.style_css + Array(Chart.styleSheet.utf8), "text/css; charset=utf-8")
    private static let script = PublicDocument(PackageResources.console_js, "text/javascript; charset=utf-8")

    /// A page for everyone who is signed in, or for the roles that may make a call.
    private func page(
        _ path: String, showing call: APICall? = nil,
        use answer: @escaping @Sendable (Request, Visit) async throws -> Response
    ) -> Route {
        Route(open: .get, path) { request, context in
            guard let visit = try await visit(request, context) else { return toSignIn(request) }
            try call.map(visit.require)
            return try await withTaskExecutorPreference(people) { @concurrent in try await answer(request, visit) }
        }
    }

    /// What a form does: only if a page of the same session sends it.
    ///
    /// - Parameters:
    ///   - fields: the names of the form's fields besides its token.
    ///   - limit: the most bytes of the form.
    ///   - page: the page that has the form, which a refusal is shown on.
    private func action(
        _ path: String, _ fields: [String], upTo limit: Int = ConsoleSite.formBytes, making call: APICall? = nil,
        of page: (@Sendable (Request, Visit) async throws -> Response)? = nil,
        use answer: @escaping @Sendable (inout QueryParameters, Visit) async throws -> Response
    ) -> Route {
        Route(open: .post, path) { request, context in
            try FormOrigin.require(request, isEncrypted: context.isEncrypted)
            guard let visit = try await visit(request, context) else { return toSignIn(request) }
            try call.map(visit.require)
            return try await withTaskExecutorPreference(people) { @concurrent in
                var form = try await request.form(known: fields + [Visit.formField], upTo: limit)
                let token = form.field(Visit.formField) ?? ""
                guard useCases.consoleSessions.isFormToken(token, of: visit.secret) else { throw FormOrigin.foreign }
                do {
                    return try await answer(&form, visit)
                } catch {
                    guard let page, let refused = RefusedForm(path, form, fields, error) else { throw error }
                    var visit = visit
                    visit.refused = refused
                    // If that page cannot be shown either, the first error is.
                    do { return try await page(request, visit) } catch _ { throw error }
                }
            }
        }
    }

    /// Who is signed in; `nil` if no person is.
    private func visit(_ request: Request, _ context: OfferContext) async throws -> Visit? {
        if let visit = try await visit(byProxy: request, context) { return visit }
        guard let secret = SessionCookie.secret(in: request, isEncrypted: context.isEncrypted),
            let caller = try await useCases.consoleSessions.caller(forSecret: secret, from: context.address)
        else { return nil }
        // The browser may have the cookie of the person who used it before.
        if let name = try nameByProxy(request, context), caller.person.map({ Array($0.utf8) }) != Array(name.utf8) {
            return nil
        }
        return visit(of: caller, secret, context)
    }

    func visit(of caller: Caller, _ secret: String, byProxy: Bool = false, _ context: OfferContext) -> Visit {
        context.note(caller)
        var caller = caller
        caller.requestId = context.requestId
        return Visit(
            caller: caller, secret: secret, isByProxy: byProxy,
            formToken: useCases.consoleSessions.formToken(of: secret), context: context, table: table)
    }
}

/// A call of the API, by which a page's roles go.
struct APICall: Sendable {
    let method: HTTPRequest.Method
    let path: String

    init(_ method: HTTPRequest.Method, _ path: String) {
        self.method = method
        self.path = path
    }

    static let customers = APICall(.get, "/v1/customers")
    static let refresh = APICall(.post, "/v1/customers/refresh")
    static let signatureChecks = APICall(.post, "/v1/signature-checks")
    static let unmatched = APICall(.get, "/v1/decisions")
    static let issuedOffer = APICall(.get, "/v1/issued-offers/{id}")
    static let void = APICall(.post, "/v1/issued-offers/{id}/void")
    static let grant = APICall(.post, "/v1/grants")
    static let revokeGrant = APICall(.delete, "/v1/grants/{id}")
    /// The API has no such call, so it is for `admin` alone, as all is that no other role is named for.
    static let operations = APICall(.get, ConsoleSite.operationsPath)
}

/// A request of a person who is signed in.
struct Visit: Sendable {
    static let formField = "formToken"

    let caller: Caller
    let secret: String
    /// Whether a proxy signed the person in, who then has no session.
    let isByProxy: Bool
    let formToken: String
    let context: OfferContext
    let table: RouteTable
    /// The form that was sent, if it was refused.
    var refused: RefusedForm?

    func may(_ call: APICall) -> Bool { table.isFor(caller.role, call) }

    /// - Throws: ``Problem`` `forbidden`.
    func require(_ call: APICall) throws {
        guard !may(call) else { return }
        let roles = table.roles(of: call.method, call.path) ?? []
        throw Problem.forbidden(role: caller.role, needed: roles.filter(\.isStaff))
    }
}

extension RouteTable {
    /// Whether a role may make a call; one that is not in the table is for `admin` alone.
    func isFor(_ role: Role, _ call: APICall) -> Bool {
        role == .admin || roles(of: call.method, call.path)?.contains(role) == true
    }
}

extension Request {
    /// The fields of a form that a browser sends.
    ///
    /// - Throws: ``Problem`` `unsupported-media-type` or `too-large`, ``RequestFault``.
    func form(known: [String], upTo limit: Int = ConsoleSite.formBytes) async throws -> QueryParameters {
        let type = headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw Problem(
                .unsupportedMediaType, "the request is no form of this console",
                hint: "send the form from its page; programs use the API")
        }
        guard let text = String(validating: try await bytes(upTo: limit), as: UTF8.self) else {
            throw RequestFault(path: "query", .invalidValue, "the form is not UTF-8")
        }
        return try QueryParameters(text, known: known, list: OfferEntry.Field.products.rawValue)
    }
}
