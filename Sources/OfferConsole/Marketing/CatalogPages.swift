import HTTPTypes
import Hummingbird
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferHTTP
import OfferModel
import OfferWords

/// The catalog: its text with a plan of what another would change, and its revisions.
extension ConsoleSite {
    /// Bytes of a catalog that is shown and taken: a page stays below 100 KB. `offerctl` takes larger ones.
    static let editorBytes = 48 * 1_024
    /// Bytes of a form with such a text, whose characters may be three each.
    static let catalogFormBytes = 256 * 1_024
    private static let revisionsOnPage = 20
    /// Of all buttons of the form.
    static let editorFields =
        ["text", "revision", "message", "agreed", "live", "filled", "chosen", "fill"]
        + OfferEntry.Field.allCases.map(\.rawValue)

    /// A text that was typed, and the revision in force when that began.
    struct Draft {
        var text: String
        var revision: Int
        var message: String?
        /// Whether the page plans it by itself while a person types, who makes mistakes on the way: a refusal is then no
        /// error of the request.
        var isLive = false
        /// What is in the form for an offer.
        var entry: [OfferEntry.Field: String] = [:]
        /// The mark of what the form was filled with, if it is for an offer that the text has.
        var filled: String?
        /// What is wrong with a field of it, or with its length.
        var fault: (any Error)?

        /// Names this text on top of this revision, so that what was agreed to is what is applied.
        var mark: String { TextMark.of("\(revision) \(text)") }
    }

    /// `GET /console/catalog`.
    @Sendable func catalog(_ request: Request, _ visit: Visit) async throws -> Response {
        var query = try QueryParameters(request, known: ["cursor", "offer"])
        let before = query.cursor("cursor") { ListCursor.revisions.place($0) }
        let offer = query.field("offer")
        try query.finish()
        let (document, catalog) = try await catalogInForce(visit)
        let isYAML = document.format == .yaml
        let text = isYAML ? document.text : catalog.map(CatalogWriter.yaml) ?? document.text
        let draft = Draft(text: text, revision: document.revision)
        guard let offer, visit.may(.apply), text.utf8.count <= Self.editorBytes else {
            return try await editor(draft, [:], before: before, visit)
        }
        return try await fill(draft, with: offer, visit)
    }

    func editor(
        _ draft: Draft, _ more: [String: Any], before: Int64? = nil, _ visit: Visit,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        var content = more
        content["revision"] = draft.revision
        content["hasCatalog"] = draft.revision > 0
        content["message"] = draft.message
        content["mayApply"] = visit.may(.apply)
        let isLong = draft.text.utf8.count > Self.editorBytes
        if !isLong || draft.fault != nil {
            var catalog = isLong ? nil : try await read(draft.text)
            if catalog == nil { catalog = try await catalogInForce(visit).catalog }
            content["editor"] = ["text": draft.text]
            content["entry"] = Self.members(of: draft, in: catalog)
        } else {
            content["bytes"] = draft.text.utf8.count
        }
        content["mayList"] = visit.may(.revisions)
        if visit.may(.revisions) {
            let page = try await useCases.catalogs.page(
                before: before, limit: Self.revisionsOnPage, caller: visit.caller)
            content["revisions"] = page.items.map { revision in
                ["words": CatalogWords.headline(revision), "path": PageLink.revision(revision.revision)]
            }
            content["nextPath"] = page.next.map { "\(Self.root)/catalog?cursor=\(PageLink.encoded($0))#revisions" }
        }
        return try pages.page("catalog", "Catalog", content, visit, status: status)
    }

    /// `POST /console/catalog/plan`: what the text would change; nothing is applied.
    @Sendable func plan(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        try await plan(Self.draft(&form), visit)
    }

    func plan(_ draft: Draft, _ visit: Visit) async throws -> Response {
        try await refusing(draft, visit) {
            let (planned, _) = try await self.planned(draft, visit)
            return try await self.editor(draft, ["plan": planned], visit)
        }
    }

