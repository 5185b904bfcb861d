import OfferAPI
import OfferApplication
import OfferHTTP

/// A form that was refused: its page is shown again with what was typed, and the refusal above the form.
struct RefusedForm: Sendable {
    let problem: Problem
    let typed: [String: String]
    /// The last part of the form's path: by this its page shows the refusal in the right place.
    private let name: String
    private let runningPath: String?

    /// `nil` for an error that is no refusal.
    init?(_ path: String, _ form: QueryParameters, _ fields: [String], _ error: any Error) {
        guard let problem = Problem(error) else { return nil }
        self.problem = problem
        name = path.split(separator: "/").last.map(String.init) ?? ""
        typed = Dictionary(fields.map { ($0, form.typed($0)) }) { $1 }
        runningPath = PageLink.runningSimulation(error)
    }

    /// What a page shows of it; of forms that were not sent, what the page has of them stays.
    func added(to content: [String: Any]) -> [String: Any] {
        var content = content
        var refusal = PageMembers.of(problem.document)
        refusal["runningPath"] = runningPath
        content["refused"] = [name: refusal]
        let present = content["typed"] as? [String: String] ?? [:]
        content["typed"] = present.merging(typed) { $1 }.filter { !$0.value.isEmpty }
        return content
    }
}

extension PageLink {
    /// The page of the simulation for whose end a refused one has to wait.
    static func runningSimulation(_ error: any Error) -> String? {
        guard case RequestError.simulationUnfinished(let id, let offer) = error else { return nil }
        return audience(offer, id)
    }
}

extension PageMembers {
    /// A problem in the words of the console, each error once: with the label of its field, where it has one.
    static func of(_ problem: ProblemBody) -> [String: Any] {
        var (problem, errors) = (problem, problem.errors ?? [])
        // Its detail is the first error.
        let isList = problem.code == .invalidRequest && !errors.isEmpty
        if isList { problem.hint = nil }
        problem.errors = nil
        var (members, shown) = (PageMembers(), problem)
        shown.visit(&members)
        var values = members.values
        values["detail"] =
            isList
            ? (errors.count > 1 ? "\(errors.count) entries are refused:" : nil)
            : errors.first.map { problem.detail.replacing(": \($0.detail)", with: "") } ?? problem.detail
        values["hint"] = problem.hint.flatMap { ConsoleTerms.hint($0, of: problem.code) }
        for place in errors.indices { errors[place].hint = errors[place].hint.flatMap { ConsoleTerms.hint($0) } }
        values["errors"] = errors.map { error in
            var shown = of(error)
            let path = error.path ?? error.pointer ?? ""
            shown["label"] = ConsoleTerms.label(path)
            shown["place"] = path.isEmpty || shown["label"] != nil ? nil : path
            return shown
        }
        return values
    }
}
