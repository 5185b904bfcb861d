import CommandLineSupport
import OfferAPI
import OfferModel
import OfferWords

/// A customer for support. A pure function of the answer.
struct CustomerText {
    let palette: Palette
    let now: Instant

    func story(_ body: CustomerDetails) -> String {
        let sections =
            identifiers(body.customers) + [
                section("Attributes", attributes(body.attributes), "none"),
                coverage(body.coverage),
                section("Subscriptions", subscriptions(body.subscriptions), "none known"),
                section("Transactions", transactions(body.transactions), "none known")
                    + (body.olderTransactions.map { "\n  and \($0) older" } ?? ""),
                section("Issued offers", IssuedText.table(body.issuedOffers, now: now), "none"),
                grants(body.grants ?? []),
                section("Timeline", timeline(body.timeline), "nothing yet"),
            ]
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Few customers have any.
    private func grants(_ items: [GrantView]) -> String {
        items.isEmpty ? "" : section("Grants", GrantText.table(items), "none")
    }

    private func identifiers(_ customers: [KnownIdentifiers]) -> [String] {
        customers.enumerated().map { index, customer in
            let title = customers.count == 1 ? "Customer" : "Customer \(index + 1) of \(customers.count)"
            let table = TextTable(
                ["IDENTIFIER", "VALUE", "SINCE", "KNOWN"], endsInDetail: true,
                rows: (customer.identifiers ?? []).map { [$0.kind, $0.value, TimeText.absolute($0.since), origin($0)] })
            return section(title, table, "no identifiers")
        }
    }

    /// `from signed data sent by the app, transaction 7040000003001`.
    private func origin(_ identifier: IdentifierOrigin) -> String {
        [
            EvidenceText.source(identifier.provenance),
            identifier.transactionId.map { "transaction \($0.rawValue)" },
            identifier.requestId.map { "request \($0)" },
        ].compactMap { $0 }.joined(separator: ", ")
    }

    private func attributes(_ values: [String: FactValue]) -> TextTable {
        TextTable(
            ["NAME", "VALUE"], rows: values.sorted { $0.key < $1.key }.map { [$0.key, EvidenceText.text($0.value)] })
    }

    func coverage(_ coverage: Coverage) -> String {
        let asOf = coverage.asOf.map { ", as of " + TimeText.absolute($0, now: now) } ?? ""
        let source = coverage.provenance.map { ", " + EvidenceText.source($0) } ?? ""
        return palette.paint("History", .heading) + ": " + (coverage.level.rawValue + asOf + source).printable
    }

    private func subscriptions(_ items: [SubscriptionSummary]) -> TextTable {
        TextTable(
            ["GROUP", "STATE", "ACCESS", "RENEWS", "PRODUCT", "EXPIRES", "CANCEL BY", "SHOWN BY"],
            rows: items.map { item in
                [
                    item.subscriptionGroupIdentifier.rawValue,
                    item.state?.rawValue ?? "undetermined" + (item.undeterminedBecause.map { " (\($0))" } ?? ""),
                    item.hasAccess.map(yesOrNo), item.willAutoRenew.map(yesOrNo), item.productId?.rawValue,
                    item.expiresDate.map { TimeText.absolute($0, now: now) },
                    item.lastMomentToCancel.map { TimeText.absolute($0, now: now) }, item.transactionId?.rawValue,
                ]
            })
    }

    private func transactions(_ items: [TransactionSummary]) -> TextTable {
        TextTable(
            ["PURCHASED", "PRODUCT", "EXPIRES", "PRICE", "REVOKED", "TRANSACTION", "SOURCE", "OFFER"], optional: [6],
            endsInDetail: true,
            rows: items.map { item in
                [
                    TimeText.absolute(item.purchaseDate), item.productId.rawValue,
                    item.expiresDate.map(TimeText.absolute), item.price, item.revocationDate.map(TimeText.absolute),
                    item.transactionId.rawValue, item.provenance.rawValue, offer(item),
                ]
            })
    }

    private func timeline(_ entries: [TimelineEntry]) -> TextTable {
        TextTable(
            ["WHEN", "WHAT", "STORY"], endsInDetail: true,
            rows: entries.map { [TimeText.absolute($0.at), $0.kind, TimeText.readable($0.message)] })
    }

    private func section(_ title: String, _ table: TextTable, _ nothing: String) -> String {
        guard !table.isEmpty else { return palette.paint(title, .heading) + ": " + nothing }
        return ([palette.paint(title, .heading)] + table.lines(palette, indent: 2)).joined(separator: "\n")
    }

    private func offer(_ item: TransactionSummary) -> String? {
        let kind =
            switch item.offerType.map(TransactionOfferType.init(rawValue:)) {
            case nil: String?.none
            case .introductory?: "introductory"
            case .promotional?: "promotional"
            case .offerCode?: "offer code"
            case .winBack?: "win-back"
            case .retention?: "retention"
            case .some(let unknown): "type \(unknown.rawValue)"
            }
        let words = [kind, item.offerIdentifier?.rawValue].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private func yesOrNo(_ flag: Bool) -> String { flag ? "yes" : "no" }
}

struct RefreshText {
    let palette: Palette
    let now: Instant

    func story(_ body: RefreshReport) -> String {
        let counts = [
            ("transactions", body.transactions), ("renewal infos", body.renewalInfos),
            ("app transactions", body.appTransactions),
        ]
        let table = TextTable(
            ["FROM APPLE", "ADDED", "UPDATED", "UNCHANGED", "REFUSED"],
            rows: counts.map { [$0] + [$1.added, $1.updated, $1.unchanged, $1.refused].map { String($0) } })
        let coverage = CustomerText(palette: palette, now: now).coverage(body.coverage)
        let sections = [table.lines(palette).joined(separator: "\n"), coverage]
        return (sections + body.customers.map(identifiers)).joined(separator: "\n\n")
    }

    private func identifiers(_ customer: KnownIdentifiers) -> String {
        var fields = FieldList()
        fields.add("originalTransactionId", customer.originalTransactionIds.map(\.rawValue))
        fields.add("appTransactionId", customer.appTransactionId?.rawValue)
        fields.add("appAccountToken", customer.appAccountTokens.map(\.description))
        fields.add("customerId", customer.customerIds.map(\.rawValue))
        return fields.lines(palette).joined(separator: "\n")
    }

    /// Why the history does not count as complete, and what was refused.
    func warnings(_ body: RefreshReport) -> [String] {
        body.gaps.map { "warning: not complete: \($0.detail.printable)" }
            + body.refused.map { "warning: refused at \($0.path.printable): \($0.detail.printable)" }
    }
}
