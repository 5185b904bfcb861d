import HTTPTypes
import OfferApplication
import OfferConsole
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferHTTP

/// A route of the console with what a test has to know to try it. ``EveryRouteTests`` compares the list with the routes
/// that there are.
struct KnownRoute: Sendable {
    enum Use: Sendable {
        /// For everyone, signed in or not.
        case open
        case staff
        /// For the roles of a call of the API.
        case call(HTTPRequest.Method, String)
        case admin
    }

    var method: HTTPRequest.Method
    /// Below `/console`.
    var path: String
    var use: Use
    /// What a person who means it sends with the form.
    var fields: [(String, String)] = []

    var name: String { "\(method.rawValue) /console\(path)" }
    var isOpen: Bool { if case .open = use { true } else { false } }

    static let all = pages + forms
    static let signedIn = all.filter { !$0.isOpen }

    private static let pages = [
        KnownRoute(.open, "/sign-in"), KnownRoute(.open, "/style.css"), KnownRoute(.open, "/console.js"),
        KnownRoute(.staff, ""), KnownRoute(.call(.get, "/v1/customers"), "/customers"),
        KnownRoute(.call(.get, "/v1/issued-offers/{id}"), "/issued-offers/{id}"),
        KnownRoute(.call(.get, "/v1/decisions/{id}"), "/decisions/{id}"),
        KnownRoute(.call(.post, "/v1/signature-checks"), "/signatures"),
        KnownRoute(.call(.get, "/v1/offers"), "/offers"), KnownRoute(.call(.get, "/v1/offers"), "/offers/{id}"),
        KnownRoute(.call(.get, "/v1/reports/series"), "/offers/{id}/results"),
        KnownRoute(.call(.get, "/v1/reports/funnel"), "/results"),
        KnownRoute(.call(.get, "/v1/simulations/{id}"), "/offers/{id}/audience/{simulation}"),
        KnownRoute(.call(.get, "/v1/catalog"), "/catalog"),
        KnownRoute(.call(.get, "/v1/catalog/revisions/{n}"), "/catalog/revisions/{n}"),
        KnownRoute(.admin, "/operations"),
    ]

    static let forms = [
        KnownRoute(.open, "/sign-in", sending: [("name", "anna")]), KnownRoute(.staff, "/sign-out", sending: []),
        KnownRoute(
            .call(.post, "/v1/customers/refresh"), "/customers/refresh",
            sending: customer),
        KnownRoute(
            .call(.post, "/v1/grants"), "/grants",
            sending: customer + [("offer", "comeback"), ("reason", "promised")]),
        KnownRoute(.call(.delete, "/v1/grants/{id}"), "/grants/{id}/revoke", sending: customer),
        KnownRoute(
            .call(.post, "/v1/issued-offers/{id}/void"), "/issued-offers/{id}/void",
            sending: [("reason", "asked for"), ("release", "true")]),
        KnownRoute(
            .call(.post, "/v1/signature-checks"), "/signatures", sending: [("format", "v1"), ("signature", "AAAA")]),
        KnownRoute(
            .call(.post, "/v1/offers/{id}/pause"), "/offers/{id}/pause",
            sending: [("until", "2026-06-01"), ("reason", "no codes left")]),
        KnownRoute(.call(.post, "/v1/offers/{id}/resume"), "/offers/{id}/resume", sending: []),
        KnownRoute(
            .call(.post, "/v1/offers/pause"), "/pause",
            sending: [("until", "2026-06-01"), ("reason", "a fault"), ("agreed", "true")]),
        KnownRoute(.call(.post, "/v1/offers/resume"), "/resume", sending: []),
        KnownRoute(
            .call(.post, "/v1/simulations"), "/offers/{id}/audience",
            sending: [("where", "customer.storefront in [USA]")]),
        KnownRoute(
            .call(.delete, "/v1/simulations/{id}"), "/offers/{id}/audience/{simulation}/cancel", sending: []),
        KnownRoute(.call(.put, "/v1/catalog"), "/catalog/plan", sending: catalog),
        KnownRoute(.call(.put, "/v1/catalog"), "/catalog", sending: catalog),
        KnownRoute(.call(.put, "/v1/catalog"), "/catalog/add", sending: catalog + [("offerId", "added")]),
        KnownRoute(.call(.post, "/v1/simulations"), "/catalog/audience", sending: catalog + [("counted", "comeback")]),
        KnownRoute(
            .call(.put, "/v1/catalog"), "/catalog/revisions/{n}/rollback",
            sending: [("revision", "2"), ("message", "back"), ("agreed", "true")]),
        KnownRoute(.admin, "/operations/resend", sending: [("event", "01980000-0000-8000-8000-000000000000")]),
        KnownRoute(.admin, "/operations/test", sending: [("webhook", "")]),
    ]

