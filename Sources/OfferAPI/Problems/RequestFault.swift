import JSON

/// What is wrong with the form of a request: every place found at once, as far as an answer can name them.
public struct RequestFault: Error, Sendable, Hashable {
    /// The most errors that one answer names; a small request must not call forth an endless answer.
    public static let maximumErrors = 100

    /// At least one and at most ``maximumErrors``.
    public let errors: [ProblemErrorBody]

    /// A fault by its places; of too many the first are kept, and the last entry says how many more there are.
    ///
    /// - Parameter count: how many there are, where only the first ``maximumErrors`` were made.
    public init(errors: [ProblemErrorBody], of count: Int? = nil) {
        let count = count ?? errors.count
        guard count > Self.maximumErrors else {
            self.errors = errors
            return
        }
        let shown = errors.prefix(Self.maximumErrors - 1)
        let rest = ProblemErrorBody(
            code: RequestErrorCode.tooMany.rawValue, detail: "\(count - shown.count) more errors are not shown")
        self.errors = shown + [rest]
    }

    init(_ fault: JSONFault) {
        let (code, line, column): (RequestErrorCode, Int?, Int?) =
            switch fault.kind {
            case .malformed(let line, let column): (.malformedJson, line, column)
            case .repeatedMember: (.duplicateMember, nil, nil)
            case .longName: (.invalidLength, nil, nil)
            case .longNumber: (.invalidValue, nil, nil)
            case .manyValues: (.tooMany, nil, nil)
            }
        self.init(errors: [
            ProblemErrorBody(
                pointer: JSONPointer(fault.path).description, line: line, column: column, code: code.rawValue,
                detail: fault.detail)
        ])
    }

    /// A fault outside the body, such as `query.limit`.
    package init(path: String, _ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors = [ProblemErrorBody(path: path, code: code.rawValue, detail: detail, hint: hint)]
    }

    /// A fault at one place of a JSON body.
    public init(_ pointer: JSONPointer, _ code: RequestErrorCode, _ detail: String, hint: String? = nil) {
        errors = [
            ProblemErrorBody(pointer: pointer.description, code: code.rawValue, detail: detail, hint: hint)
        ]
    }
}

extension StringProtocol {
    /// At most 100 characters, for messages that quote the request.
    ///
    /// Counted in Unicode scalars: one visible character can be made of any number of them.
    var shortened: String {
        let text = String(self)
        let start = text.unicodeScalars.prefix(100)
        return start.endIndex == text.unicodeScalars.endIndex ? text : String(start) + "…"
    }
}