    /// `POST /console/catalog`: puts the text in force. What takes something away or widens it has to be agreed to.
    @Sendable func apply(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let agreed = form.field("agreed")
        let draft = Self.draft(&form)
        return try await refusing(draft, visit) {
            let (planned, needsAgreement) = try await self.planned(draft, visit)
            guard !needsAgreement || agreed == draft.mark else {
                let plan = planned.merging(["isNotAgreed": true]) { $1 }
                return try await self.editor(draft, ["plan": plan], visit, status: .unprocessableContent)
            }
            let applied = try await useCases.catalogs.apply(
                draft.text, format: .yaml, expectedRevision: draft.revision, message: draft.message, dryRun: false,
                caller: visit.caller)
            return .redirect(to: PageLink.revision(applied.revision))
        }
    }

    static func draft(_ form: inout QueryParameters) -> Draft {
        let revision = form.field("revision").flatMap { Int($0) } ?? -1
        if revision < 0 { form.refuse("revision", "is not a revision", hint: "load the catalog's page again") }
        var draft = Draft(
            text: form.document("text") ?? "", revision: max(0, revision), message: form.message("message"))
        draft.isLive = form.flag("live") ?? false
        draft.filled = form.field("filled")
        for field in OfferEntry.Field.allCases { draft.entry[field] = form.typed(field.rawValue) }
        do {
            try form.finish()
        } catch {
            draft.fault = error
        }
        if draft.text.utf8.count > editorBytes {
            draft.fault = Problem(
                .tooLarge, "the catalog has \(draft.text.utf8.count) bytes, and this page takes \(editorBytes)",
                hint: "apply it with `offerctl catalog apply`")
        }
        return draft
    }

    /// A refusal on the page, above the text that was typed: nothing of it is lost.
    func refusing(
        _ draft: Draft, _ visit: Visit, _ answer: () async throws -> Response
    ) async throws -> Response {
        do {
            if let fault = draft.fault { throw fault }
            return try await answer()
        } catch RequestError.catalogChanged(let current) {
            let error = RequestError.catalogChanged(current: current)
            guard var problem = Problem(error)?.document else { throw error }
            let other =
                try await current > 0 ? useCases.catalogs.revision(current, caller: visit.caller) : nil
            problem.detail = "another catalog was applied in between: " + (other.map(CatalogWords.headline) ?? "none")
            problem.hint =
                draft.isLive
                ? "choose Plan to see what your text would undo"
                : "your text is without that change: the plan shows what it would undo"
            var content: [String: Any] = ["problem": PageMembers.of(problem)]
            if other != nil { content["conflictPath"] = PageLink.revision(current) }
            var next = draft
            next.revision = current
            if !next.isLive { content["plan"] = try await answered { try await planned(next, visit).0 }.0 }
            return try await editor(next, content, visit, status: next.isLive ? .ok : .init(code: problem.status))
        } catch {
            guard error is RequestError || error is RequestFault || error is Problem,
                let problem = Problem(error)?.document
            else { throw error }
            var shown = PageMembers.of(problem)
            shown["runningPath"] = PageLink.runningSimulation(error)
            return try await editor(
                draft, ["problem": shown], visit,
                status: draft.isLive ? .ok : .init(code: problem.status))
        }
    }

