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

extension RequestFault {
    /// Says in this API's words what a decoder met; the decoder's own text names Swift types and is not passed on.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self.init(JSONPointer(context.codingPath), .wrongType, "this must be \(Self.word(for: type))")
        case .valueNotFound(_, let context) where context.codingPath.isEmpty:
            self.init(.root, .wrongType, "this must be an object")
        case .valueNotFound(_, let context):
            self.init(JSONPointer(context.codingPath), .missingMember, "this must not be null")
        case .keyNotFound(let key, let context):
            self.init(
                JSONPointer(context.codingPath + [key]), .missingMember, "the member `\(key.stringValue)` is missing")
        case .dataCorrupted(let context):
            self.init(
                JSONPointer(context.codingPath), .invalidValue,
                Self.ownWords(context.debugDescription) ?? "this value is not accepted here")
        @unknown default:
            self.init(.root, .invalidValue, "the body cannot be read")
        }
    }

    /// The text of an error that our own types threw, "`x` is not …", with a long `x` shortened.
    private static func ownWords(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard scalars.first == "`", let end = scalars.lastIndex(of: "`"), end > scalars.startIndex else { return nil }
        return "`" + text[scalars.index(after: scalars.startIndex)..<end].shortened + text[end...]
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is any Collection.Type where String(describing: type).hasPrefix("Array"): "a list"
        default: "an object"
        }
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
