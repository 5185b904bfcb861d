import CommandLineSupport
import OfferAPI
import OfferDocuments
import OfferModel

/// What a document would change, in words: which offers, for which customers, at what cost, and what may be lost.
struct CatalogPlan {
    private let body: CatalogApplied
    private let effects: [CatalogEffect]
    private let catalog: Catalog?
    private let renames: CatalogRenames
    private let isSameText: Bool
    /// What the file would undo of later revisions than the one it was exported from.
    private let stale: StaleEdit?

    /// The command that would make the changes.
    private let command: String

    init(
        _ body: CatalogApplied, of file: CatalogFile, inForce: CatalogInForce, stale: StaleEdit? = nil,
        command: String = "apply"
    ) {
        self.body = body
        self.command = command
        self.stale = stale
        let (old, new) = (inForce.catalog, file.document?.value)
        catalog = new
        let renames = CatalogRenames(body.changes, from: old, to: new)
        self.renames = renames
        effects = body.changes.map { change in
            if let effect = renames.effect(change) { return effect }
            let offer = change.offerId.flatMap { new?.offer($0) }
            let earlier = offer.flatMap { old?.predecessor(of: $0) } ?? change.offerId.flatMap { old?.offer($0) }
            return CatalogEffect(change, old: earlier, new: offer, inForce: old, file: new)
        }
        isSameText = inForce.isSameText(as: file)
    }

    var hasChanges: Bool { !body.changes.isEmpty }

    /// Why a file is not applied without `--confirm`, and what to do; `nil` if it needs none.
    func refusal(_ file: String) -> CommandFailure? {
        if effects.contains(where: \.needsConfirmation) {
            return CommandFailure(
                .failed, "not applied: `\(file)` would give or take away offers",
                hints: ["read the plan; if all of it is intended, add `--confirm`"])
        }
        return stale.map { stale in
            CommandFailure(
                .failed, "not applied: `\(file)` would undo changes made since revision \(stale.exported)",
                hints: ["export the catalog again and change that, or add `--confirm` if they should be undone"])
        }
    }

    /// - Parameter isPending: whether the user is asked next, so that nothing is decided yet.
    func text(_ palette: Palette, isPending: Bool = false) -> String {
        guard hasChanges else {
            return isSameText
                ? CatalogText.unchanged(body.revision)
                : "no offer changes: only the text differs from revision \(body.revision), such as comments or the order"
        }
        let changes = "\(body.changes.count.counted("change")) to revision \(body.revision)"
        let title = changes + (isPending ? "" : "; nothing was applied")
        let blocks = subjects.map { block($0, palette) }
        let undone = (stale?.lines ?? []).joined(separator: "\n")
        return
            ([palette.paint(title, .heading)] + blocks + (undone.isEmpty ? [] : [palette.paint(undone, .bad)])
            + [conclusion(isPending)])
            .joined(separator: "\n\n")
    }

    private func conclusion(_ isPending: Bool) -> String {
        let reasons = [
            effects.contains { $0.takesAway } ? "something is taken away (-)" : nil,
            effects.contains { $0.widens } ? "something is widened (+)" : nil,
            stale == nil ? nil : "later changes would be undone",
        ].compactMap { $0 }
        guard let last = reasons.last else {
            return "nothing is taken away or widened"
                + (command == "rollback" || isPending ? "" : ": `\(command)` needs no `--confirm`")
        }
        let list = reasons.count > 1 ? reasons.dropLast().joined(separator: ", ") + " and " + last : last
        return list + (isPending ? "" : ": `\(command)` needs `--confirm`")
    }

