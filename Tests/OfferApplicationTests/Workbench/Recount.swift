import OfferAPI
import OfferModel
import OfferStore

/// What the counters should show, counted anew from histories and issued offers by the rules of
/// docs/design.md#issued-offers-and-limits.
struct Recount: Equatable {
    /// Places and money by offer and unit.
    var amounts: [String: Int64] = [:]
    /// Redemptions without an issued offer by name and product.
    var unmatched: [String: Int64] = [:]
    /// Each redemption in the words of a row.
    var redemptions: Set<String> = []

    static func stored(_ transaction: any StoreTransaction) throws -> Recount {
        var recount = Recount()
        for row in try transaction.rows(
            Statement("SELECT offer_id || ' ' || unit, amount FROM offer_counter WHERE amount <> 0"))
        {
            recount.amounts[try row.value(0)] = try row.value(1)
        }
        for row in try transaction.rows(
            Statement(
                """
                SELECT offer_type || ' ' || offer_identifier || ' ' || product_id, amount FROM redemption_counter
                WHERE amount <> 0
                """))
        {
            recount.unmatched[try row.value(0)] = try row.value(1)
        }
        for customer in try customers(transaction) {
            for row in try RedemptionStore(transaction).redemptions(of: customer) {
                recount.redemptions.insert("\(customer.rawValue) \(row.redemption)")
            }
        }
        return recount
    }

    static func again(_ transaction: any StoreTransaction) throws -> Recount {
        var recount = Recount()
        for customer in try customers(transaction) {
            var facts = SubjectFacts(
                history: try HistoryStore(transaction).history(of: [customer]),
                issuedOffers: try IssuedOfferStore(transaction).issuedOffers(of: [customer]))
            facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: [customer])
            let redemptions = try ForeignIssuedOffers(transaction, of: customer).matching(facts.redemptions())
            for redemption in redemptions {
                recount.redemptions.insert("\(customer.rawValue) \(redemption)")
                guard redemption.issuedOfferId == nil else { continue }
                let name = redemption.offerType == .introductory ? "" : redemption.offerIdentifier?.rawValue ?? ""
                recount.unmatched["\(redemption.offerType.rawValue) \(name) \(redemption.productId)", default: 0] += 1
            }
            let byOthers = try RedemptionStore(transaction).usesByOthers(of: [customer])
            for issuedOffer in facts.issuedOffers {
                let uses =
                    redemptions.count { $0.issuedOfferId == issuedOffer.id }
                    + byOthers.count { $0.redemption.issuedOfferId == issuedOffer.id }
                // The one use that a grant gave takes no place and no money.
                let places =
                    issuedOffer.grantId != nil
                    ? uses - 1 : try uses > 0 ? uses : isOffTheCounter(issuedOffer, transaction) ? 0 : 1
                guard places > 0 else { continue }
                recount.amounts["\(issuedOffer.offerId) places", default: 0] += Int64(places)
                if let cost = issuedOffer.cost, cost.milliunits > 0 {
                    recount.amounts["\(issuedOffer.offerId) \(cost.currency)", default: 0] +=
                        cost.milliunits * Int64(places)
                }
            }
        }
        return recount
    }

    /// Released, or passed and settled; which passed issued offers are settled already is the store's own affair.
    private static func isOffTheCounter(_ issuedOffer: IssuedOffer, _ transaction: any StoreTransaction) throws -> Bool
    {
        if issuedOffer.isReleased { return true }
        guard let settledAt = issuedOffer.settledAt, settledAt >= issuedOffer.countsUntil else { return false }
        let row = try transaction.row(Statement("SELECT places FROM issued_offer WHERE id = ?1", issuedOffer.id))
        return try row?.value(0) == 0
    }

    private static func customers(_ transaction: any StoreTransaction) throws -> [CustomerNumber] {
        try transaction.rows(Statement("SELECT id FROM customer WHERE merged_into IS NULL"))
            .map { CustomerNumber(rawValue: try $0.value(0)) }
    }
}
