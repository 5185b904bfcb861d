import OfferAPI
import OfferModel

/// What asking Apple came to, for people. A pure function of the answer.
struct RefreshText: Sendable {
    /// Colours or none.
    let palette: Palette
    /// What "3 days ago" counts from.
    let now: Instant

    /// What became of what Apple gave, how much is known now, and of whom.
    func story(_ body: RefreshBody) -> String {
        var table = TextTable(["FROM APPLE", "ADDED", "UPDATED", "UNCHANGED", "REFUSED"])
        for (name, counts) in [
            ("transactions", body.transactions), ("renewal infos", body.renewalInfos),
            ("app transactions", body.appTransactions),
        ] {
            table.add([
                name, String(counts.added), String(counts.updated), String(counts.unchanged), String(counts.refused),
            ])
        }
        let coverage = CustomerText(palette: palette, now: now).coverage(body.coverage)
        let sections = [table.lines(palette).joined(separator: "\n"), coverage]
        return (sections + body.customers.map(identifiers)).joined(separator: "\n\n")
    }

    private func identifiers(_ customer: CustomerIdentifiersBody) -> String {
        var fields = FieldList()
        fields.add("originalTransactionId", list(customer.originalTransactionIds.map(\.rawValue)))
        fields.add("appTransactionId", customer.appTransactionId?.rawValue)
        fields.add("appAccountToken", list(customer.appAccountTokens.map(\.description)))
        fields.add("customerId", list(customer.customerIds.map(\.rawValue)))
        return fields.lines(palette).joined(separator: "\n")
    }

    private func list(_ values: [String]) -> String? {
        values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Why the history does not count as complete, and what was refused.
    func warnings(_ body: RefreshBody) -> [String] {
        body.gaps.map { "warning: not complete: \($0.detail.printable)" }
            + body.refused.map { "warning: refused at \($0.path.printable): \($0.detail.printable)" }
    }
}
