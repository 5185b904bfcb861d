import CommandLineSupport
import OfferAPI
import OfferDocuments
import OfferModel
import OfferWords

/// What a document would change, in words: which offers, for which customers, at what cost, and what may be lost.
struct CatalogPlan {
    private let revision: Int
    private let changes: [PlannedChange]
    /// The catalog in the file, where this version can read it.
    private let catalog: Catalog?
    private let isSameText: Bool
    /// What the file would undo of later revisions than the one it was exported from.
    private let stale: StaleEdit?
    private let command: String

    init(
        _ body: CatalogApplied, of file: CatalogFile, inForce: CatalogInForce, stale: StaleEdit?,
        command: String
    ) {
        revision = body.revision
        catalog = file.document?.value
        // Before the first catalog, nothing is in force.
        let old = inForce.revision == 0 ? catalog.map { Catalog(bundleId: $0.bundleId) } : inForce.catalog
        changes = PlannedChange.all(body.changes, from: old, to: catalog)
        isSameText = inForce.isSameText(as: file)
        self.stale = stale
        self.command = command
    }

    var hasChanges: Bool { !changes.isEmpty }

    /// Why a file is not applied without `--confirm`, and what to do; `nil` if it needs none.
    func refusal(_ file: String) -> CommandFailure? {
        if changes.contains(where: \.effect.needsConfirmation) {
            return CommandFailure(
                .failed, "not applied: `\(file)` would give or take away offers",
                hints: ["read the plan; if all of it is intended, add `--confirm`"])
        }
        return stale.map { stale in
            CommandFailure(
                .failed, "not applied: `\(file)` would undo \(stale.what)",
                hints: ["export the catalog again and change that, or add `--confirm` if they should be undone"])
        }
    }

    /// - Parameter isPending: whether the user is asked next, so that nothing is decided yet.
    func text(_ palette: Palette, isPending: Bool = false) -> String {
        guard hasChanges else {
            return isSameText ? CatalogWords.unchanged(revision) : CatalogWords.onlyText(revision)
        }
        let title = CatalogWords.changes(changes.count, to: revision) + (isPending ? "" : "; nothing was applied")
        let blocks = PlannedOffer.all(changes, in: catalog).map { block($0, palette) }
        let undone = (stale?.lines(of: changes) ?? []).joined(separator: "\n")
        return
            ([palette.paint(title, .heading)] + blocks + (undone.isEmpty ? [] : [palette.paint(undone, .bad)])
            + [conclusion(isPending)])
            .joined(separator: "\n\n")
    }

    private func conclusion(_ isPending: Bool) -> String {
        let reasons = PlannedOffer.reasons(changes) + (stale == nil ? [] : ["later changes would be undone"])
        guard !reasons.isEmpty else {
            return PlannedOffer.harmless
                + (command == "rollback" || isPending ? "" : ": `\(command)` needs no `--confirm`")
        }
        return PlannedOffer.list(reasons) + (isPending ? "" : ": `\(command)` needs `--confirm`")
    }

    private func block(_ planned: PlannedOffer, _ palette: Palette) -> String {
        let next = planned.changes.dropFirst().map(\.words) + [""]
        var text = [palette.paint(planned.offerId?.rawValue.printable ?? "products", .heading)]
        if let audience = planned.audience { text.append("  for " + audience.printable) }
        text += zip(planned.changes, next).flatMap { lines($0, isLast: $0.words != $1, palette) }
        var terms = FieldList()
        for term in planned.terms { terms.add(term.name, term.value) }
        if !planned.terms.isEmpty { text += terms.lines(palette, indent: 6) }
        if let warning = planned.warning { text.append("  " + palette.paint("! \(warning)", .alarm)) }
        return text.joined(separator: "\n")
    }

