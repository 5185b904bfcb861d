import OfferAPI

/// Translates the server's words, members of requests and HTTP calls, into what a person sees: labels, buttons and pages.
enum ConsoleTerms {
    /// How the labels of fields begin, by the names that the API or a form has for them.
    static let labels = [
        "until": "Until", "expiresAt": "Until", "reason": "Reason", "release": "Release", "agreed": "Agreed",
        "where": "Only customers who meet this condition", "offer": "Offer", "offerId": "Offer", "q": "Customer",
        "by": "By", "timeZone": "Time zone", "from": "From", "to": "Before", "asOf": "As of", "message": "Message",
        "event": "ID of an event", "webhook": "Webhook", "format": "Format", "signature": "The signature",
        "jws": "The signature", "productId": "Product", "offerIdentifier": "Apple’s offer identifier", "keyId": "Key",
        "nonce": "Nonce", "timestamp": "Timestamp", "appAccountToken": "App account token", "name": "Your name",
        "token": "API key",
    ]

    private static let places = [
        "PUT /v1/catalog": "the page Catalog", "GET /v1/catalog/revisions": "the page Catalog",
        "POST /v1/customers/refresh": "Refresh from Apple", "GET /v1/customers": "the customer’s page",
        "GET /v1/grants": "the customer’s page", "DELETE /v1/grants/{id}": "Revoke beside it",
        "POST /v1/issued-offers/{id}/void": "Void on the issued offer’s page",
        "POST /v1/issued-offers/{id}/replay": "the issued offer’s page",
        "GET /v1/decisions/{id}": "the decision’s page", "GET /v1/events": "`offerctl events list`",
        "POST /v1/simulations": "Count on the offer’s page", "DELETE /v1/simulations/{id}": "Cancel on its page",
        "GET /v1/simulations/{id}": "its page",
    ]

    /// The label of the field at `/until` or `query.until`; `nil` where there is none.
    static func label(_ path: String) -> String? {
        for start in ["/", "query."] where path.hasPrefix(start) { return labels[String(path.dropFirst(start.count))] }
        return nil
    }

    /// A hint with buttons and pages instead of calls; `nil` for one that only a program can follow.
    ///
    /// - Parameter code: of its problem. What only operators are told keeps the names of settings.
    static func hint(_ text: String, of code: ProblemCode? = nil) -> String? {
        guard !text.contains("/openapi.yaml") else { return nil }
        let called = text.replacing(/`((?:GET|PUT|POST|DELETE) \/v1\/[^`]*)`/) { match in
            let call = match.output.1.replacing(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "{id}")
            return places[String(call)] ?? "offerctl"
        }
        guard code != .noWebhook, code != .notReady else { return called }
        return called.replacing(/(?:`[^`]+` in )?(?:offerd|keys)\.yaml/, with: "the server’s configuration")
    }
}
