import HTTPTypes
import Hummingbird
import Mustache
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel

/// Writes pages: a template with what it shows, in the frame that all pages share.
struct PageWriter: Sendable {
    /// The entries of the navigation, each shown to the roles of the call that its page shows.
    private static let entries: [(title: String, path: String, call: APICall, templates: Set<String>)] = [
        (
            "Customers", "\(ConsoleSite.root)/customers", .customers,
            ["search", "customer", "issuedOffer", "recordedDecision"]
        ),
        ("Check a signature", "\(ConsoleSite.root)/signatures", .signatureChecks, ["signatures"]),
        ("Offers", "\(ConsoleSite.root)/offers", .offers, ["offers", "offer", "results", "overview", "audience"]),
        ("Catalog", "\(ConsoleSite.root)/catalog", .catalog, ["catalog", "revision"]),
        ("Operations", ConsoleSite.operationsPath, .operations, ["operations"]),
    ]

    let table: RouteTable

    /// A page of a person who is signed in.
    func page(
        _ template: String, _ title: String, _ content: [String: Any], _ visit: Visit,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var content = visit.refused?.added(to: content) ?? content
        content["formToken"] = visit.formToken
        if visit.isByProxy { content["isByProxy"] = true }
        return try write(
            template, title, frame(content, for: visit.caller, in: template), status: status,
            refusedBy: visit.refused?.problem)
    }

    func signIn(
        next: LocalPath?, link: String? = nil, name: String? = nil, refusedBy problem: Problem? = nil
    ) throws -> Response {
        var content: [String: Any] = [:]
        content["link"] = link
        content["next"] = next?.text
        content["name"] = name
        content["problem"] = problem.map { PageMembers.of($0.document) }
        return try write("signIn", "Sign in", content, refusedBy: problem)
    }

    /// The page that says what a problem document would.
    func page(of problem: ProblemBody, _ context: OfferContext) -> Response {
        let content = frame(["problem": PageMembers.of(problem)], for: context.notedCaller, in: "problem")
        let status = HTTPResponse.Status(code: problem.status)
        do {
            return try write("problem", problem.title, content, status: status)
        } catch {
            return .page("the page cannot be written", status: .internalServerError)
        }
    }

    private func frame(_ content: [String: Any], for caller: Caller?, in template: String) -> [String: Any] {
        guard let caller else { return content }
        var frame = content
        frame["environment"] = caller.scope.environment.rawValue
        frame["app"] = caller.scope.bundleId.rawValue
        frame["role"] = caller.role.rawValue
        frame["key"] = caller.apiKeyId
        frame["person"] = caller.person
        let shown = Self.entries.filter { table.isFor(caller.role, $0.call) }
        frame["navigation"] = shown.map { entry -> [String: Any] in
            ["title": entry.title, "path": entry.path, "isCurrent": entry.templates.contains(template)]
        }
        return frame
    }

    private func write(
        _ template: String, _ title: String, _ content: [String: Any], status: HTTPResponse.Status = .ok,
        refusedBy problem: Problem? = nil
    ) throws -> Response {
        var content = content
        content["title"] = title
        guard let html = try Templates.library.get().render(Prose.all(in: content), withTemplate: template) else {
            throw MissingTemplate(name: template)
        }
        var response = Response.page(html, status: problem.map { .init(code: $0.document.status) } ?? status)
        for field in problem?.headers ?? [:] { response.headers[field.name] = field.value }
        return response
    }

    private struct MissingTemplate: Error {
        let name: String
    }
}

extension Response {
    static func page(_ html: String, status: HTTPResponse.Status) -> Response {
        .bytes(Array(html.utf8), "text/html; charset=utf-8", status: status, headers: .ofPages)
    }

    /// See other: after a form, a reload sends nothing again.
    static func redirect(to path: String) -> Response {
        var headers = HTTPFields.ofPages
        headers[.location] = path
        return Response(status: .seeOther, headers: headers)
    }
}

extension HTTPFields {
    private static let frameOptions = HTTPField.Name.ours("X-Frame-Options")
    private static let referrerPolicy = HTTPField.Name.ours("Referrer-Policy")
    private static let openerPolicy = HTTPField.Name.ours("Cross-Origin-Opener-Policy")
    private static let resourcePolicy = HTTPField.Name.ours("Cross-Origin-Resource-Policy")

    /// Nothing but this server's own files is loaded or run, nothing is kept, and no other page frames or learns of it.
    ///
    /// With `no-referrer` browsers would send `Origin: null` with a form; `same-origin` tells other sites as little.
    fileprivate static let ofPages: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
        form-action 'self'; frame-ancestors 'none'; base-uri 'none'
        """,
        frameOptions: "DENY", referrerPolicy: "same-origin", openerPolicy: "same-origin", resourcePolicy: "same-origin",
        .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
    ]
}

/// Addresses of the console's pages.
enum PageLink {
    static func customer(_ identifier: String, _ more: [(String, String)] = []) -> String {
        let fields = ([("q", identifier)] + more).map { "\($0)=\(encoded($1))" }
        return "\(ConsoleSite.root)/customers?" + fields.joined(separator: "&")
    }

    static func issuedOffer(_ id: LowercaseUUID) -> String { "\(ConsoleSite.root)/issued-offers/\(id)" }

    static func decision(_ id: LowercaseUUID) -> String { "\(ConsoleSite.root)/decisions/\(id)" }

    /// A value of a query: what is not a plain letter or digit as `%` and two digits.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += "%\(Hexadecimal.lowercase([byte]))".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
