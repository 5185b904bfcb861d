import OfferModel

/// Reads the history of a case: Apple's decoded payloads, in which what is left out is made up.
///
/// Each row may name its `provenance`, else the history's holds, else `serverAPI`.
struct CaseHistoryReader {
    private static let keys = [
        "provenance", "transactions", "renewalInfos", "appTransactions", "complete", "completeAsOf",
    ]

    let source: CaseOffers

    func read(_ field: Field) -> CaseHistory? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let provenance = mapping.choice("provenance", Provenance.self, default: .serverAPI)
        guard let provenance else { return nil }
        let transactions = rows(mapping, "transactions", provenance, CaseTransactionReader(source: source).read)
        let renewalInfos = rows(mapping, "renewalInfos", provenance, CaseRenewalInfoReader(source: source).read)
        let appTransactions = rows(mapping, "appTransactions", provenance, appTransaction)
        let isComplete = mapping.value("complete", default: false) { $0.boolean() }
        let completeAsOf = mapping.optional("completeAsOf")?.caseInstant()
        guard let transactions, let renewalInfos, let appTransactions, let isComplete else { return nil }
        if !isComplete {
            mapping.refuse(
                key: "completeAsOf", .notAllowed, "`completeAsOf` goes with `complete: true` only",
                hint: "add `complete: true`, or leave it out")
        }
        return CaseHistory(
            transactions: transactions, renewalInfos: renewalInfos, appTransactions: appTransactions,
            isComplete: isComplete, completeAsOf: completeAsOf)
    }

    private func rows<Payload: Sendable & Hashable>(
        _ mapping: Mapping, _ key: String, _ provenance: Provenance, _ read: (Field) -> CaseRow<Payload>.Read?
    ) -> [CaseRow<Payload>]? {
        mapping.value(key, default: []) { field in
            guard let fields = field.list(allowsEmpty: true) else { return nil }
            let rows = fields.compactMap { field in
                read(field).map { CaseRow($0.payload, provenance: $0.provenance ?? provenance) }
            }
            return rows.count == fields.count ? rows : nil
        }
    }

    private func appTransaction(_ field: Field) -> CaseRow<AppTransaction>.Read? {
        let keys = ["appTransactionId", "receiptCreationDate", "originalPurchaseDate", "provenance"]
        guard let mapping = field.mapping(keys) else { return nil }
        let id = mapping.required("appTransactionId")?.text(.transactionId)
        let created = mapping.required("receiptCreationDate")?.caseInstant()
        guard let id, let created else { return nil }
        var app = AppTransaction(
            bundleId: source.catalog?.bundleId ?? CaseWorld.bundleId, receiptCreationDate: created)
        app.appTransactionId = AppTransactionId(id)
        app.originalPurchaseDate = mapping.optional("originalPurchaseDate")?.caseInstant()
        return CaseRow.Read(payload: app, provenance: mapping.optional("provenance")?.choice(Provenance.self))
    }
}

extension CaseRow {
    /// A row as it is written: without a provenance it has the history's.
    struct Read {
        var payload: Payload
        var provenance: Provenance?
    }
}
