import OfferAPI
import OfferModel

/// What applying a catalog changed, for people.
enum CatalogText {
    /// The revision, then one row a difference.
    ///
    /// - Parameter old: the revision in force before; another text with the same offers makes a new one too.
    static func applied(_ body: CatalogAppliedBody, after old: Int?, palette: Palette) -> String {
        guard !body.changes.isEmpty else {
            return body.revision == old
                ? unchanged(body.revision)
                : "revision \(body.revision) is in force: only the text changed, such as comments or the order; no offer did"
        }
        let count = "\(body.changes.count) change\(body.changes.count == 1 ? "" : "s")"
        let title = "revision \(body.revision) is in force: \(count)"
        var table = TextTable(["OFFER", "CHANGE", "FIELD", "FROM", "TO"])
        for change in body.changes {
            table.add([change.offerId?.rawValue, change.change, change.path, change.from, change.to])
        }
        return ([palette.paint(title, .heading), ""] + table.lines(palette)).joined(separator: "\n")
    }

    /// The document in force is the one that was given.
    static func unchanged(_ revision: Int) -> String {
        "nothing changes: revision \(revision) is this very text"
    }

    /// One row a revision.
    static func revisions(_ revisions: [CatalogRevisionBody]) -> TextTable {
        var table = TextTable(["REVISION", "APPLIED", "BY", "MESSAGE"])
        for revision in revisions {
            table.add([
                String(revision.revision), TimeText.absolute(revision.createdAt), revision.actor, revision.message,
            ])
        }
        return table
    }

    /// `revision 3, applied 2026-12-01 00:00 UTC by key 7: spring offers`.
    static func headline(_ revision: CatalogRevisionBody) -> String {
        let message = revision.message.map { ": \($0)" } ?? ""
        let time = TimeText.absolute(revision.createdAt)
        return "revision \(revision.revision), applied \(time) by key \(revision.actor)\(message)".printable
    }
}
