extension RoundCheck {
    /// Holds the rows to the model, and the model to the limits.
    mutating func checkRows() {
        if rows.slots.count != state.ledger.slots.count {
            problems.append("\(rows.slots.count) slots are stored, \(state.ledger.slots.count) in the model")
        }
        for slot in state.ledger.slots {
            guard let row = rows.slots[slot.id] else {
                problems.append("\(slot.id) is not stored")
                continue
            }
            let expected = LedgerRows.Slot(
                sequence: row.sequence, offer: slot.offer, issuedAt: slot.issuedAt, expiresAt: slot.expiresAt,
                countsUntil: slot.countsUntil,
                signings: slot.signings, voidedAt: slot.voidedAt, voidReason: row.voidReason,
                isReleased: slot.isReleased)
            if row != expected { problems.append("\(slot.id) is stored as \(row), the model has \(expected)") }
            if state.signatures[slot.id]?.count != slot.signings {
                problems.append("\(slot.id) has the signings \(state.signatures[slot.id]?.keys.sorted() ?? [])")
            }
        }
        problems += state.ledger.overruns(at: instants.last ?? 0).map { "more than allowed (invariant 2): \($0)" }
    }
}
