package import OfferModel

/// A problem document (RFC 9457), the body of every failure (docs/design.md#http).
package struct ProblemBody: WireObject {
    package static let mediaType = "application/problem+json"

    /// `urn:offerd:problem:<code>`.
    package var type = ""
    package var title = ""
    package var status = 0
    package var code: ProblemCode = .internal
    package var detail = ""
    package var hint: String?
    package var instance = ""
    /// The request's id, also in `X-Request-Id` and the log.
    package var requestId = ""
    package var decisionId: LowercaseUUID?
    package var findings: [FindingBody]?
    /// When a refusal would change by itself, or the event it waits for.
    package var turningPoint: TurningPointBody?
    /// What may be told to the customer about a refusal, in the language of the request.
    package var customerAnswer: String?
    /// A signed statement that blocks the introductory offer.
    package var introductoryEligibility: IntroductoryEligibilityBody?
    /// The signed data of the request that was not used.
    package var ignored: [IgnoredData]?
    /// Every error found in the request or the document.
    package var errors: [ProblemErrorBody]?

    package init() {}

    package mutating func visit(_ members: inout some MemberVisitor) {
        members.required("code", &code)
        members.optional("customerAnswer", &customerAnswer)
        members.optional("decisionId", &decisionId)
        members.required("detail", &detail)
        members.optional("errors", &errors)
        members.optional("findings", &findings)
        members.optional("hint", &hint)
        members.optional("ignored", &ignored)
        members.required("instance", &instance)
        members.optional("introductoryEligibility", &introductoryEligibility)
        members.required("requestId", &requestId)
        members.required("status", &status)
        members.required("title", &title)
        members.optional("turningPoint", &turningPoint)
        members.required("type", &type)
    }

    package init(code: ProblemCode, detail: String, hint: String? = nil, instance: String, requestId: String) {
        type = "urn:offerd:problem:\(code.rawValue)"
        title = code.title
        status = code.status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.instance = instance
        self.requestId = requestId
    }
}

/// One error in a request (`pointer`) or in a catalog document (`path`, `line`, `column`).
public struct ProblemErrorBody: WireObject {
    public var pointer: String?
    /// Where in a document, such as `offers[2].price`.
    public var path: String?
    /// The line, from 1.
    public var line: Int?
    /// The column, from 1.
    public var column: Int?
    public var code = ""
    public var detail = ""
    public var hint: String?

    public init() {}

    public mutating func visit(_ members: inout some MemberVisitor) {
        members.required("code", &code)
        members.optional("column", &column)
        members.required("detail", &detail)
        members.optional("hint", &hint)
        members.optional("line", &line)
        members.optional("path", &path)
        members.optional("pointer", &pointer)
    }

    public init(
        pointer: String? = nil, path: String? = nil, line: Int? = nil, column: Int? = nil, code: String,
        detail: String, hint: String? = nil
    ) {
        self.pointer = pointer
        self.path = path
        self.line = line
        self.column = column
        self.code = code
        self.detail = detail
        self.hint = hint
    }
}

/// What can go wrong: a closed list, the same in code, `openapi.yaml` and docs (docs/design.md#http).
package enum ProblemCode: String, Sendable, Hashable, CaseIterable, WireWord {
    case invalidRequest = "invalid-request"
    case productRequired = "product-required"
    case unauthenticated
    case forbidden
    case addressNotAllowed = "address-not-allowed"
    case unprovenCustomer = "unproven-customer"
    case customerTokenRefused = "customer-token-refused"
    case notEligible = "not-eligible"
    case notFound = "not-found"
    case unknownOffer = "unknown-offer"
    case noCatalog = "no-catalog"
    case unknownCustomer = "unknown-customer"
    case unknownIssuedOffer = "unknown-issued-offer"
    case unknownDecision = "unknown-decision"
    case unknownRevision = "unknown-revision"
    case unknownEvent = "unknown-event"
    case unknownGrant = "unknown-grant"
    case methodNotAllowed = "method-not-allowed"
    case idempotencyConflict = "idempotency-conflict"
    case ambiguousCustomer = "ambiguous-customer"
    case provenAlias = "proven-alias"
    case noWebhook = "no-webhook"
    case grantExists = "grant-exists"
    case grantUsed = "grant-used"
    case catalogChanged = "catalog-changed"
    case tooLarge = "too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case invalidCatalog = "invalid-catalog"
    case signedDataRefused = "signed-data-refused"
    case undetermined
    case ifMatchRequired = "if-match-required"
    case rateLimited = "rate-limited"
    case grantLimitReached = "grant-limit-reached"
    case `internal`
    case busy
    case clockBehind = "clock-behind"
    case notReady = "not-ready"

    package var status: Int { meaning.status }

    package var title: String { meaning.title }

    private var meaning: (status: Int, title: String) {
        switch self {
        case .invalidRequest: (400, "the request is not valid")
        case .productRequired: (400, "the request must name a product")
        case .unauthenticated: (401, "no valid API key")
        case .forbidden: (403, "the API key's role may not do this")
        case .addressNotAllowed: (403, "the API key may not be used from this address")
        case .unprovenCustomer: (403, "signed data does not prove the customer")
        case .customerTokenRefused: (403, "the customer token was refused")
        case .notEligible: (403, "the customer may not have this offer")
        case .notFound: (404, "there is nothing at this path")
        case .unknownOffer: (404, "the catalog has no such offer")
        case .noCatalog: (404, "there is no catalog yet")
        case .unknownCustomer: (404, "no customer found")
        case .unknownIssuedOffer: (404, "no offer was issued under this id")
        case .unknownDecision: (404, "no refusal was recorded under this id")
        case .unknownRevision: (404, "the catalog never had this revision")
        case .unknownEvent: (404, "there is no such event")
        case .unknownGrant: (404, "there is no such grant")
        case .methodNotAllowed: (405, "method not allowed")
        case .idempotencyConflict: (409, "the key was used for another request")
        case .ambiguousCustomer: (409, "the identifiers name different customers")
        case .provenAlias: (409, "signed data names the alias for the customer")
        case .noWebhook: (409, "no webhook takes such events")
        case .grantExists: (409, "the customer has such a grant already")
        case .grantUsed: (409, "the grant was used")
        case .catalogChanged: (412, "the catalog has changed")
        case .tooLarge: (413, "the request is too large")
        case .unsupportedMediaType: (415, "the media type is not supported")
        case .invalidCatalog: (422, "the catalog has errors")
        case .signedDataRefused: (422, "signed data was refused")
        case .undetermined: (422, "not enough information to decide")
        case .ifMatchRequired: (428, "the request must name the revision it changes")
        case .rateLimited: (429, "too many requests")
        case .grantLimitReached: (429, "the API key may grant no more today")
        case .internal: (500, "internal error")
        case .busy: (503, "too much work is waiting")
        case .clockBehind: (503, "the clock of the service is behind")
        case .notReady: (503, "the service is not ready")
        }
    }
}

/// What can be wrong with one place of a request: the closed list behind `errors[].code` of `invalid-request`.
public enum RequestErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The body is not JSON in UTF-8, or nests too deeply.
    case malformedJson
    case unknownMember
    case duplicateMember
    /// A member that must be there is absent or null.
    case missingMember
    case wrongType
    /// The value has the right type and is not one that is accepted.
    case invalidValue
    /// The text, or a member's name, is empty or longer than allowed.
    case invalidLength
    /// The list has more entries than allowed; without a place: the request has more errors than are shown.
    case tooMany
    case unknownParameter
    case duplicateParameter
    /// The header does not have the form it must have.
    case invalidHeader
}
