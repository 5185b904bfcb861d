/// Collects the issues of one reading, so that one pass finds all of them.
final class IssueLog {
    private var errors: [DocumentIssue] = []
    private var warnings: [DocumentIssue] = []
    private var isFull = false

    func refuse(_ issue: DocumentIssue) {
        guard errors.count < DocumentLimits.issues else {
            isFull = true
            return
        }
        errors.append(issue)
    }

    func warn(_ issue: DocumentIssue) {
        guard warnings.count < DocumentLimits.issues else { return }
        warnings.append(issue)
    }

    /// The value with its warnings, unless there is an error.
    ///
    /// - Throws: `InvalidDocument` with every error in the order of lines.
    func outcome<Value: Sendable>(_ value: Value?) throws(InvalidDocument) -> ValidDocument<Value> {
        if let value, errors.isEmpty { return ValidDocument(value: value, warnings: Self.sorted(warnings)) }
        var sorted = Self.sorted(errors)
        if isFull, let last = sorted.last {
            sorted.append(
                DocumentIssue(
                    code: .tooManyErrors, line: last.line, column: last.column,
                    detail: "there are more errors than the \(DocumentLimits.issues) shown"))
        }
        throw InvalidDocument(errors: sorted, warnings: Self.sorted(warnings))
    }

    private static func sorted(_ issues: [DocumentIssue]) -> [DocumentIssue] {
        issues.sorted { ($0.line, $0.column, $0.path, $0.detail) < ($1.line, $1.column, $1.path, $1.detail) }
    }
}
