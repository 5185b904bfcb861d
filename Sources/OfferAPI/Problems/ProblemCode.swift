/// What can go wrong: a closed list, the same in code, `openapi.yaml` and docs (docs/design.md#http).
public enum ProblemCode: String, Sendable, Hashable, CaseIterable, Codable {
    /// The request does not have the form it must have.
    case invalidRequest = "invalid-request"
    /// The offer has several products and the request names none.
    case productRequired = "product-required"
    /// No key, or none that is known and in force.
    case unauthenticated
    /// The key's role may not do this.
    case forbidden
    /// The customer may not have the offer.
    case notEligible = "not-eligible"
    /// There is nothing at this path.
    case notFound = "not-found"
    /// The catalog has no such offer.
    case unknownOffer = "unknown-offer"
    /// Nobody is known by these identifiers.
    case unknownCustomer = "unknown-customer"
    /// No offer was issued under this id.
    case unknownIssuedOffer = "unknown-issued-offer"
    /// The catalog never had this revision.
    case unknownRevision = "unknown-revision"
    /// The path has other methods.
    case methodNotAllowed = "method-not-allowed"
    /// The request's `Idempotency-Key` was used for another body.
    case idempotencyConflict = "idempotency-conflict"
    /// The identifiers name customers who cannot be one.
    case ambiguousCustomer = "ambiguous-customer"
    /// Signed data names the alias for the customer.
    case provenAlias = "proven-alias"
    /// The catalog is no longer the one the change was made from.
    case catalogChanged = "catalog-changed"
    /// The body is larger than allowed.
    case tooLarge = "too-large"
    /// The body's media type is not one this path reads.
    case unsupportedMediaType = "unsupported-media-type"
    /// The catalog document has errors.
    case invalidCatalog = "invalid-catalog"
    /// Signed data was not believed.
    case signedDataRefused = "signed-data-refused"
    /// What is known does not decide.
    case undetermined
    /// The change must say which revision it was made from.
    case ifMatchRequired = "if-match-required"
    /// Requests come too fast.
    case rateLimited = "rate-limited"
    /// A defect or a broken machine.
    case `internal`
    /// Too much work is waiting.
    case busy
    /// The service's clock is behind what it has recorded.
    case clockBehind = "clock-behind"
    /// The service cannot work yet.
    case notReady = "not-ready"

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .invalidRequest, .productRequired: 400
        case .unauthenticated: 401
        case .forbidden, .notEligible: 403
        case .notFound, .unknownOffer, .unknownCustomer, .unknownIssuedOffer, .unknownRevision: 404
        case .methodNotAllowed: 405
        case .idempotencyConflict, .ambiguousCustomer, .provenAlias: 409
        case .catalogChanged: 412
        case .tooLarge: 413
        case .unsupportedMediaType: 415
        case .invalidCatalog, .signedDataRefused, .undetermined: 422
        case .ifMatchRequired: 428
        case .rateLimited: 429
        case .internal: 500
        case .busy, .clockBehind, .notReady: 503
        }
    }

    /// The code in words.
    public var title: String {
        switch self {
        case .invalidRequest: "the request is not valid"
        case .productRequired: "the request must name a product"
        case .unauthenticated: "no valid API key"
        case .forbidden: "the API key's role may not do this"
        case .notEligible: "the customer may not have this offer"
        case .notFound: "there is nothing at this path"
        case .unknownOffer: "the catalog has no such offer"
        case .unknownCustomer: "no customer found"
        case .unknownIssuedOffer: "no offer was issued under this id"
        case .unknownRevision: "the catalog never had this revision"
        case .methodNotAllowed: "this path has other methods"
        case .idempotencyConflict: "the key was used for another request"
        case .ambiguousCustomer: "the identifiers name different customers"
        case .provenAlias: "signed data names the alias for the customer"
        case .catalogChanged: "the catalog has changed"
        case .tooLarge: "the request is too large"
        case .unsupportedMediaType: "the media type is not supported"
        case .invalidCatalog: "the catalog has errors"
        case .signedDataRefused: "signed data was refused"
        case .undetermined: "not enough information to decide"
        case .ifMatchRequired: "the request must name the revision it changes"
        case .rateLimited: "too many requests"
        case .internal: "something broke inside"
        case .busy: "too much work is waiting"
        case .clockBehind: "the clock of the service is behind"
        case .notReady: "the service is not ready"
        }
    }
}
