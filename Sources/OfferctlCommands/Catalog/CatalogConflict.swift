import OfferAPI
import OfferModel

/// Somebody else applied a catalog in between: who, and what it changed.
struct CatalogConflict: Sendable {
    /// More changes than these are only counted.
    static let shownChanges = 10

    /// The server.
    let client: OfferdClient
    /// The catalog that the file was made from.
    let base: CatalogInForce

    /// What is known of the other change, then what to do; if the server will not tell, only that.
    func hints(file: String) async -> [String] {
        let story = (try? await story()) ?? ["somebody applied another catalog in between"]
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
        let undoing = try await client.plan(client.revision(before).body.file, from: current.tag)
        let changes = undoing.body.changes.map(\.undone)
        let rest = changes.count - Self.shownChanges
        return [headline] + changes.prefix(Self.shownChanges).map(\.sentence)
            + (rest > 0 ? ["it changed \(rest) more"] : [])
    }
}

extension CatalogChangeBody {
    /// The same difference the other way round.
    fileprivate var undone: CatalogChangeBody {
        let kind = ["added": "removed", "removed": "added"][change] ?? change
        return CatalogChangeBody(offerId: offerId, change: kind, path: path, from: to, to: from)
    }

    fileprivate var sentence: String {
        let subject = offerId.map { "`\($0.rawValue)`" } ?? "the products"
        guard let path else { return "it \(change) \(subject)" }
        let old = from.map { " from `\($0)`" } ?? ""
        let new = to.map { " to `\($0)`" } ?? ""
        return "it \(change) `\(path)` of \(subject)\(old)\(new)"
    }
}