    private static let customer = [("q", "100"), ("kind", "originalTransactionId")]

    private static let catalog = [
        ("text", ConsoleFixture.campaign + "# typed\n"), ("revision", "2"), ("message", "typed"), ("agreed", "0"),
    ]

    private init(_ use: Use, _ path: String) { (self.method, self.path, self.use) = (.get, path, use) }

    private init(_ use: Use, _ path: String, sending fields: [(String, String)]) {
        (self.method, self.path, self.use, self.fields) = (.post, path, use, fields)
    }

    /// Whether it is for a role of staff, by the table that the API goes by.
    func isFor(_ role: Role, _ table: RouteTable) throws -> Bool {
        switch use {
        case .open, .staff: return true
        case .admin: return role == .admin
        case .call(let method, let path):
            let roles = try #require(table.roles(of: method, path), "the API has no `\(method) \(path)`")
            return role == .admin || roles.contains(role)
        }
    }

    /// Its path at records that there are.
    func target(_ records: ConsoleFixture.Records) -> String {
        let id =
            path.hasPrefix("/offers/") ? "comeback" : path.hasPrefix("/decisions/") ? records.refusal : records.issued
        return target(id: id, simulation: records.simulation, revision: "1")
    }

    func target(id: String, simulation: String, revision: String) -> String {
        "/console"
            + path.replacing("{id}", with: id).replacing("{simulation}", with: simulation)
            .replacing("{n}", with: revision)
    }
}

extension ConsoleFixture {
    /// What there is of each kind that a route names.
    struct Records: Sendable {
        var issued: String
        var refusal: String
        var simulation: String
        var event: String
    }

    var table: RouteTable { RouteTable(useCases, limits: HTTPLimits()) }

    /// The routes of the console as the server has them.
    var routes: [Route] {
        let (useCases, clock) = (useCases, clock)
        return ConsoleSite.routes(useCases, state: { await useCases.states.read() }, clock: { clock.now })(table).routes
    }

    /// An issued offer, a refusal, a simulation that is done, and two revisions of the catalog.
    func makeRecords() async throws -> Records {
        try await apply(Self.campaign)
        try await apply(Self.campaign + "# the second\n", on: 1)
        let token = try await token(.admin)
        let issued = try await issue("100", customerId: "quentin")
        let refused = try await Browser.send(
            port: port, "POST", "/v1/issued-offers",
            [("Authorization", "Bearer \(try await self.token(.client))"), ("Content-Type", "application/json")],
            body: #"{"offerId":"comeback","customer":{"customerId":"stranger"}}"#)
        let refusal = try #require(refused.text.firstMatch(of: /"decisionId":"([^"]+)"/)).output.1
        let started = try await ask("POST", "/v1/simulations", token: token, body: #"{"offerId":"comeback"}"#)
        let simulation = try #require(started["id"] as? String)
        while try await ask("GET", "/v1/simulations/\(simulation)", token: token)["state"] as? String == "running" {
            await Task.yield()
        }
        let events = try await ask("GET", "/v1/events", token: token)["items"] as? [[String: Any]]
        return Records(
            issued: issued, refusal: String(refusal), simulation: simulation,
            event: try #require(events?.first?["id"] as? String))
    }

    /// Every row of every table, but for when readiness last tried to write.
    func everything() async throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        let tables = try await texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        try #require(tables.count > 20)
        for table in tables {
            let columns = try await texts("SELECT name FROM pragma_table_info('\(table)')").filter { $0 != "tried_at" }
            let row = columns.map { #"quote("\#($0)")"# }.joined(separator: " || ' ' || ")
            rows[table] = try await texts(#"SELECT \#(row) FROM "\#(table)" ORDER BY 1"#)
        }
        return rows
    }

    /// Tables whose rows are others than before.
    func changes(since before: [String: [String]]) async throws -> [String] {
        let after = try await everything()
        return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    }
}