    /// What several changes in a row mean is said once, below the last.
    private func lines(_ planned: PlannedChange, isLast: Bool, _ palette: Palette) -> [String] {
        let effect = planned.effect
        let mark = palette.paint(effect.mark, effect.takesAway ? .bad : effect.widens ? .unsure : .quiet)
        let line = "  \(mark) \(planned.line.printable)"
        guard planned.change.path != nil else { return ["\(line): \(planned.words.printable)"] }
        return [line] + (isLast ? ["      " + planned.words.printable] : [])
    }
}

extension OfferdClient {
    /// - Parameter isRollback: whether it is a revision's document, which is meant to undo later ones.
    func plan(
        _ file: CatalogFile, from base: CatalogInForce, isRollback: Bool = false
    ) async throws -> (reply: Reply<CatalogApplied>, plan: CatalogPlan) {
        let reply = try await put(file, from: base, isPlan: true)
        let stale = isRollback ? nil : await staleEdit(file, base, reply.body.changes)
        return (
            reply,
            CatalogPlan(reply.body, of: file, inForce: base, stale: stale, command: isRollback ? "rollback" : "apply")
        )
    }
}

enum CatalogText {
    /// - Parameter old: the revision in force before; another text with the same offers makes a new one too.
    static func applied(_ body: CatalogApplied, after old: Int?, palette: Palette) -> String {
        guard !body.changes.isEmpty else {
            return body.revision == old
                ? CatalogWords.unchanged(body.revision)
                : "revision \(body.revision) is in force: only the text changed, such as comments or the order; no offer did"
        }
        let title = "revision \(body.revision) is in force: \(body.changes.count.counted("change"))"
        let table = TextTable(
            ["OFFER", "CHANGE", "FIELD", "FROM", "TO"],
            rows: body.changes.map {
                [
                    $0.offerId?.rawValue, $0.change, $0.path, $0.from.map(TimeText.readable),
                    $0.to.map(TimeText.readable),
                ]
            })
        return ([palette.paint(title, .heading), ""] + table.lines(palette)).joined(separator: "\n")
    }

    static func revisions(_ revisions: [AppliedRevision]) -> TextTable {
        TextTable(
            ["REVISION", "APPLIED", "BY", "MESSAGE"],
            rows: revisions.map {
                [String($0.revision), TimeText.absolute($0.createdAt), CatalogWords.author($0), $0.message]
            })
    }
}

/// Another catalog was applied in between: by which key, and what it changed.
struct CatalogConflict {
    static let shownChanges = 10

    let client: OfferdClient
    let base: CatalogInForce

    /// The other change, where the server tells it, then what to do.
    func hints(file: String) async -> [String] {
        let story = (try? await story()) ?? ["another catalog was applied in between"]
        return story + ["`offerctl catalog plan \(file)` shows what your file would change now"]
    }

    private func story() async throws -> [String] {
        let current = try await client.catalogInForce()
        guard let before = base.revision, let now = current.revision, now > 0 else {
            throw CommandFailure(.unavailable, "the catalog has no revision")
        }
        let headline = CatalogWords.headline(try await client.revision(now).body).printable
        guard before > 0 else { return [headline] }
        // What would go back is what came: the server compares, so the words are its own.
        let undoing = try await client.put(client.revision(before).body.file, from: current, isPlan: true)
        let changes = undoing.body.changes.map(\.undone)
        let rest = changes.count - Self.shownChanges
        return [headline] + changes.prefix(Self.shownChanges).map(\.sentence)
            + (rest > 0 ? ["it changed \(rest) more"] : [])
    }
}

extension CatalogChange {
    fileprivate var undone: CatalogChange {
        var undone = self
        undone.change = ["added": "removed", "removed": "added"][change] ?? change
        (undone.from, undone.to) = (to, from)
        return undone
    }

    fileprivate var sentence: String {
        let subject = offerId.map { "`\($0.rawValue)`" } ?? "the products"
        guard let path else { return "it \(change) \(subject)" }
        let old = from.map { " from `\($0)`" } ?? ""
        let new = to.map { " to `\($0)`" } ?? ""
        return "it \(change) `\(path)` of \(subject)\(old)\(new)"
    }
}
