import OfferAPI
import OfferModel

/// What applying a catalog changed, for people.
enum CatalogText {
    /// The revision, then one row a difference.
    static func applied(_ body: CatalogAppliedBody, isDryRun: Bool, palette: Palette) -> String {
        guard !body.changes.isEmpty else {
            return "nothing changes: revision \(body.revision) says the same"
        }
        let count = "\(body.changes.count) change\(body.changes.count == 1 ? "" : "s")"
        let title =
            isDryRun
            ? "\(count) would be applied; nothing was written" : "revision \(body.revision) is in force: \(count)"
        var table = TextTable(["OFFER", "CHANGE", "FIELD", "FROM", "TO"])
        for change in body.changes {
            table.add([change.offerId?.rawValue, change.change, change.path, change.from, change.to])
        }
        return ([palette.paint(title, .heading), ""] + table.lines(palette)).joined(separator: "\n")
    }
}
