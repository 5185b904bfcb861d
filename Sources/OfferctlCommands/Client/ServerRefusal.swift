import CommandLineSupport
import OfferAPI
import OfferDocuments
import OfferModel

/// The files of a request, by the names they were given on the command line.
struct SentFiles {
    var catalog: String?
    var history: String?
}

struct ServerRefusal: Error {
    var status: Int
    var problem: Problem
    var retryAfter: String?
    var json: String

    /// Not `ProblemBody`, whose codes are a closed list: an older `offerctl` must still show what a newer server
    /// refused.
    struct Problem: WireObject {
        var type = ""
        var code = ""
        var detail = ""
        var hint: String?
        var requestId: String?
        var errors: [ProblemErrorBody]?

        mutating func visit(_ members: inout some MemberVisitor) {
            members.required("code", &code)
            members.required("detail", &detail)
            members.optional("errors", &errors)
            members.optional("hint", &hint)
            members.optional("requestId", &requestId)
            members.required("type", &type)
        }

        var isOurs: Bool { type.hasPrefix("urn:offerd:problem:") }
    }

    /// - Parameter token: where the API key's token comes from.
    func commandFailure(files: SentFiles, token: Setting) -> CommandFailure {
        let status: ExitStatus = status >= 500 ? .unavailable : .failed
        guard let errors = problem.errors, !errors.isEmpty else {
            return CommandFailure(status, problem.detail, hints: hints(token))
        }
        return CommandFailure(status, lines: errors.flatMap { lines($0, files) })
    }

    /// An error of a catalog reads as `catalog validate` shows it.
    private func lines(_ error: ProblemErrorBody, _ files: SentFiles) -> [String] {
        if let file = files.catalog, let line = error.line {
            return IssueText.lines(
                severity: .error, detail: error.detail, path: error.path, file: file, line: line, hint: error.hint)
        }
        let place =
            error.pointer.map { CLITerms.place(pointer: $0, files) } ?? error.path.map(CLITerms.place(path:)) ?? ""
        // The members of a history were checked before they were sent, all others come from this program.
        if error.code == RequestErrorCode.unknownMember.rawValue {
            return ["error: the server does not know what is sent\(place)", "hint: it may be older than this offerctl"]
        }
        return ["error: " + error.detail + place] + (error.hint.map { ["hint: " + CLITerms.hint($0)] } ?? [])
    }

    private func hints(_ token: Setting) -> [String] {
        var hints = [ownHint(token) ?? problem.hint.map(CLITerms.hint)].compactMap { $0 }
        if problem.code == "forbidden", token.isFromVariable || token.isFromContext {
            hints.append("the key comes from \(token.name)")
        }
        if let retryAfter { hints.append("try again in \(retryAfter) seconds") }
        if status >= 500, let requestId = problem.requestId {
            hints.append("the server's log has more under the request id `\(requestId)`")
        }
        return hints
    }

    /// The hint for a terminal, where the server's hint is about requests or missing.
    private func ownHint(_ token: Setting) -> String? {
        switch problem.code {
        case "unauthenticated":
            "the key in \(token.name) may be revoked, expired or of another server; `offerd api-keys list` shows it"
        case "catalog-changed": "another catalog was applied in between: `offerctl catalog revisions` shows who"
        // The server names the new id of an offer that was renamed.
        case "unknown-offer" where problem.hint?.hasPrefix("request ") != true:
            "the id is the offer's in the catalog, not its name in App Store Connect; `offerctl offers list` shows those in force"
        case "unknown-issued-offer": "`offerctl issued list` shows the ids of issued offers"
        case "grant-exists":
            "the customer's next request uses it; `offerctl customers revoke-grant` takes it back"
        case "grant-used": "`offerctl issued void` stops further signatures of the issued offer"
        case "unknown-grant": "`offerctl customers grants` shows the ids of a customer's grants"
        case "unknown-revision": "`offerctl catalog revisions` lists them"
        default: nil
        }
    }
}

/// Translates the server's words, members of requests and HTTP calls, into what a user types: options and commands.
enum CLITerms {
    static let options = [
        "offerId": "--offer", "offerIds": "--offer", "productId": "--product", "signals": "--signal",
        "originalTransactionId": "--original-transaction-id", "appTransactionId": "--app-transaction-id",
        "appAccountToken": "--app-account-token", "customerId": "--customer-id", "asOf": "--as-of",
        "history": "--history", "catalog": "--catalog", "catalogRevision": "--catalog-revision",
        "fresh": "--fresh", "request": "--locale", "limit": "--limit", "cursor": "--cursor", "message": "--message",
        "reason": "--reason", "release": "--release", "expiresAt": "--expires", "until": "--until",
        "format": "--format", "offerIdentifier": "--offer-identifier", "keyId": "--key-id", "nonce": "--nonce",
        "timestamp": "--timestamp", "signature": "--signature", "jws": "--jws",
        "where": "--where", "compareWith": "--compare", "from": "--from", "to": "--to", "type": "--type",
        "orderId": "--order-id", "offer": "--offer", "by": "--by", "timeZone": "--time-zone",
    ]

    static let commands = [
        "GET /v1/catalog": "offerctl catalog export", "PUT /v1/catalog": "offerctl catalog apply",
        "GET /v1/catalog/revisions": "offerctl catalog revisions", "GET /v1/offers": "offerctl offers list",
        "GET /v1/customers": "offerctl customers show", "POST /v1/customers/refresh": "offerctl customers refresh",
        "POST /v1/customers/unlink": "offerctl customers unlink", "POST /v1/grants": "offerctl customers grant",
        "GET /v1/grants": "offerctl customers grants",
        "POST /v1/customers/reset": "offerctl customers reset", "GET /v1/issued-offers": "offerctl issued list",
        "POST /v1/customers/search": "offerctl customers list", "POST /v1/simulations": "offerctl simulate",
        "POST /v1/decisions": "offerctl dry-run", "GET /v1/decisions": "offerctl decisions unmatched",
        "GET /v1/decisions/{id}": "offerctl decisions show",
        "POST /v1/issued-offers/{id}/replay": "offerctl replay",
        "POST /v1/signature-checks": "offerctl signature check",
        "GET /v1/events": "offerctl events list",
    ]

    /// A hint of the server with what it has in backticks as it is typed. What is not typed stays as it is.
    static func hint(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return text }
        return parts.enumerated().map { $0.offset % 2 == 1 ? word(String($0.element)) : String($0.element) }
            .joined(separator: "`")
    }

    /// Where an error is, to follow its words: the option, or the place in the file that was sent.
    static func place(pointer: String, _ files: SentFiles) -> String {
        let steps = pointer.split(separator: "/").map(String.init)
        if let file = files.history, steps.first == "history" {
            return " at \(steps.count > 1 ? "/" + steps.dropFirst().joined(separator: "/") : "its root") (\(file))"
        }
        if steps.count == 2, steps[0] == "signals" { return " in `--signal \(steps[1])=…`" }
        let member = steps.first == "customer" ? steps.dropFirst().first : steps.first
        return member.flatMap { options[$0] }.map { " in `\($0)`" } ?? (steps.isEmpty ? "" : " at \(pointer)")
    }

    /// The same for an error outside of the body: `query.limit`.
    static func place(path: String) -> String {
        guard path.hasPrefix("query."), let option = options[String(path.dropFirst("query.".count))] else {
            return " at \(path)"
        }
        return " in `\(option)`"
    }

    private static func word(_ word: String) -> String {
        if let typed = options[word] ?? commands[word] { return typed }
        return FactVocabulary.signalName(word).map { "--signal \($0)=…" } ?? word
    }
}