    /// The offers in the order of their first change; `nil` is the products.
    private var subjects: [OfferId?] {
        body.changes.map(\.offerId).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func block(_ offerId: OfferId?, _ palette: Palette) -> String {
        let changes = zip(body.changes, effects).filter { $0.0.offerId == offerId }
        let next = changes.dropFirst().map { $0.1.words } + [""]
        let title = palette.paint(offerId?.rawValue.printable ?? "products", .heading)
        let offer = offerId.flatMap { catalog?.offer($0) }
        let audience = offer.map { ["  for " + AudienceText.line($0).printable] }
        let isIssuedNow = offer?.status == .active && changes.contains { $0.0.beginsIssuing }
        return
            ([title] + (audience ?? [])
            + zip(changes, next).flatMap { lines($0.0, $0.1, isLast: $0.1.words != $1, palette) }
            + (isIssuedNow ? terms(offer, palette) : []) + warning(offer, changes.map(\.0), palette))
            .joined(separator: "\n")
    }

    /// What customers get from an offer that is issued from now on, how often, and what that costs.
    private func terms(_ offer: Offer?, _ palette: Palette) -> [String] {
        guard let offer, let catalog else { return [] }
        let cost = OfferCost(offer, in: catalog)
        var fields = FieldList()
        fields.add("billing plan", offer.billingPlan?.words)
        fields.add("customers get", OfferText.terms(offer))
        fields.add("products", offer.products.map(\.rawValue).joined(separator: ", "))
        fields.add("limits", OfferText.limits(offer))
        fields.add("cost per use", cost.perUse)
        fields.add("maximum cost", cost.maximum)
        return fields.lines(palette, indent: 6)
    }

    private func warning(_ offer: Offer?, _ changes: [CatalogChange], _ palette: Palette) -> [String] {
        guard let offer, offer.status == .active, offer.limits.isEmpty,
            changes.contains(where: { $0.beginsIssuing || $0.path == "limits" })
        else { return [] }
        let title = offer.type == .introductory && offer.again == nil ? "NO TOTAL LIMIT" : "UNLIMITED"
        let warning = "! \(title): \(offer.unlimitedUse), and nothing limits the total cost"
        return ["  " + palette.paint(warning, .alarm)]
    }

    /// What several changes in a row mean is said once, below the last.
    private func lines(
        _ change: CatalogChange, _ effect: CatalogEffect, isLast: Bool, _ palette: Palette
    ) -> [String] {
        let mark = palette.paint(effect.mark, effect.takesAway ? .bad : effect.widens ? .unsure : .quiet)
        guard change.path != nil else {
            let kind = renames.isNewName(change) ? "renamed" : change.change.printable
            return ["  \(mark) \(kind): \(effect.words.printable)"]
        }
        return ["  \(mark) \(change.difference)"] + (isLast ? ["      " + effect.words] : [])
    }
}

/// Offers that got another `id` without `formerly` and kept Apple's: to the server one is removed and another is new.
struct CatalogRenames {
    /// The former ids by the new ones.
    private let formerIds: [OfferId: OfferId]
    private let newIds: [OfferId: OfferId]

    init(_ changes: [CatalogChange], from old: Catalog?, to new: Catalog?) {
        var formerIds: [OfferId: OfferId] = [:]
        if let old, let new {
            let whole = changes.filter { $0.path == nil }
            let removed = whole.filter { $0.change == "removed" }.compactMap { $0.offerId.flatMap { old.offer($0) } }
            for offer in whole.filter({ $0.change == "added" }).compactMap({ $0.offerId.flatMap { new.offer($0) } }) {
                formerIds[offer.id] =
                    removed.first {
                        $0.offerIdentifier == offer.offerIdentifier && $0.type == offer.type
                            && !Set($0.products).isDisjoint(with: offer.products)
                    }?.id
            }
        }
        self.formerIds = formerIds
        newIds = Dictionary(formerIds.map { ($1, $0) }) { first, _ in first }
    }

    func isNewName(_ change: CatalogChange) -> Bool {
        change.change == "added" && change.offerId.map { formerIds[$0] != nil } ?? false
    }

    /// `nil` for a change that is no part of a rename.
    func effect(_ change: CatalogChange) -> CatalogEffect? {
        guard change.path == nil, let id = change.offerId else { return nil }
        if change.change == "added", let former = formerIds[id] {
            return CatalogEffect(
                widens: true,
                words:
                    "it was `\(former)`; uses under that id no longer count, so customers who had it may have "
                    + "it again, and a pause of that id no longer applies; add `formerly: \(former)` to carry them over"
            )
        }
        if change.change == "removed", let new = newIds[id] {
            return CatalogEffect(takesAway: true, words: "it is now `\(new)`; " + CatalogEffect.stopped.words)
        }
        return nil
    }
}

/// A file that was exported from an earlier revision than the one in force, and would undo changes made since.
struct StaleEdit {
    let exported: Int
    let inForce: Int
    /// `nil` where it could not be found out.
    let undone: [CatalogChange]?

    var lines: [String] {
        guard let undone else {
            return [
                "the file was exported from revision \(exported), and revision \(inForce) is in force; what applying it would "
                    + "undo could not be found out"
            ]
        }
        return [
            "the file was exported from revision \(exported), and revision \(inForce) is in force; applying it would undo:"
        ]
            + undone.map { "  \($0.offerId?.rawValue.printable ?? "products"): \($0.difference)" }
    }
}

extension OfferdClient {
    /// What applying a document would change.
    ///
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

