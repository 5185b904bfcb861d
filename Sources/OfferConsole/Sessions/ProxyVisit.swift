import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferHTTP
import OfferModel

extension ConsoleSite {
    /// It is recorded with all that the person does.
    private static let nameBytes = 255
    private static let notAccepted = "who the proxy says you are was not accepted"

    /// Who the proxy in front says is at the browser, by the API key that the configuration gives them; `nil` where no
    /// trusted proxy names a person with a key. It comes before a cookie: that may be of the person before.
    ///
    /// Nothing is kept, so the person's access ends with their key, their sign-in at the proxy or their entry.
    ///
    /// - Throws: ``Problem`` `forbidden`, `rateLimited`.
    func visit(byProxy request: Request, _ context: OfferContext) async throws -> Visit? {
        guard let name = try nameByProxy(request, context), let id = proxyUsers?.key(of: name) else { return nil }
        // With a cookie the browser would see to that: it is sent with no other site's request.
        guard !FormOrigin.isToEmbed(request) else {
            throw Problem.refused(
                "the page cannot be part of another site's", "a page of another site asks for it",
                hint: "open the console itself")
        }
        let found = try await useCases.consoleSessions.caller(ofProxyUser: name, key: id, from: context.address)
        guard let (caller, secret) = found else {
            throw Problem.refused(
                Self.notAccepted, "the API key `\(id)` of `\(name)` is unknown, revoked or expired",
                hint: "ask the operator for another one in `console.proxyUsers` of offerd.yaml")
        }
        guard caller.role.isStaff else {
            throw Problem.forbidden(role: caller.role, needed: [.support, .marketing])
        }
        return visit(of: caller, secret, byProxy: true, context)
    }

    /// The name by which a trusted proxy says who is at the browser, with an API key in the configuration or without.
    ///
    /// - Throws: ``Problem`` `forbidden`.
    func nameByProxy(_ request: Request, _ context: OfferContext) throws -> String? {
        guard let proxyUsers, context.isFromTrustedProxy, let header = HTTPField.Name(proxyUsers.header) else {
            return nil
        }
        let names = request.headers[values: header]
        guard names.count <= 1 else {
            throw Problem.refused(
                Self.notAccepted, "the header `\(proxyUsers.header)` is given \(names.count) times",
                hint: "let the proxy replace what a browser sends")
        }
        guard let name = names.first, !name.isEmpty else { return nil }
        guard name.utf8.count <= Self.nameBytes else {
            throw Problem.refused(
                Self.notAccepted,
                "the header `\(proxyUsers.header)` has \(name.utf8.count) bytes, more than \(Self.nameBytes)",
                hint: "let the proxy send the person's name alone")
        }
        return name
    }
}
