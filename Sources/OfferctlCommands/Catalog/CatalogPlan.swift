import CommandLineSupport
import OfferAPI
import OfferDocuments
import OfferModel

/// What a document would change, in words: which offers, for which customers, and what may be lost.
struct CatalogPlan {
    private let body: CatalogApplied
    private let effects: [CatalogEffect]
    private let catalog: Catalog?
    private let isSameText: Bool

    init(_ body: CatalogApplied, of file: CatalogFile, inForce: CatalogInForce) {
        self.body = body
        effects = body.changes.map(CatalogEffect.init)
        catalog = file.document?.value
        isSameText = inForce.document == file.bytes
    }

    var hasChanges: Bool { !body.changes.isEmpty }

    var needsConfirmation: Bool { effects.contains(where: \.needsConfirmation) }

    func text(_ palette: Palette) -> String {
        guard hasChanges else {
            return isSameText
                ? CatalogText.unchanged(body.revision)
                : "no offer changes: only the text differs from revision \(body.revision), such as comments or the order"
        }
        let title = "\(body.changes.count.counted("change")) to revision \(body.revision); nothing was applied"
        let blocks = subjects.map { block($0, palette) }
        return ([palette.paint(title, .heading)] + blocks + [conclusion]).joined(separator: "\n\n")
    }

    private var conclusion: String {
        let reasons = [
            effects.contains { $0.takesAway } ? "something is taken away (-)" : nil,
            effects.contains { $0.widens } ? "something is widened (+)" : nil,
        ].compactMap { $0 }
        return reasons.isEmpty
            ? "nothing is taken away or widened: `apply` needs no `--confirm`"
            : reasons.joined(separator: " and ") + ": `apply` needs `--confirm`"
    }

    /// The offers in the order of their first change; `nil` is the products.
    private var subjects: [OfferId?] {
        body.changes.map(\.offerId).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func block(_ offerId: OfferId?, _ palette: Palette) -> String {
        let changes = zip(body.changes, effects).filter { $0.0.offerId == offerId }
        let next = changes.dropFirst().map { $0.1.words } + [""]
        let title = palette.paint(offerId?.rawValue.printable ?? "products", .heading)
        let audience = offerId.flatMap { catalog?.offer($0) }.map { "  for " + AudienceText.line($0).printable }
        return
            ([title] + (audience.map { [$0] } ?? [])
            + zip(changes, next).flatMap { lines($0.0, $0.1, isLast: $0.1.words != $1, palette) })
            .joined(separator: "\n")
    }

    /// What several changes in a row mean is said once, below the last.
    private func lines(
        _ change: CatalogChange, _ effect: CatalogEffect, isLast: Bool, _ palette: Palette
    ) -> [String] {
        let mark = palette.paint(effect.mark, effect.takesAway ? .bad : effect.widens ? .unsure : .quiet)
        guard let path = change.path else {
            return ["  \(mark) \(change.change.printable): \(effect.words)"]
        }
        let difference = "\(path): \(Self.value(change.from)) → \(Self.value(change.to))".printable
        return ["  \(mark) \(difference)"] + (isLast ? ["      \(effect.words)"] : [])
    }

    private static func value(_ text: String?) -> String {
        text.flatMap { $0.isEmpty ? nil : $0 } ?? "none"
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
            rows: body.changes.map { [$0.offerId?.rawValue, $0.change, $0.path, $0.from, $0.to] })
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
        let undoing = try await client.put(client.revision(before).body.file, from: current.tag, isPlan: true)
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