    /// - Parameter changes: what applying the file would change.
    private func staleEdit(_ file: CatalogFile, _ base: CatalogInForce, _ changes: [CatalogChange]) async -> StaleEdit?
    {
        guard !changes.isEmpty, let origin = CatalogOrigin(file.bytes), origin.scope == scope.value,
            let inForce = base.revision, origin.revision < inForce
        else { return nil }
        // What would go back to the exported revision is what came since.
        guard let exported = try? await revision(origin.revision).body.file,
            let back = try? await put(exported, from: base, isPlan: true).body.changes
        else { return StaleEdit(exported: origin.revision, inForce: inForce, undone: nil) }
        let undone = changes.filter(Set(back).contains)
        return undone.isEmpty ? nil : StaleEdit(exported: origin.revision, inForce: inForce, undone: undone)
    }
}

extension CatalogChange {
    /// Whether it makes an offer one that is issued, if its status is active.
    fileprivate var beginsIssuing: Bool { path == nil && change == "added" || path == "status" }

    /// `limits: 1 per customer → 2 per customer`, of a whole offer `removed`.
    fileprivate var difference: String {
        guard let path else { return change.printable }
        if let comparison = ComparedChange(from, to) { return comparison.words.printable }
        // Of a list of limits, those that differ are enough.
        let (old, new) = (Self.list(from), Self.list(to))
        let (gone, added) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
        let isShort = path == "limits" && !gone.isEmpty && !added.isEmpty
        let values = isShort ? (gone.joined(separator: "; "), added.joined(separator: "; ")) : (from ?? "", to ?? "")
        return TimeText.readable("\(path): \(value(values.0)) → \(value(values.1))").printable
    }

    private static func list(_ text: String?) -> [Substring] { text?.split(separator: "; ") ?? [] }

    private func value(_ text: String) -> String {
        if text.isEmpty { return "none" }
        guard path == "rollout", let rollout = CatalogEffect.rollout(text) else { return text }
        return OfferText.words(rollout) + (rollout.salt == "–" ? "" : ", salt \(rollout.salt ?? "")")
    }
}

/// A comparison of a condition that kept its fact and operator: `subscription.paidMonths atLeast 6`, then `… 3`.
private struct ComparedChange {
    let words: String

    init?(_ from: String?, _ to: String?) {
        guard let old = from?.split(separator: " ", maxSplits: 2), let new = to?.split(separator: " ", maxSplits: 2),
            old.count == 3, new.count == 3, old[..<2] == new[..<2],
            let test = ComparisonOperator(rawValue: String(old[1]))
        else { return nil }
        func values(_ text: Substring) -> String {
            test == .between ? String(text.replacing(", ", with: " and ")) : String(text)
        }
        words = "\(old[0]) \(test.words) \(values(old[2])) → \(values(new[2]))"
    }
}

enum CatalogText {
    /// The revision, then one row a difference.
    ///
    /// - Parameter old: the revision in force before; another text with the same offers makes a new one too.
    static func applied(_ body: CatalogApplied, after old: Int?, palette: Palette) -> String {
        guard !body.changes.isEmpty else {
            return body.revision == old
                ? unchanged(body.revision)
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

    static func unchanged(_ revision: Int) -> String {
        "no changes: identical to revision \(revision)"
    }

    static func revisions(_ revisions: [AppliedRevision]) -> TextTable {
        TextTable(
            ["REVISION", "APPLIED", "BY", "MESSAGE"],
            rows: revisions.map {
                [String($0.revision), TimeText.absolute($0.createdAt), $0.actor, $0.message]
            })
    }

    /// `revision 3, applied 2026-12-01 00:00 UTC by key 7: spring offers`.
    static func headline(_ revision: AppliedRevision) -> String {
        let message = revision.message.map { ": \($0)" } ?? ""
        let time = TimeText.absolute(revision.createdAt)
        return "revision \(revision.revision), applied \(time) by key \(revision.actor)\(message)".printable
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
        let headline = CatalogText.headline(try await client.revision(now).body)
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
        let kind = ["added": "removed", "removed": "added"][change] ?? change
        return CatalogChange(offerId: offerId, change: kind, path: path, from: to, to: from)
    }

    fileprivate var sentence: String {
        let subject = offerId.map { "`\($0.rawValue)`" } ?? "the products"
        guard let path else { return "it \(change) \(subject)" }
        let old = from.map { " from `\($0)`" } ?? ""
        let new = to.map { " to `\($0)`" } ?? ""
        return "it \(change) `\(path)` of \(subject)\(old)\(new)"
    }
}