    /// The plan of a text as a template takes it, and whether it has to be agreed to.
    private func planned(_ draft: Draft, _ visit: Visit) async throws -> ([String: Any], Bool) {
        let applied = try await useCases.catalogs.apply(
            draft.text, format: .yaml, expectedRevision: draft.revision, message: nil, dryRun: true,
            caller: visit.caller)
        let (document, inForce) = try await catalogInForce(visit)
        let now = clock()
        let read = try await useCases.shares.catalogs.run {
            try? CatalogReader.read(Array(draft.text.utf8), at: now)
        }
        let old = document.revision == 0 ? read.map { Catalog(bundleId: $0.value.bundleId) } : inForce
        let changes = try await judged(applied.changes, from: old, to: read?.value)
        let reasons = PlannedOffer.reasons(changes)
        let isSameText = Array(document.text.utf8) == Array(draft.text.utf8)
        var plan: [String: Any] = [
            "offers": PageMembers.ofPlan(changes, in: read?.value, isCounted: visit.may(.simulate)),
            "mark": draft.mark,
            "warnings": (read?.warnings ?? []).map { issue in
                var warning: [String: Any] = ["line": issue.line, "path": issue.path, "detail": issue.detail]
                warning["hint"] = issue.hint
                return warning
            },
        ]
        plan["title"] =
            if !changes.isEmpty {
                CatalogWords.changes(changes.count, to: draft.revision) + "; nothing was applied"
            } else if isSameText {
                CatalogWords.unchanged(draft.revision)
            } else {
                CatalogWords.onlyText(draft.revision)
            }
        plan["conclusion"] = changes.isEmpty ? nil : PlannedOffer.list(reasons)
        plan["needsAgreement"] = !reasons.isEmpty
        plan["canApply"] = !isSameText
        return (plan, !reasons.isEmpty)
    }

    // MARK: Revisions

    /// `GET /console/catalog/revisions/{n}`: what it changed, its text, and what going back to it would change.
    @Sendable func revision(_ request: Request, _ visit: Visit) async throws -> Response {
        try QueryParameters(request, known: []).finish()
        let applied = try await appliedRevision(visit)
        let number = applied.revision
        let before = try await number > 1 ? useCases.catalogs.revision(number - 1, caller: visit.caller) : nil
        let (new, old) = (try await read(applied.document ?? ""), try await read(before?.document ?? ""))
        var content: [String: Any] = ["number": number, "words": CatalogWords.headline(applied)]
        if let new {
            let earlier = before == nil ? Catalog(bundleId: new.bundleId) : old
            let changes = try await useCases.shares.catalogs.run {
                earlier.map { CatalogDifference.all(from: $0, to: new).map(CatalogChange.init) } ?? []
            }
            content["offers"] = PageMembers.ofPlan(
                try await judged(changes, from: earlier, to: new), in: new)
            if changes.isEmpty { content["noChange"] = Self.noChange(earlier) }
        } else {
            content["noChange"] = "This version of offerd cannot read this revision, so it cannot say what it changed."
        }
        let document = applied.document ?? ""
        content["document"] = document.utf8.count <= Self.editorBytes ? document : nil
        let (inForce, current) = try await catalogInForce(visit)
        content["isInForce"] = inForce.revision == number
        if number > 1 { content["previousPath"] = PageLink.revision(number - 1) }
        if number < inForce.revision { content["nextPath"] = PageLink.revision(number + 1) }
        if visit.may(.apply), inForce.revision != number {
            let (changes, problem) = try await answered {
                try await rollback(to: applied, new, from: inForce.revision, current, visit)
            }
            content["problem"] = problem.map { PageMembers.of($0) }
            content["rollback"] = changes.map { changes -> [String: Any] in
                let reasons = PlannedOffer.reasons(changes)
                return [
                    "inForce": inForce.revision, "path": PageLink.revision(number) + "/rollback",
                    "offers": PageMembers.ofPlan(changes, in: new), "conclusion": PlannedOffer.list(reasons),
                    "needsAgreement": !reasons.isEmpty,
                ]
            }
        }
        return try pages.page("revision", "Revision \(number)", content, visit)
    }

    private static func noChange(_ earlier: Catalog?) -> String {
        earlier == nil
            ? "This version of offerd cannot read the revision before it, so it cannot say what it changed."
            : "It changed no offer and no product, only how the text is written."
    }

    /// What going back to a revision would change.
    private func rollback(
        to old: AppliedRevision, _ catalog: Catalog?, from revision: Int, _ current: Catalog?, _ visit: Visit
    ) async throws -> [PlannedChange] {
        let plan = try await apply(old, on: revision, message: nil, dryRun: true, visit)
        return try await judged(plan.changes, from: current, to: catalog)
    }

