extension RoundCheck {
    /// Holds the rows to the model, and the model to the limits.
    mutating func checkRows() {
        if rows.issuedOffers.count != state.ledger.issuedOffers.count {
            problems.append(
                "\(rows.issuedOffers.count) issued offers are stored, \(state.ledger.issuedOffers.count) in the model")
        }
        for issuedOffer in state.ledger.issuedOffers {
            guard let row = rows.issuedOffers[issuedOffer.id] else {
                problems.append("\(issuedOffer.id) is not stored")
                continue
            }
            let expected = LedgerRows.IssuedOffer(
                sequence: row.sequence, offer: issuedOffer.offer, issuedAt: issuedOffer.issuedAt,
                expiresAt: issuedOffer.expiresAt,
                countsUntil: issuedOffer.countsUntil,
                signings: issuedOffer.signings, voidedAt: issuedOffer.voidedAt, voidReason: row.voidReason,
                isReleased: issuedOffer.isReleased)
            if row != expected { problems.append("\(issuedOffer.id) is stored as \(row), the model has \(expected)") }
            if state.signatures[issuedOffer.id]?.count != issuedOffer.signings {
                problems.append(
                    "\(issuedOffer.id) has the signings \(state.signatures[issuedOffer.id]?.keys.sorted() ?? [])")
            }
        }
        problems += state.ledger.overruns(at: instants.last ?? 0).map { "more than allowed (invariant 2): \($0)" }
    }
}
