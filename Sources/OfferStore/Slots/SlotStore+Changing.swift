import OfferModel

extension SlotStore {
    /// Changes slots and tells the audit what changed, one event a slot. Nothing else updates `issued_offer`, but a
    /// merge's change of owner, which the event of the merge tells.
    ///
    /// - Parameters:
    ///   - condition: which slots; its placeholders begin at `?1`.
    ///   - values: for the condition's placeholders.
    ///   - change: the assignments; their placeholders go on after the condition's.
    ///   - changes: for the assignments' placeholders.
    /// - Returns: the changed rows as the audit sees them, the earliest first.
    @discardableResult
    func change(
        _ kind: AuditKind, where condition: String, _ values: [StoredValue], set change: String,
        _ changes: [StoredValue], at now: Instant
    ) throws -> [LedgerRow] {
        let table = LedgerTable.issuedOffer
        let before = try transaction.rows(
            Statement("SELECT \(table.columns) FROM issued_offer WHERE \(condition)", values: values))
        guard !before.isEmpty else { return [] }
        let log = try AuditLog(transaction)
        var states: [StoredValue: AuditValues] = [:]
        for row in before {
            let slot = try log.row(table, row)
            states[slot.reference.key] = slot.state
        }
        let after = try transaction.rows(
            Statement(
                "UPDATE issued_offer SET \(change) WHERE \(condition) RETURNING \(table.columns)",
                values: values + changes)
        ).map { (row: try log.row(table, $0), scope: try $0.value(2, as: ScopeNumber.self)) }
        transaction.memory?.forgetEnds()
        let changed = after.sorted { ($0.row.sequence ?? 0) < ($1.row.sequence ?? 0) }
        for (slot, scope) in changed {
            let told = slot.state.differences(from: states[slot.reference.key] ?? [:])
            log.record(
                kind, at: now, in: scope, issuedOffer: slot.sequence, before: told.before, after: told.after)
        }
        return changed.map(\.row)
    }
}
