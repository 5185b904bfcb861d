import OfferModel

/// What a backfill says of itself.
enum BackfillText {
    /// One line in the middle of the work.
    static func progress(_ state: BackfillState, of count: Int?) -> String {
        let done = count.map { "\(state.done) of \($0) ids" } ?? plural(state.done, "page")
        return
            "\(done): \(state.fetched) \(count == nil ? "added" : "fetched"), \(state.known) known, \(state.refused) refused"
    }

    /// Where the work came to its end.
    static func summary(_ state: BackfillState, isOfCustomers: Bool) -> [String] {
        var lines =
            isOfCustomers
            ? [
                "\(plural(state.done, "id")): \(plural(state.fetched, "customer")) fetched, "
                    + "\(state.known) of customers fetched already, \(state.refused) refused",
                "of Apple's data: \(state.added) added, \(state.updated) updated, \(state.unchanged) unchanged",
            ]
            : [
                "\(plural(state.fetched + state.known + state.refused, "notification")) on "
                    + "\(plural(state.done, "page")): \(state.fetched) added, \(state.known) known, "
                    + "\(state.refused) refused"
            ]
        if state.incomplete > 0 {
            lines.append("\(plural(state.incomplete, "customer")) not complete")
        }
        lines += state.findings.map { finding in
            "  \(([finding.place, finding.id.map { "`\($0)`" }] as [String?]).compactMap(\.self).joined(separator: ", ")): "
                + finding.reason
        }
        let more = state.refused + state.incomplete - state.findings.count
        if more > 0 { lines.append("  and \(more) more") }
        return lines
    }

    private static func plural(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