    private func apply(
        _ old: AppliedRevision, on revision: Int, message: String?, dryRun: Bool, _ visit: Visit
    ) async throws -> CatalogApplied {
        try await useCases.catalogs.apply(
            old.document ?? "", format: old.format == "json" ? .json : .yaml, expectedRevision: revision,
            message: message, dryRun: dryRun, caller: visit.caller)
    }

    /// `POST /console/catalog/revisions/{n}/rollback`: the old text becomes a new revision, if the one in force is still
    /// the one that the page was about.
    @Sendable func rollBack(_ form: inout QueryParameters, _ visit: Visit) async throws -> Response {
        let message = form.message("message")
        let inForce = form.field("revision").flatMap { Int($0) }
        if inForce == nil { form.refuse("revision", "is not a revision", hint: "load the revision's page again") }
        let isAgreed = form.flag("agreed") ?? false
        try form.finish()
        let old = try await appliedRevision(visit)
        do {
            if !isAgreed {
                let (document, current) = try await catalogInForce(visit)
                let changes = try await rollback(
                    to: old, try await read(old.document ?? ""), from: inForce ?? 0, current, visit)
                if document.revision == inForce, !PlannedOffer.reasons(changes).isEmpty {
                    throw Problem(
                        .invalidRequest, "nothing was applied: \(PlannedOffer.list(PlannedOffer.reasons(changes)))",
                        hint: "agree below to what the rollback changes")
                }
            }
            let applied = try await apply(
                old, on: inForce ?? 0, message: message ?? "rollback to revision \(old.revision)", dryRun: false, visit)
            return .redirect(to: PageLink.revision(applied.revision))
        } catch RequestError.catalogChanged(let current) {
            let error = RequestError.catalogChanged(current: current)
            guard var problem = Problem(error) else { throw error }
            problem.document.detail = "another catalog was applied in between: it is revision \(current)"
            problem.document.hint = "the page shows what the rollback would change now"
            throw problem
        }
    }

    /// What changes mean: to judge a condition needs a proof, which may take long.
    private func judged(
        _ changes: [CatalogChange], from old: Catalog?, to new: Catalog?
    ) async throws -> [PlannedChange] {
        try await useCases.shares.catalogs.run { PlannedChange.all(changes, from: old, to: new) }
    }

    private func appliedRevision(_ visit: Visit) async throws -> AppliedRevision {
        let text = try visit.context.pathText("n")
        guard let number = Int(text), number > 0 else { throw RequestError.unknownRevision(text) }
        return try await useCases.catalogs.revision(number, caller: visit.caller)
    }
}

extension PageMembers {
    /// Offers after these are told by their changes alone: a page must not become too large.
    private static let plannedInFull = 25

    /// What several changes in a row mean is said once, below the last.
    ///
    /// - Parameter isCounted: whether those who gain and lose an offer can be counted there.
    static func ofPlan(
        _ changes: [PlannedChange], in catalog: Catalog?, isCounted: Bool = false
    ) -> [[String: Any]] {
        PlannedOffer.all(changes, in: catalog).enumerated().map { place, offer in
            let isFull = place < plannedInFull
            let next = offer.changes.dropFirst().map(\.words) + [""]
            var members: [String: Any] = [
                "title": offer.offerId?.rawValue ?? "products", "terms": isFull ? ofFields(offer.terms) : [],
                "changes": zip(offer.changes, next).map { change, next in
                    [
                        "mark": change.effect.mark, "line": change.line,
                        "words": change.words == next || !isFull ? "" : change.words,
                    ]
                },
            ]
            members["audience"] = isFull ? offer.audience : nil
            members["warning"] = offer.warning
            if place == plannedInFull { members["isFirstInBrief"] = true }
            if isCounted { members["counted"] = offer.offerId.flatMap { catalog?.offer($0)?.id.rawValue } }
            return members
        }
    }
}

extension PageLink {
    static func revision(_ number: Int) -> String { "\(ConsoleSite.root)/catalog/revisions/\(number)" }
}
