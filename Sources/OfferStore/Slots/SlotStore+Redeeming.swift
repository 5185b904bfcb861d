import OfferModel

extension SlotStore {
    /// Notes how often each slot of a customer was redeemed, by whichever customer: as often as redemptions are recorded
    /// of it. A redeemed slot is settled and takes as many places as it has redemptions, for ever, also one that had passed
    /// or was released.
    func redeem(of customer: CustomerNumber, at now: Instant) throws {
        let slots = try transaction.rows(
            Statement(
                """
                SELECT id, redemptions,
                    (SELECT COUNT(*) FROM redemption r WHERE r.issued_offer_id = issued_offer.id)
                FROM issued_offer WHERE customer_id = ?1
                """, customer))
        var times: [LowercaseUUID: Int] = [:]
        for row in slots {
            let (noted, recorded): (Int, Int) = (try row.value(1), try row.value(2))
            if noted != recorded { times[try row.value(0)] = recorded }
        }
        for (id, known) in times.sorted(by: { $0.key < $1.key }) {
            try setUse(of: id, redemptions: known, .redemption, at: now) { use in
                use.redemptions > 0 ? use.redemptions : use.isReleased ? 0 : 1
            }
            guard known > 0 else { continue }
            try change(
                .settlement, where: "id = ?1 AND voided_at IS NULL AND settled_at IS NULL", [id.storedValue],
                set: "settled_at = ?2", [now.storedValue], at: now)
        }
    }

    /// Notes which slots of a customer were passed over: the customer bought at full price right after.
    ///
    /// - Returns: of how many that was not known.
    func noteFullPrice(
        _ purchases: [LowercaseUUID: TransactionId], of customer: CustomerNumber, at now: Instant
    ) throws -> Int {
        var news = 0
        for row in try transaction.rows(
            Statement(
                "SELECT id, full_price_transaction_id FROM issued_offer WHERE customer_id = ?1", customer))
        {
            let id: LowercaseUUID = try row.value(0)
            let noted: TransactionId? = try row.value(1)
            // An erased one stays noted: the purchase was made, and the history that showed it is gone.
            guard purchases[id] != noted, noted?.isErased != true else { continue }
            try change(
                .fullPrice, where: "id = ?1", [id.storedValue], set: "full_price_transaction_id = ?2",
                [purchases[id].storedValue], at: now)
            if noted == nil { news += 1 }
        }
        return news
    }
}
