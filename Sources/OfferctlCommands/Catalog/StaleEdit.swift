import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

/// A file that would undo changes that the environment has and the file's origin had not.
struct StaleEdit {
    enum Origin {
        /// An earlier revision than the one in force.
        case revision(Int, inForce: Int)
        /// The app and environment of the export.
        case elsewhere(Scope, here: Scope)
    }

    let origin: Origin
    /// The changes that undo others, each with the revision that made what it undoes where that is not said by the
    /// origin; `nil` where it could not be found out.
    let undone: [CatalogChange: Int?]?
    /// An earlier revision that the file would bring back.
    var restored: Int?

    /// What it undoes, for a refusal.
    var what: String {
        switch origin {
        case .revision(let exported, _): "changes made since revision \(exported)"
        case .elsewhere(_, let here): "changes made in \(here.environment.rawValue)"
        }
    }

    private var title: String {
        switch origin {
        case .revision(let exported, let inForce):
            return "the file was exported from revision \(exported), and revision \(inForce) is in force; "
        case .elsewhere(let scope, let here):
            let place = scope.bundleId == here.bundleId ? scope.environment.rawValue : "\(scope)"
            let same = restored.map { ", and brings back revision \($0)" } ?? ""
            return "the file was exported from \(place)\(same); "
        }
    }

    func lines(of changes: [PlannedChange]) -> [String] {
        guard let undone else { return [title + "what applying it would undo could not be found out"] }
        let lines = changes.compactMap { change in
            undone[change.change].map { revision in
                let maker = revision.map { " (made by revision \($0))" } ?? ""
                return "  \(change.change.offerId?.rawValue.printable ?? "products"): \(change.line.printable)\(maker)"
            }
        }
        return [title + "applying it would undo:"] + lines
    }
}

extension OfferdClient {
    /// How many revisions before the one in force a file from elsewhere is compared with.
    private static let comparedRevisions = 10

    /// - Parameter changes: what the file would change.
    func staleEdit(_ file: CatalogFile, _ base: CatalogInForce, _ changes: [CatalogChange]) async -> StaleEdit? {
        guard !changes.isEmpty, let origin = CatalogOrigin(file.bytes), let inForce = base.revision,
            let here = scope.value, let there = origin.scope
        else { return nil }
        guard there == here else { return await undoing(from: there, here, base, inForce, changes) }
        guard origin.revision < inForce else { return nil }
        let place = StaleEdit.Origin.revision(origin.revision, inForce: inForce)
        guard let back = try? await self.changes(backTo: origin.revision, from: base) else {
            return StaleEdit(origin: place, undone: nil)
        }
        let undone = Set(back).intersection(changes)
        let map = Dictionary(undone.map { ($0, Int?.none) }) { first, _ in first }
        return undone.isEmpty ? nil : StaleEdit(origin: place, undone: map)
    }

    /// What would go back to an earlier revision is what came since: the server compares, so the words are its own.
    private func changes(backTo revision: Int, from base: CatalogInForce) async throws -> [CatalogChange] {
        try await put(self.revision(revision).body.file, from: base, isPlan: true).body.changes
    }

    /// Of what the file would change, what leads back to one of the last revisions here: then the next one made it.
    private func undoing(
        from there: Scope, _ here: Scope, _ base: CatalogInForce, _ inForce: Int, _ changes: [CatalogChange]
    ) async -> StaleEdit? {
        var edit = StaleEdit(origin: .elsewhere(there, here: here), undone: nil)
        var undone: [CatalogChange: Int?] = [:]
        for revision in stride(from: inForce - 1, to: max(0, inForce - 1 - Self.comparedRevisions), by: -1) {
            guard let back = try? await self.changes(backTo: revision, from: base) else { return edit }
            for change in Set(back).intersection(changes) where undone[change] == nil { undone[change] = revision + 1 }
            guard Set(back) != Set(changes) else {
                edit.restored = revision
                break
            }
            if undone.count == changes.count { break }
        }
        guard !undone.isEmpty else { return nil }
        return StaleEdit(origin: edit.origin, undone: undone, restored: edit.restored)
    }
}
