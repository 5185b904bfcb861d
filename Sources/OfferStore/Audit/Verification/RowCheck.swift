import OfferModel

/// Proves that every row is as its event tells, that none is missing or put in, and that states are what events make them.
///
/// The chain must be proven already.
struct RowCheck {
    let transaction: any StoreTransaction
    let digests: (_ key: String) throws -> LedgerDigests
    /// What the events of erasures tell.
    let told: ErasedRows
    let progress: (Int64) -> Void

    /// - Throws: ``BrokenRow`` for the first row that is not as it should be.
    func run(_ report: inout LedgerReport) throws {
        do {
            try check(&report)
        } catch let broken as BrokenRow where broken.table == LedgerTable.issuedOffer.name {
            // A slot follows its customer: a merge that is not as it was has to be named, and not the slot.
            try checkMerges()
            throw broken
        }
    }

    private func checkMerges() throws {
        let merges = OrderedRows(.customerMerge, transaction)
        var events = AuditPages(AuditEvent.columns, of: "audit_event", key: "sequence", transaction)
        while let row = try events.next() {
            let event = try AuditEvent.read(row).event
            for reference in try event.references() where reference.table == LedgerTable.customerMerge.name {
                try merges.take(reference, of: event, digests: digests)
            }
        }
        try merges.finish()
    }

    private func check(_ report: inout LedgerReport) throws {
        var ordered: [String: OrderedRows] = [:]
        var few: [String: FewRows] = [:]
        for table in LedgerTable.all {
            if table.isOrdered {
                ordered[table.name] = OrderedRows(table, told: told, transaction)
            } else {
                few[table.name] = FewRows(table, transaction)
            }
        }
        var events = AuditPages(AuditEvent.columns, of: "audit_event", key: "sequence", transaction)
        var removed: Int64 = 0
        while let row = try events.next() {
            let event = try AuditEvent.read(row).event
            for reference in try event.references() {
                if let rows = ordered[reference.table] {
                    try rows.take(reference, of: event, digests: digests)
                } else if let rows = few[reference.table] {
                    try rows.take(reference, of: event, digests: digests)
                } else {
                    throw BrokenRow(
                        "audit_event", .integer(event.sequence),
                        "it covers a row of the unknown table `\(reference.table)`")
                }
            }
            try follow(event, few)
            removed += try self.removed(by: event)
            if event.sequence.isMultiple(of: 10_000) { progress(event.sequence) }
        }
        let found = ordered.values.reduce(0) { $0 + $1.erased } + few.values.reduce(0) { $0 + $1.erased }
        guard found <= removed.saturatingAdding(told.told) else {
            throw BrokenRow(
                "audit_event", .null,
                "\(found) texts are gone; the events `retention` tell of \(removed) and the events `erasure` of "
                    + "\(told.told)")
        }
        for table in LedgerTable.all {
            if let rows = ordered[table.name] {
                try rows.finish()
                report.rows[table.name] = rows.count
            }
            if let rows = few[table.name] {
                report.rows[table.name] = rows.count
                try rows.finish(digests: digests)
            }
        }
    }

    /// How many texts an event tells that retention removed.
    private func removed(by event: AuditEvent) throws -> Int64 {
        guard event.kind == .retention else { return 0 }
        return try AuditValues(text: event.after ?? "{}").value("erased")
    }

    /// What an event changes of a row that it does not cover anew.
    private func follow(_ event: AuditEvent, _ few: [String: FewRows]) throws {
        switch event.kind {
        case .resume:
            let after = try AuditValues(text: event.after ?? "{}")
            few[LedgerTable.pause.name]?.change(after["pause"] ?? .null, to: after)
        case .apiKeyRevoked:
            let after = try AuditValues(text: event.after ?? "{}")
            few[LedgerTable.apiKey.name]?.change(after["apiKey"] ?? .null, to: after)
        default: break
        }
    }
}
