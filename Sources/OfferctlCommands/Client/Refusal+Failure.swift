import OfferAPI
import OfferCatalog

extension OfferdClient.Refusal {
    /// The refusal as the program's end: 1 for a no, 3 if the server itself failed.
    ///
    /// - Parameters:
    ///   - file: the catalog document that was sent, for the place of its errors.
    ///   - role: the role the command needs, said where the key's role does not do.
    func commandFailure(file: String? = nil, role: String) -> CommandFailure {
        let status: ExitStatus = status >= 500 ? .unavailable : .no
        guard let errors = problem.errors, !errors.isEmpty else {
            return CommandFailure(status, problem.detail, hints: hints(role: role))
        }
        return CommandFailure(status, messages: errors.flatMap { lines($0, file: file) })
    }

    /// An error of a catalog reads as `catalog validate` shows it.
    private func lines(_ error: ProblemErrorBody, file: String?) -> [String] {
        if let file, error.pointer == nil {
            return IssueText.lines(
                severity: .error, detail: error.detail, path: error.path, file: file, line: error.line,
                hint: error.hint)
        }
        let place = error.pointer.map { " at \($0)" } ?? ""
        return ["error: " + error.detail + place] + (error.hint.map { ["hint: " + $0] } ?? [])
    }

    private func hints(role: String) -> [String] {
        var hints = [problem.hint ?? ownHint(role: role)].compactMap { $0 }
        if let retryAfter { hints.append("try again in \(retryAfter) seconds") }
        if status >= 500, let requestId = problem.requestId {
            hints.append("the server's log has more under the request id `\(requestId)`")
        }
        return hints
    }

    /// Where the server gives no hint, what this side knows.
    private func ownHint(role: String) -> String? {
        switch problem.code {
        case "unauthenticated": "the key may be revoked, expired or of another server; `offerd api-keys list` shows it"
        case "forbidden": "this command needs a key with the role \(role)"
        case "catalog-changed": "somebody applied another catalog in between: look at it, then apply again"
        default: nil
        }
    }
}
