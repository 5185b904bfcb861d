public import OfferModel

/// A problem document (RFC 9457), the body of every failure (docs/design.md#http).
public struct ProblemBody: Sendable, Hashable, Codable {
    /// The media type.
    public static let mediaType = "application/problem+json"

    /// `urn:offerd:problem:<code>`.
    public var type: String
    /// The code in words.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The code, from a closed list.
    public var code: ProblemCode
    /// What is wrong with this request.
    public var detail: String
    /// What to do next.
    public var hint: String?
    /// The path that was asked for.
    public var instance: String
    /// The request's id, also in `X-Request-Id` and the log.
    public var requestId: String
    /// The recorded decision.
    public var decisionId: LowercaseUUID?
    /// What the rules found.
    public var findings: [FindingBody]?
    /// When a refusal would change by itself, or the event it waits for.
    public var turningPoint: TurningPointBody?
    /// A signed statement that blocks the introductory offer.
    public var introductoryEligibility: IntroductoryEligibilityBody?
    /// Every error found in the request or the document.
    public var errors: [ProblemErrorBody]?

    /// A problem with what every one has; callers set the rest.
    public init(code: ProblemCode, detail: String, hint: String? = nil, instance: String, requestId: String) {
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
public struct ProblemErrorBody: Sendable, Hashable, Codable {
    /// Where in a JSON request.
    public var pointer: String?
    /// Where in a document, such as `offers[2].price`.
    public var path: String?
    /// The line, from 1.
    public var line: Int?
    /// The column, from 1.
    public var column: Int?
    /// What kind of error.
    public var code: String
    /// The same in words.
    public var detail: String
    /// What to do next.
    public var hint: String?

    /// An error by its parts.
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
