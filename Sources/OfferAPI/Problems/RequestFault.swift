/// What is wrong with the form of a request: every place found at once, as far as an answer can name them.
public struct RequestFault: Error, Sendable, Hashable {
    /// The most errors that one answer names; a small request must not call forth an endless answer.
    public static let maximumErrors = 100

    /// The places, at least one and at most ``maximumErrors``.
    public let errors: [ProblemErrorBody]

    /// A fault by its places; of too many the first are kept, and the last entry says how many more there are.
    public init(errors: [ProblemErrorBody]) {
        guard errors.count > Self.maximumErrors else {
            self.errors = errors
            return
        }
        let shown = errors.prefix(Self.maximumErrors - 1)
        let rest = ProblemErrorBody(
            code: RequestErrorCode.tooMany.rawValue, detail: "\(errors.count - shown.count) more errors are not shown")
        self.errors = shown + [rest]
    }

    /// A fault at one place of a JSON body.
    public init(_ pointer: JSONPointer, _ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors = [
            ProblemErrorBody(pointer: pointer.description, code: code.rawValue, detail: detail, hint: hint)
        ]
    }
}
