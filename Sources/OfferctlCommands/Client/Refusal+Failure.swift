import OfferAPI
import OfferCatalog

extension OfferdClient.Refusal {
    /// The refusal as the program's end: 1 for a no, 3 if the server itself failed.
    ///
    /// - Parameters:
    ///   - files: the files that were sent, for the place of their errors.
    ///   - role: the role the command needs, said where the key's role does not do.
    func commandFailure(files: SentFiles, role: String) -> CommandFailure {
        let status: ExitStatus = status >= 500 ? .unavailable : .no
        guard let errors = problem.errors, !errors.isEmpty else {
            return CommandFailure(status, problem.detail, hints: hints(role: role))
        }
        return CommandFailure(status, messages: errors.flatMap { lines($0, files) })
    }

    /// An error of a catalog reads as `catalog validate` shows it.
    private func lines(_ error: ProblemErrorBody, _ files: SentFiles) -> [String] {
        if let file = files.catalog, error.line != nil {
            return IssueText.lines(
                severity: .error, detail: error.detail, path: error.path, file: file, line: error.line,
                hint: error.hint)
        }
        let place =
            error.pointer.map { TypedWords.place(pointer: $0, files) } ?? error.path.map(TypedWords.place(path:)) ?? ""
        // The members of a history were checked before they were sent, all others come from this program.
        if error.code == RequestErrorCode.unknownMember.rawValue {
            return ["error: the server does not know what is sent\(place)", "hint: it may be older than this offerctl"]
        }
        return ["error: " + error.detail + place] + (error.hint.map { ["hint: " + TypedWords.hint($0)] } ?? [])
    }

    private func hints(role: String) -> [String] {
        var hints = [ownHint(role: role) ?? problem.hint.map(TypedWords.hint)].compactMap { $0 }
        if let retryAfter { hints.append("try again in \(retryAfter) seconds") }
        if status >= 500, let requestId = problem.requestId {
            hints.append("the server's log has more under the request id `\(requestId)`")
        }
        return hints
    }

    /// What to do next at a terminal, where the server's hint speaks of requests or there is none.
    private func ownHint(role: String) -> String? {
        switch problem.code {
        case "unauthenticated": "the key may be revoked, expired or of another server; `offerd api-keys list` shows it"
        case "forbidden": "this command needs a key with the role \(role)"
        case "catalog-changed": "somebody applied another catalog in between: `offerctl catalog revisions` shows who"
        case "unknown-offer":
            "the id is the offer's in the catalog, not its name in App Store Connect; `offerctl offers list` shows those in force"
        case "unknown-issued-offer": "`offerctl issued list` shows the ids of issued offers"
        case "unknown-revision": "`offerctl catalog revisions` lists them"
        default: nil
        }
    }
}
