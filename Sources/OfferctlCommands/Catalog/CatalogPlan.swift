import OfferAPI
import OfferCatalog
import OfferModel

/// What a document would change, in words: which offers, for whom, and what may be lost.
struct CatalogPlan: Sendable {
    private let body: CatalogAppliedBody
    private let effects: [CatalogEffect]
    private let catalog: Catalog?
    private let isSameText: Bool

    /// A plan by the server's answer.
    ///
    /// - Parameters:
    ///   - file: the document; where this version of offerctl can read it, the plan says for whom each offer is.
    ///   - inForce: the catalog it was compared with.
    init(_ body: CatalogAppliedBody, of file: CatalogFile, inForce: CatalogInForce) {
        self.body = body
        effects = body.changes.map(CatalogEffect.init)
        catalog = file.document?.value
        isSameText = inForce.document == file.bytes
    }

    /// Whether anything changes.
    var hasChanges: Bool { !body.changes.isEmpty }

    /// Whether somebody must say that what is taken away or widened is meant.
    var needsConfirmation: Bool { effects.contains(where: \.needsConfirmation) }

    /// The plan for people.
    func text(_ palette: Palette) -> String {
        guard hasChanges else {
            return isSameText
                ? CatalogText.unchanged(body.revision)
                : "no offer changes: only the text differs from revision \(body.revision), such as comments or the order"
        }
        let count = body.changes.count
        let title = "\(count) change\(count == 1 ? "" : "s") to revision \(body.revision); nothing was applied"
        let blocks = subjects.map { offerId in block(offerId, palette) }
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
        _ change: CatalogChangeBody, _ effect: CatalogEffect, isLast: Bool, _ palette: Palette
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
