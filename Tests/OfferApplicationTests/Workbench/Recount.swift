import OfferAPI
import OfferEligibility
import OfferModel
import OfferStore

/// What the counters should show, counted anew from histories and slots by the rules of docs/design.md#issued-offers-and-limits.
struct Recount: Equatable {
    /// Places and money by offer and unit.
    var amounts: [String: Int64] = [:]
    /// Redemptions without a slot by name and product.
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
                slots: try SlotStore(transaction).slots(of: [customer]))
            facts.keptEvidence = try KeptEvidenceStore(transaction).evidence(of: [customer])
            let redemptions = try ForeignSlots(transaction, of: customer).matching(facts.redemptions())
            for redemption in redemptions {
                recount.redemptions.insert("\(customer.rawValue) \(redemption)")
                guard redemption.slotId == nil else { continue }
                let name = redemption.offerType == .introductory ? "" : redemption.offerIdentifier?.rawValue ?? ""
                recount.unmatched["\(redemption.offerType.rawValue) \(name) \(redemption.productId)", default: 0] += 1
            }
            let byOthers = try RedemptionStore(transaction).usesByOthers(of: [customer])
            for slot in facts.slots {
                let uses =
                    redemptions.count { $0.slotId == slot.id } + byOthers.count { $0.redemption.slotId == slot.id }
                let places = try uses > 0 ? uses : isOffTheCounter(slot, transaction) ? 0 : 1
                guard places > 0 else { continue }
                recount.amounts["\(slot.offerId) places", default: 0] += Int64(places)
                if let cost = slot.cost, cost.milliunits > 0 {
                    recount.amounts["\(slot.offerId) \(cost.currency)", default: 0] += cost.milliunits * Int64(places)
                }
            }
        }
        return recount
    }

    /// Released, or passed and settled; which passed slots are settled already is the store's own affair.
    private static func isOffTheCounter(_ slot: Slot, _ transaction: any StoreTransaction) throws -> Bool {
        if slot.isReleased { return true }
        guard let settledAt = slot.settledAt, settledAt >= slot.countsUntil else { return false }
        let row = try transaction.row(Statement("SELECT places FROM issued_offer WHERE id = ?1", slot.id))
        return try row?.value(0) == 0
    }

    private static func customers(_ transaction: any StoreTransaction) throws -> [CustomerNumber] {
        try transaction.rows(Statement("SELECT id FROM customer WHERE merged_into IS NULL"))
            .map { CustomerNumber(rawValue: try $0.value(0)) }
    }
}
