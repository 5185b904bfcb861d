/// What is wrong with the form of a request, every place found at once.
public struct RequestFault: Error, Sendable, Hashable {
    /// The places, at least one.
    public var errors: [ProblemErrorBody]

    /// A fault by its places.
    public init(errors: [ProblemErrorBody]) {
        self.errors = errors
    }

    /// A fault at one place of a JSON body.
    public init(_ pointer: JSONPointer, _ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors = [
            ProblemErrorBody(pointer: pointer.description, code: code.rawValue, detail: detail, hint: hint)
        ]
    }
}
