import OfferEligibility

extension SlotStore {
    /// Notes for which of the app's accounts a slot was issued. It stands beside the slot's row, so that an erasure can
    /// delete it and the row stays as the audit knows it.
    func keep(_ signUp: SignUp?, of sequence: Int64) throws {
        guard let signUp, !signUp.isUnknown else { return }
        try transaction.execute(
            Statement(
                """
                INSERT INTO issued_offer_sign_up (sequence, app_account_token, app_customer_id) VALUES (?1, ?2, ?3)
                """, sequence, signUp.appAccountToken, signUp.customerId))
    }

    /// The columns of a slot, with those that stand beside its row.
    static let readColumns = """
        \(slotColumns), \
        (SELECT app_account_token FROM issued_offer_sign_up s WHERE s.sequence = issued_offer.sequence), \
        (SELECT app_customer_id FROM issued_offer_sign_up s WHERE s.sequence = issued_offer.sequence)
        """
}
