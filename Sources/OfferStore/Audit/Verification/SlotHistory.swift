import OfferModel

/// What the events make of a slot, against its row.
struct SlotHistory {
    let transaction: any StoreTransaction
    /// Events after the one that issued it, the earliest first.
    let events: [AuditEvent]

    /// - Parameters:
    ///   - issue: the event that issued it.
    ///   - state: the row's columns that change, by the digests of a key.
    /// - Throws: ``BrokenRow``.
    func check(
        _ key: StoredValue, issue: AuditEvent, row state: (_ digestKey: String) throws -> AuditValues
    ) throws {
        var derived = try AuditValues(text: issue.after ?? "{}")
        // Each text is digested under the key of the event that told of it last.
        var keys: [String: String] = [:]
        for event in events {
            let before = try AuditValues(text: event.before ?? "{}")
            let after = try AuditValues(text: event.after ?? "{}")
            for told in before.members where (derived[told.name] ?? .null) != told.value {
                // Digests under two keys tell nothing of each other.
                if Self.erasable.contains(told.name), keys[told.name] ?? issue.digestKey != event.digestKey { continue }
                throw BrokenRow(
                    "audit_event", .integer(event.sequence),
                    "it changes `\(told.name)` of issued_offer \(key.shown) from \(told.value.shown), where the events "
                        + "before it make it \((derived[told.name] ?? .null).shown)")
            }
            for member in Self.erasable where after[member] != nil { keys[member] = event.digestKey }
            derived = derived.merging(after)
        }
        derived = derived.merging(["customer": try owner(try derived.value("customer"))])
        var states = [issue.digestKey: try state(issue.digestKey)]
        for column in LedgerTable.issuedOffer.state {
            let digestKey = keys[column.member] ?? issue.digestKey
            let found = try states[digestKey] ?? state(digestKey)
            states[digestKey] = found
            guard (found[column.member] ?? .null) != (derived[column.member] ?? .null) else { continue }
            let values =
                column.isErasable
                ? "is not what"
                : "is \((found[column.member] ?? .null).shown) and not "
                    + "\((derived[column.member] ?? .null).shown), as"
            throw BrokenRow(
                "issued_offer", key,
                "its `\(column.name)` \(values) the events make it; the row was changed, or its "
                    + "newest event was cut off")
        }
    }

    private static let erasable = Set(LedgerTable.issuedOffer.state.filter(\.isErasable).map(\.member))

    /// Whose a slot is now that was issued to a customer.
    private func owner(_ customer: Int64) throws -> Int64 {
        var owner = customer
        // Merges that were put in may lead in a circle; they are found and named after the slots.
        var seen: Set<Int64> = []
        while seen.insert(owner).inserted,
            let survivor = try transaction.row(
                Statement("SELECT survivor_id FROM customer_merge WHERE merged_id = ?1", owner))
        {
            owner = try survivor.value(0)
        }
        return owner
    }
}
