import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel

extension ConsoleSite {
    static let signInPath = "\(root)/sign-in"
    private static let tokenLength = 200
    private static let nameLength = 64
    private static let signInBytes = 8 * 1_024

    /// `GET /console/sign-in`. A link is only shown a button: what another site or a program that looks at links in
    /// advance asks for signs no person in.
    func signInForm(_ request: Request, _ context: OfferContext) async throws -> Response {
        var query = try QueryParameters(request, known: ["link", "next"])
        let next = query.field("next", maximum: LocalPath.longest)
        let link = query.field("link", maximum: Self.tokenLength)
        try query.finish()
        return try pages.signIn(next: LocalPath(next), link: link)
    }

    /// `POST /console/sign-in`: exchanges an API key, or the code of a link, for a session. Each has a new secret, so that no
    /// person goes on with one that another could have put into their browser.
    func signIn(_ request: Request, _ context: OfferContext) async throws -> Response {
        try FormOrigin.require(request, isEncrypted: context.isEncrypted)
        var form = try await request.form(known: ["token", "link", "name", "next"], upTo: Self.signInBytes)
        let next = LocalPath(form.field("next", maximum: LocalPath.longest))
        let name = try nameByProxy(request, context) ?? form.field("name", maximum: Self.nameLength)
        let token = form.field("token", maximum: Self.tokenLength) ?? ""
        let link = form.field("link", maximum: Self.tokenLength)
        var unused = link.flatMap { $0.utf8.count <= Self.tokenLength ? $0 : nil }
        do {
            try form.finish()
            let found =
                if let link {
                    try await useCases.consoleSessions.caller(forLink: link, from: context.address)
                } else {
                    try await useCases.apiKeys.caller(forToken: token, from: context.address)
                }
            unused = nil
            guard var caller = found else { throw link == nil ? Problem.unknownKey : .uselessLink }
            context.note(caller)
            caller.requestId = context.requestId
            caller.person = name
            guard caller.role.isStaff else {
                throw Problem.forbidden(role: caller.role, needed: [.support, .marketing])
            }
            let secret = try await useCases.consoleSessions.begin(for: caller, person: name)
            var response = Response.redirect(to: next?.text ?? ConsoleSite.root)
            response.headers[.setCookie] = SessionCookie.setting(secret, isEncrypted: context.isEncrypted)
            return response
        } catch let error where error is Problem || error is RequestFault {
            guard let problem = Problem(error) else { throw error }
            return try pages.signIn(next: next, link: unused, name: name, refusedBy: problem)
        }
    }

    /// `POST /console/sign-out`.
    func signOut(_ visit: Visit) async throws -> Response {
        try await useCases.consoleSessions.end(visit.secret, by: visit.caller)
        var response = Response.redirect(to: Self.signInPath)
        response.headers[.setCookie] = SessionCookie.removal(isEncrypted: visit.context.isEncrypted)
        return response
    }

    /// To the form, and from there back to the page; what was to be sent is not sent then.
    func toSignIn(_ request: Request) -> Response {
        let page = request.method == .get || request.method == .head ? LocalPath(request.uri.description) : nil
        return .redirect(to: Self.signInPath + (page.map { "?next=\(PageLink.encoded($0.text))" } ?? ""))
    }
}

extension Problem {
    fileprivate static var unknownKey: Problem {
        var problem = Problem.unauthenticated(.unknown)
        problem.document.hint = "ask the operator for one: `offerd api-keys create` makes a key"
        return problem
    }

    fileprivate static var uselessLink: Problem {
        var problem = unknownKey
        problem.document.detail =
            "the link was used already, is older than 10 minutes, or does not work from this machine"
        problem.document.hint = "`offerd dev console-link` makes another one; or sign in with an API key"
        return problem
    }
}

/// A page of the console, to go to after signing in: never an address that leads elsewhere.
struct LocalPath {
    static let longest = 1_024

    let text: String

    /// `nil` for anything but a path below `/console` in plain letters, which a browser reads as it is.
    init?(_ text: String?) {
        guard let text, text.utf8.count <= Self.longest, text.hasPrefix(ConsoleSite.root),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") })
        else { return nil }
        let path = text.prefix { $0 != "?" }
        guard path == ConsoleSite.root || path.hasPrefix(ConsoleSite.root + "/"), !path.contains("//"),
            !path.contains(".."),
            path != ConsoleSite.signInPath, !path.lowercased().contains("%2e"), !path.lowercased().contains("%2f")
        else { return nil }
        self.text = text
    }
}
