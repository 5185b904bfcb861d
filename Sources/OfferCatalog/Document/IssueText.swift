/// How a terminal shows an issue of a document.
public enum IssueText {
    /// One line `error: <detail> at <path> (<file>:<line>)`, then `hint: <hint>` if there is one.
    ///
    /// The parts are plain values so that issues reported by a server print like local ones.
    public static func lines(
        severity: IssueSeverity, detail: String, path: String?, file: String, line: Int?, hint: String?
    ) -> [String] {
        var first = "\(severity.rawValue): \(detail)"
        if let path, !path.isEmpty { first += " at \(path)" }
        first += line.map { " (\(file):\($0))" } ?? " (\(file))"
        return [first] + (hint.map { ["hint: \($0)"] } ?? [])
    }

    /// The lines of an issue of the file with that name.
    public static func lines(_ issue: DocumentIssue, severity: IssueSeverity, file: String) -> [String] {
        lines(
            severity: severity, detail: issue.detail, path: issue.path, file: file, line: issue.line, hint: issue.hint)
    }
}
