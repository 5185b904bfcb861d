/// One thing wrong with a document, where it is and what to do about it.
public struct DocumentIssue: Sendable, Hashable {
    /// What is wrong, for programs.
    public let code: DocumentIssueCode
    /// Where it is in the document, such as `offers[2].eligibility.all[0]`; empty for the document itself.
    public let path: String
    /// The line in the file, from 1.
    public let line: Int
    /// The column in the line, from 1, counted in Unicode scalars.
    public let column: Int
    /// What is wrong, for people: lower case, without a full stop.
    public let detail: String
    /// What to do about it.
    public let hint: String?

    /// An issue by its parts.
    public init(
        code: DocumentIssueCode, path: String = "", line: Int, column: Int, detail: String, hint: String? = nil
    ) {
        self.code = code
        self.path = path
        self.line = line
        self.column = column
        self.detail = detail
        self.hint = hint
    }
}

/// How much an issue matters.
public enum IssueSeverity: String, Sendable, Hashable, CaseIterable {
    /// The document is not accepted.
    case error
    /// The document is accepted, but may not say what was meant.
    case warning
}
