import HTTPTypes
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferModel
import OfferSigning

extension Problem {
    /// The problem an error maps to; `nil` for one of the store, see ``RequestError/init(storeFailure:)``, and for an
    /// unexpected one.
    package init?(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let fault as RequestFault: self = .invalidRequest(fault.errors)
        case let error as RequestError: self.init(request: error)
        case let refusal as CustomerTokenRefusal:
            self.init(
                .customerTokenRefused, "the customer token is refused: \(refusal.detail)",
                hint: refusal.hint ?? "send the ID token of the provider that `customerTokens` in offerd.yaml names")
        default: return nil
        }
    }

    private init(request error: RequestError) {
        switch error {
        case .invalidRequest(let pointer, let detail, let hint):
            self = .invalidRequest([
                ProblemErrorBody(
                    pointer: pointer, code: RequestErrorCode.invalidValue.rawValue, detail: detail, hint: hint)
            ])
        case .unusableParameter(let name, let detail, let hint):
            self = .invalidRequest(RequestFault(path: "query.\(name)", .invalidValue, detail, hint: hint).errors)
        case .productRequired(let offerId, let products):
            self.init(
                .productRequired, "the offer `\(offerId)` has several products and the request names none",
                hint: "set `productId` to one of " + products.map { "`\($0)`" }.joined(separator: ", "))
        case .noCatalog(let scope):
            self.init(
                .noCatalog, "no catalog has been applied for `\(scope.bundleId)` in \(scope.environment.rawValue)",
                hint: "apply one with `PUT /v1/catalog`; each app has one in each environment")
        case .unknownOffer(let offerId):
            self.init(
                .unknownOffer, "the catalog has no offer `\(offerId)`",
                hint: "`offerId` is the offer's `id` in the catalog, not Apple's `offerIdentifier`")
        case .renamedOffer(let former, let offerId):
            self.init(
                .unknownOffer, "the catalog has no offer `\(former)`: it is `\(offerId)` now",
                hint: "request `\(offerId)`; uses of `\(former)` count for it")
        case .unknownCustomer:
            self.init(
                .unknownCustomer, "no customer found",
                hint: "check the identifier; otherwise the app has not sent this customer's transactions yet")
        case .unknownIssuedOffer(let id):
            self.init(
                .unknownIssuedOffer, "no offer was issued as `\(id.prefix(100))` in this app and environment",
                hint: "the id is the `issuedOfferId` of the answer that carried the signature")
        case .unknownDecision(let id):
            self.init(
                .unknownDecision, "no refusal has the id `\(id.prefix(100))` in this app and environment",
                hint: "the id is the `decisionId` of a 403 or 422; `POST /v1/issued-offers/{id}/replay` explains an "
                    + "issued offer by its `issuedOfferId`")
        case .erasedRecord(let decision):
            self.init(
                .notFound,
                "what decision `\(decision)` depended on was erased, by retention or with its customer's data",
                hint:
                    "docs/privacy.md tells what an erasure leaves, `retention` in offerd.yaml how long records are kept"
            )
        case .unknownRevision(let revision):
            self.init(
                .unknownRevision,
                "the catalog of this app and environment never had a revision `\(revision.prefix(100))`",
                hint: "`GET /v1/catalog/revisions` lists them")
        case .unknownEvent(let id):
            self.init(
                .unknownEvent, "no event has the id `\(id.prefix(100))` in this app and environment",
                hint: "events are kept for 30 days; `GET /v1/events` lists them")
        case .unknownSimulation(let id):
            self.init(
                .notFound, "no simulation has the id `\(id.prefix(100))` in this app and environment",
                hint: "results are kept for a day; `POST /v1/simulations` begins a new one")
        case .simulationsWaiting:
            self = Problem(
                .busy, "one simulation is running and as many as may wait do",
                hint: "try again when one of them is done, or cancel one with `DELETE /v1/simulations/{id}`"
            ).retry(after: 2)
        case .simulationUnfinished(let id, _):
            self = Problem(
                .rateLimited, "this API key's simulation `\(id)` has not finished",
                hint: "wait for it, or cancel it with `DELETE /v1/simulations/{id}`"
            ).retry(after: 2)
        case .noSuchWebhook(nil, _):
            self.init(
                .noWebhook, "no webhook is for this app and environment",
                hint: "add one to `webhooks` in offerd.yaml; docs/webhooks.md explains them")
        case .noSuchWebhook(let name?, let known):
            self.init(
                .noWebhook, "no webhook of this app and environment is named `\(name.prefix(100))`",
                hint: Suggestion.hint(for: name, among: known, noun: "known")
                    ?? "add it to `webhooks` in offerd.yaml; its name is the host of its `url`")
        case .noWebhook(let type):
            self.init(
                .noWebhook, "no webhook takes events of the type `\(type.rawValue)` in this app and environment",
                hint: "add the type to a webhook in offerd.yaml")
        case .unknownGrant(let id):
            self.init(
                .unknownGrant, "no grant has the id `\(id.prefix(100))` in this app and environment",
                hint: "`GET /v1/grants` lists those of a customer")
        case .grantExists(let id, let offerId):
            self.init(
                .grantExists, "the customer has a grant of `\(offerId)` that was not used yet: `\(id)`",
                hint: "it is used by the customer's next request for the offer; `DELETE /v1/grants/\(id)` revokes it")
        case .grantUsed(let id, let issuedOffer):
            self.init(
                .grantUsed, "the grant `\(id)` was used by the issued offer `\(issuedOffer)`, so it cannot be revoked",
                hint: "`POST /v1/issued-offers/\(issuedOffer)/void` stops further signatures of that")
        case .grantLimitReached(let perDay, let resets, let seconds):
            // Also where they are switched off, which an operator may change.
            self = Problem(
                .grantLimitReached,
                perDay == 0
                    ? "grants are switched off: `grants.perKeyAndDay` in offerd.yaml is 0"
                    : "the API key has made the \(perDay) \(perDay == 1 ? "grant" : "grants") of today; it may grant "
                        + "again from \(resets)",
                hint: "`grants.perKeyAndDay` in offerd.yaml sets how many a key may make in a day (UTC)"
            ).retry(after: seconds)
        case .idempotencyConflict:
            self.init(
                .idempotencyConflict, "the `Idempotency-Key` was used for another body within the last 24 hours",
                hint: "repeat a request with the same bytes, and give a new request a new key")
        case .ambiguousIdentifier(let text, let kinds):
            self.init(
                .ambiguousCustomer,
                "`\(text.prefix(100))` names different customers: "
                    + kinds.map { "as `\($0)`" }.joined(separator: ", "),
                hint: "say which it is: "
                    + kinds.map { $0 == "transactionId" ? "the transaction's `originalTransactionId`" : "`\($0)`" }
                    .joined(separator: " or "))
        case .ambiguousCustomer(let detail):
            self.init(
                .ambiguousCustomer, detail,
                hint:
                    "name the customer by their `originalTransactionId` or `appTransactionId`, or send their signed data"
            )
        case .foreignAlias(let kind):
            self.init(
                .ambiguousCustomer,
                "signed data names this `\(kind)` for another customer than the one the request names; nothing was stored",
                hint: "leave `\(kind)` out, or name the customer who bought with it")
        case .provenAlias(let kind):
            self.init(
                .provenAlias, "signed data names this `\(kind)` for the customer, so it stays",
                hint:
                    "only an alias that a backend or an import stated can be detached; `GET /v1/customers` shows where "
                    + "each comes from")
        case .forbiddenMember(let member, let role, let hint):
            self = .forbidden(role: role, members: [member], hint: hint)
        case .unprovenCustomer(let detail):
            self.init(
                .unprovenCustomer, detail,
                hint:
                    "send `signedTransactions` or `signedAppTransaction` of the customer, and name no other: with an "
                    + "`app` key only these prove who asks")
        case .catalogChanged(let current):
            self.init(
                .catalogChanged, "the catalog in force is revision \(current)",
                hint: "read it again, repeat the change, and send `If-Match: \"\(current)\"`")
            headers[.eTag] = "\"\(current)\""
        case .invalidCatalog(let issues):
            self.init(
                .invalidCatalog, "the catalog has \(issues.count) \(issues.count == 1 ? "error" : "errors")",
                hint: "nothing was applied; `offerctl catalog validate` shows the same errors offline",
                errors: issues.map(ProblemErrorBody.init))
        case .signedDataRefused(let refused):
            self.init(
                .signedDataRefused,
                "\(refused.count) signed \(refused.count == 1 ? "item was" : "items were") rejected",
                hint: Self.hint(refused), errors: refused.map(ProblemErrorBody.init))
        case .appStoreDataRefused(let refused):
            self = .appStoreDataRefused(refused)
        case .unknownToAppStore(let detail, let hint):
            self.init(.unknownCustomer, detail, hint: hint)
        case .noAppStoreServer(let environment):
            self.init(.invalidRequest, environment.noAppStoreServer.detail, hint: environment.noAppStoreServer.hint)
        case .appStoreFailed(let failure):
            self.init(failure)
        case .addressNotAllowed(let address):
            self.init(
                .addressNotAllowed,
                "the API key may not be used from \(address.map { "`\($0)`" } ?? "an unknown address")",
                hint: address == nil
                    ? "make the trusted proxy add the address it sees to `Forwarded` or `X-Forwarded-For`"
                    : "`offerd api-keys list` shows its networks; "
                        + "`trustedProxies` in offerd.yaml names proxies in between")
        case .rateLimited(let rejected):
            self = .rateLimited(rejected)
        case .tooManyStrangers(let seconds):
            self = Problem(
                .busy,
                "this address, or all unauthenticated clients together, sent too many requests that are not from the App "
                    + "Store",
                hint: "`rateLimits.address` in offerd.yaml sets the limit; behind a proxy, set `trustedProxies`"
            ).retry(after: seconds)
        case .busy:
            self = .busy
        case .clockBehind(let lag):
            self = Problem(
                .clockBehind, lag.detail,
                hint: "nothing is decided or signed until the clock has caught up: tell the operator to set it right"
            ).retry(after: lag.secondsToWait)
        case .notReady(let detail, let hint):
            self = Problem(.notReady, detail, hint: hint).retry(after: 5)
        }
    }

    /// The hint about refused data: the one that all of it shares, or else a general one.
    private static func hint(_ refused: [RefusedData]) -> String {
        let hints = Set(refused.map(\.refusal.hint))
        guard hints.count == 1, let hint = hints.first ?? nil else {
            return "send each JWS exactly as StoreKit or the App Store Server API gave it"
        }
        return hint
    }
}

extension ProblemErrorBody {
    init(_ issue: DocumentIssue) {
        self.init(
            path: issue.path, line: issue.line, column: issue.column, code: issue.code.rawValue,
            detail: issue.detail, hint: issue.hint)
    }

    init(_ refused: RefusedData) {
        self.init(
            pointer: refused.pointer, code: refused.refusal.code.rawValue, detail: refused.refusal.detail,
            hint: refused.refusal.hint)
    }
}

extension ClockLag {
    /// At most a minute: the operator may set the clock right at any moment.
    fileprivate var secondsToWait: Int {
        Int(min(60, max(1, caughtUpAfter.saturatingAdding(Instant.Duration.second - 1) / Instant.Duration.second)))
    }
}
