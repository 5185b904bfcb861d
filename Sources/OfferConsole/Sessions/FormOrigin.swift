import HTTPTypes
import Hummingbird
import OfferAPI
import OfferHTTP

/// Whether the browser sends a form for a page of this server.
///
/// It protects the sign-in form, which belongs to no session yet; every other form also carries a token. No page can set
/// `Sec-Fetch-Site`, and browsers send it wherever there is TLS and on this machine; elsewhere `Origin` has to name the
/// host that the request names.
enum FormOrigin {
    private static let site = HTTPField.Name.ours("Sec-Fetch-Site")
    private static let destination = HTTPField.Name.ours("Sec-Fetch-Dest")

    /// - Throws: ``Problem`` `forbidden`.
    static func require(_ request: Request, isEncrypted: Bool) throws {
        guard !isOwn(request, isEncrypted: isEncrypted) else { return }
        throw foreign
    }

    /// Whether a page of another site asks, not for a person who follows its link but for something to embed: it could
    /// learn by time or size what there is.
    static func isToEmbed(_ request: Request) -> Bool {
        let sites = request.headers[values: site]
        guard !sites.isEmpty, sites != ["same-origin"], sites != ["none"] else { return false }
        return request.headers[values: destination] != ["document"]
    }

    static let foreign = Problem.refused(
        "the form was not accepted", "it does not come from a page of this console, or from an earlier session",
        hint: "go back to the console, load the page again, and send the form from there")

    private static func isOwn(_ request: Request, isEncrypted: Bool) -> Bool {
        let sites = request.headers[values: site]
        guard sites.isEmpty else { return sites == ["same-origin"] }
        let origins = request.headers[values: .origin]
        guard let origin = origins.first, origins.count == 1, let host = request.head.authority, !host.isEmpty else {
            return false
        }
        let schemes = isEncrypted ? ["https"] : ["https", "http"]
        return schemes.contains { origin.lowercased() == "\($0)://\(host.lowercased())" }
    }
}

extension Problem {
    /// A `forbidden` of which the role is not the reason, as its own title says.
    static func refused(_ title: String, _ detail: String, hint: String) -> Problem {
        var problem = Problem(.forbidden, detail, hint: hint)
        problem.document.title = title
        return problem
    }
}
