import OfferModel

/// The server speaks of members of requests and of HTTP calls; whoever sits at a terminal types options and commands.
enum TypedWords {
    /// Members of requests as they are typed.
    static let options = [
        "offerId": "--offer", "offerIds": "--offer", "productId": "--product", "signals": "--signal",
        "originalTransactionId": "--original-transaction-id", "appTransactionId": "--app-transaction-id",
        "appAccountToken": "--app-account-token", "customerId": "--customer-id", "asOf": "--as-of",
        "history": "--history", "catalog": "--catalog", "catalogRevision": "--catalog-revision",
        "limit": "--limit", "cursor": "--cursor", "message": "--message", "reason": "--reason", "release": "--release",
        "from": "--from", "to": "--to", "orderId": "--order-id",
    ]

    /// HTTP calls as they are typed.
    static let commands = [
        "GET /v1/catalog": "offerctl catalog export", "PUT /v1/catalog": "offerctl catalog apply",
        "GET /v1/catalog/revisions": "offerctl catalog revisions", "GET /v1/offers": "offerctl offers list",
        "GET /v1/customers": "offerctl customers show", "POST /v1/customers/refresh": "offerctl customers refresh",
        "POST /v1/customers/unlink": "offerctl customers unlink", "GET /v1/issued-offers": "offerctl issued list",
        "POST /v1/decisions": "offerctl dry-run",
    ]

    /// A hint of the server with what stands in backticks as it is typed. What is not typed stays as it is.
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
