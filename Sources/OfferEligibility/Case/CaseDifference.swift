/// One thing in which the answer to a case is not as expected.
public struct CaseDifference: Sendable, Hashable {
    /// The rule of the finding, and its place in the offer's condition if it has one; `nil` for the decision as a whole
    /// or a state.
    public var rule: String?
    /// The place in the offer's condition.
    public var path: String?
    /// What differs.
    public var aspect: Aspect
    /// What the case expects; `nil` for nothing.
    public var expected: String?
    /// What came out; `nil` for nothing.
    public var got: String?
    /// The finding's sentence, where there is a finding.
    public var message: String?

    /// A difference by its parts.
    public init(
        rule: String? = nil, path: String? = nil, aspect: Aspect, expected: String?, got: String?,
        message: String? = nil
    ) {
        self.rule = rule
        self.path = path
        self.aspect = aspect
        self.expected = expected
        self.got = got
        self.message = message
    }

    /// What of an answer can differ.
    public enum Aspect: Sendable, Hashable, CustomStringConvertible {
        /// The decision's outcome.
        case outcome
        /// Whether there is such a finding.
        case finding
        /// A rule that decides the outcome and is not among the expected findings.
        case unlistedRule
        /// The finding's verdict.
        case verdict
        /// The finding's reason.
        case reason
        /// The finding's turning point.
        case turningPoint
        /// A transaction in the finding's evidence.
        case transactionId
        /// The finding's sentence.
        case message
        /// A member of a subscription state.
        case state(String)

        /// The word for it, such as `turningPoint` or `state.hasAccess`.
        public var description: String {
            switch self {
            case .outcome: "outcome"
            case .finding: "finding"
            case .unlistedRule: "unlistedRule"
            case .verdict: "verdict"
            case .reason: "reason"
            case .turningPoint: "turningPoint"
            case .transactionId: "transactionId"
            case .message: "message"
            case .state(let member): "state.\(member)"
            }
        }
    }
}
