import CommandLineSupport
import OfferAPI
import OfferModel

/// A customer for support. A pure function of the answer.
struct CustomerText {
    let palette: Palette
    /// What "3 days ago" counts from.
    let now: Instant

    /// Identifiers, attributes, coverage, subscriptions, transactions, issued offers, timeline; what is empty says so.
    func story(_ body: CustomersBody) -> String {
        let sections =
            identifiers(body.customers) + [
                section("Attributes", attributes(body.attributes), "none"),
                coverage(body.coverage),
                section("Subscriptions", subscriptions(body.subscriptions), "none known"),
                section("Transactions", transactions(body.transactions), "none known")
                    + (body.olderTransactions.map { "\n  and \($0) older" } ?? ""),
                section("Issued offers", issuedOffers(body.issuedOffers), "none"),
                section("Timeline", timeline(body.timeline), "nothing yet"),
            ]
        return sections.joined(separator: "\n\n")
    }

    private func identifiers(_ customers: [KnownCustomerBody]) -> [String] {
        customers.enumerated().map { index, customer in
            let title = customers.count == 1 ? "Customer" : "Customer \(index + 1) of \(customers.count)"
            var table = TextTable(["IDENTIFIER", "VALUE", "SINCE", "KNOWN"])
            for identifier in customer.identifiers {
                table.add([
                    identifier.kind, identifier.value, TimeText.absolute(identifier.since), origin(identifier),
                ])
            }
            return section(title, table, "no identifiers")
        }
    }

    /// `from signed data sent by the app, transaction 7040000003001`.
    private func origin(_ identifier: IdentifierOriginBody) -> String {
        [
            EvidenceText.source(identifier.provenance),
            identifier.transactionId.map { "transaction \($0.rawValue)" },
            identifier.requestId.map { "request \($0)" },
        ].compactMap { $0 }.joined(separator: ", ")
    }

    private func attributes(_ values: [String: FactValue]) -> TextTable {
        var table = TextTable(["NAME", "VALUE"])
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            table.add([name, EvidenceText.text(value)])
        }
        return table
    }

    func coverage(_ coverage: CoverageBody) -> String {
        let asOf = coverage.asOf.map { ", as of " + TimeText.absolute($0, now: now) } ?? ""
        let source = coverage.provenance.map { ", " + EvidenceText.source($0) } ?? ""
        return palette.paint("History", .heading) + ": " + (coverage.level + asOf + source).printable
    }

    private func subscriptions(_ items: [SubscriptionBody]) -> TextTable {
        var table = TextTable(["GROUP", "STATE", "ACCESS", "RENEWS", "PRODUCT", "EXPIRES", "CANCEL BY", "SHOWN BY"])
        for item in items {
            table.add([
                item.subscriptionGroupIdentifier.rawValue,
                item.state?.rawValue ?? "undetermined" + (item.undeterminedBecause.map { " (\($0))" } ?? ""),
                item.hasAccess.map(yesOrNo), item.willAutoRenew.map(yesOrNo), item.productId?.rawValue,
                item.expiresDate.map { TimeText.absolute($0, now: now) },
                item.lastMomentToCancel.map { TimeText.absolute($0, now: now) }, item.transactionId?.rawValue,
            ])
        }
        return table
    }

    private func transactions(_ items: [TransactionSummaryBody]) -> TextTable {
        var table = TextTable([
            "PURCHASED", "PRODUCT", "EXPIRES", "OFFER", "PRICE", "REVOKED", "TRANSACTION", "SOURCE",
        ])
        for item in items {
            table.add([
                TimeText.absolute(item.purchaseDate), item.productId.rawValue,
                item.expiresDate.map(TimeText.absolute), offer(item), item.price,
                item.revocationDate.map(TimeText.absolute), item.transactionId.rawValue, item.provenance.rawValue,
            ])
        }
        return table
    }

    private func issuedOffers(_ items: [IssuedOfferBody]) -> TextTable {
        var table = TextTable(["ISSUED", "OFFER", "STATE", "PRODUCT", "SIGNATURES UNTIL", "ID"])
        for item in items {
            table.add([
                TimeText.absolute(item.issuedAt), item.offerId.rawValue, item.state.rawValue, item.productId.rawValue,
                TimeText.absolute(item.expiresAt, now: now), item.issuedOfferId.description,
            ])
        }
        return table
    }

    private func timeline(_ entries: [TimelineEntryBody]) -> TextTable {
        var table = TextTable(["WHEN", "WHAT", "STORY"])
        for entry in entries {
            table.add([TimeText.absolute(entry.at), entry.kind, entry.message])
        }
        return table
    }

    private func section(_ title: String, _ table: TextTable, _ nothing: String) -> String {
        guard !table.isEmpty else { return palette.paint(title, .heading) + ": " + nothing }
        return ([palette.paint(title, .heading)] + table.lines(palette).map { "  " + $0 }).joined(separator: "\n")
    }

    /// Apple's numbers of the kinds of offers, in words.
    private func offer(_ item: TransactionSummaryBody) -> String? {
        let kind =
            switch item.offerType.map(TransactionOfferType.init(rawValue:)) {
            case nil: String?.none
            case .introductory?: "introductory"
            case .promotional?: "promotional"
            case .offerCode?: "offer code"
            case .winBack?: "win-back"
            case .some(let unknown): "type \(unknown.rawValue)"
            }
        let words = [kind, item.offerIdentifier?.rawValue].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private func yesOrNo(_ flag: Bool) -> String { flag ? "yes" : "no" }
}

/// The outcome of a refresh, for people. A pure function of the answer.
struct RefreshText {
    let palette: Palette
    /// What "3 days ago" counts from.
    let now: Instant

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
