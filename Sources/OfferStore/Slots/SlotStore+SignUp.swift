import OfferEligibility
import OfferModel

extension SlotStore {
    /// Notes for which of the app's accounts a slot was issued. The event that issued the slot covers the row.
    func keep(_ slot: Slot, of sequence: Int64, in scope: ScopeNumber) throws {
        guard let signUp = slot.signUp, !signUp.isUnknown else { return }
        let table = LedgerTable.issuedOfferSignUp
        let inserted: [StoredValue] = [
            .integer(sequence), signUp.appAccountToken.storedValue, signUp.customerId.storedValue,
        ]
        try transaction.execute(Statement(table.insertSQL, values: inserted))
        try AuditLog(transaction).cover(
            table, inserted: inserted, of: slot.id, otherwise: .issue, at: slot.issuedAt, in: scope)
    }

    /// The columns of a slot, with those that stand beside its row.
    static let readColumns = """
        \(slotColumns), \
        (SELECT app_account_token FROM issued_offer_sign_up s WHERE s.sequence = issued_offer.sequence), \
        (SELECT app_customer_id FROM issued_offer_sign_up s WHERE s.sequence = issued_offer.sequence)
        """
}

extension SignUp {
    /// The last of ``SlotStore/readColumns``; `nil` if none was known, or an erasure has taken it away.
    init?(reading row: inout RowReader) throws {
        self.init(
            appAccountToken: try row.next(ErasableColumn.self).value,
            customerId: try row.next(ErasableColumn.self).value)
        if isUnknown { return nil }
    }
}

/// A column that an erasure may have left a digest in.
private struct ErasableColumn<Value: Storable>: Storable {
    let value: Value?

    var storedValue: StoredValue { value.storedValue }

    init?(storedValue: StoredValue) {
        if storedValue == .null || LedgerDigests.remains(of: storedValue) != nil {
            value = nil
        } else {
            guard let value = Value(storedValue: storedValue) else { return nil }
            self.value = value
        }
    }
}
