import OfferModel
import OfferStore

/// How some issued offers were used, and what was paid after them.
struct OfferUses {
    private(set) var redemptions: [LowercaseUUID: [Redemption]] = [:]
    private(set) var payments: [LowercaseUUID: [FullPricePayment]] = [:]

    /// Reads the history of each customer who used one, one after the other.
    ///
    /// - Parameter now: what was paid later does not count.
    init(of issued: [StoredIssuedOffer], at now: Instant, _ transaction: any StoreTransaction) throws {
        let used = try DatedRows(transaction).redemptions(of: issued)
        for (customer, rows) in Dictionary(grouping: used, by: \.customer).sorted(by: { $0.key < $1.key }) {
            let paid = FullPricePayments(try HistoryStore(transaction).history(of: [customer]))
            let all = try RedemptionStore(transaction).redemptions(of: customer).map(\.redemption)
            for redemption in rows.map(\.redemption) {
                guard let id = redemption.issuedOfferId else { continue }
                redemptions[id, default: []].append(redemption)
                payments[id, default: []] += paid.after(redemption, among: all, at: now)
            }
        }
    }
}
