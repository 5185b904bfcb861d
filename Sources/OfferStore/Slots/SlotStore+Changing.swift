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
    ) throws -> [ChangedSlot] {
        let table = LedgerTable.issuedOffer
        let before = try transaction.rows(
            Statement("SELECT \(table.stateColumns), scope_id FROM issued_offer WHERE \(condition)", values: values))
        guard !before.isEmpty else { return [] }
        let log = try AuditLog(transaction)
        var states: [Int64: AuditValues] = [:]
        for row in before { states[try row.value(0)] = try log.state(table, row) }
        let after = try transaction.rows(
            Statement(
                "UPDATE issued_offer SET \(change) WHERE \(condition) RETURNING \(table.stateColumns), scope_id",
                values: values + changes)
        ).map { row in
            ChangedSlot(
                sequence: try row.value(0), scope: try row.value(row.values.count - 1),
                state: try log.state(table, row))
        }
        transaction.memory?.forgetEnds()
        let changed = after.sorted { $0.sequence < $1.sequence }
        for slot in changed {
            let told = slot.state.differences(from: states[slot.sequence] ?? [:])
            log.record(
                kind, at: now, in: slot.scope, issuedOffer: slot.sequence, before: told.before, after: told.after)
        }
        return changed
    }

    /// A slot that was changed, with its columns that change as events tell of them.
    struct ChangedSlot {
        let sequence: Int64
        let scope: ScopeNumber
        let state: AuditValues
    }
}
