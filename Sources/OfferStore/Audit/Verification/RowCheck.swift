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
        let merges = OrderedRows(.customerMerge, after: try beginning().beganAfter, transaction)
        var events = AuditPages(AuditEvent.columns, of: "audit_event", key: "sequence", after: 0, transaction)
        while let row = try events.next() {
            let event = try AuditEvent.read(row).event
            for reference in try event.references() where reference.table == LedgerTable.customerMerge.name {
                try merges.take(reference, of: event, digests: digests)
            }
        }
        try merges.finish()
    }

    private func check(_ report: inout LedgerReport) throws {
        let beginning = try beginning()
        var ordered: [String: OrderedRows] = [:]
        var few: [String: FewRows] = [:]
        for table in LedgerTable.all {
            if table.isOrdered {
                let first = table.name == LedgerTable.auditCheckpoint.name ? 0 : beginning.beganAfter
                ordered[table.name] = OrderedRows(table, after: first, told: told, transaction)
            } else {
                few[table.name] = FewRows(table, transaction)
            }
        }
        var events = AuditPages(AuditEvent.columns, of: "audit_event", key: "sequence", after: 0, transaction)
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
        removed = removed.saturatingSubtracting(told.removedBefore)
        let found = ordered.values.reduce(0) { $0 + $1.removed } + few.values.reduce(0) { $0 + $1.erased }
        guard found <= removed else {
            throw BrokenRow(
                "audit_event", .null,
                "\(found) texts were removed of rows that no erasure names, and the events `retention` tell of "
                    + "\(removed)")
        }
        let erased = ordered.values.reduce(0) { $0 + $1.erased }
        guard erased <= told.told else {
            throw BrokenRow(
                "audit_event", .null, "\(erased) texts were erased, and the events `erasure` tell of \(told.told)")
        }
        for table in LedgerTable.all {
            if let rows = ordered[table.name] {
                try rows.finish()
                report.rows[table.name] = rows.count
                if table.name != LedgerTable.auditCheckpoint.name {
                    report.olderRows[table.name] = try older(table, than: beginning)
                }
            }
            if let rows = few[table.name] {
                report.rows[table.name] = rows.count
                report.olderRows[table.name] = try finish(rows, table, beginning)
            }
        }
    }

    /// How many texts an event tells that retention removed.
    private func removed(by event: AuditEvent) throws -> Int64 {
        guard event.kind == .retention else { return 0 }
        return try AuditValues(text: event.after ?? "{}").value("erased")
    }

    /// The event that began the audit; before there is one, what the migration left.
    private func beginning() throws -> AuditState {
        var state = try AuditState.read(transaction)
        guard
            let row = try transaction.row(Statement("SELECT \(AuditEvent.columns) FROM audit_event WHERE sequence = 1"))
        else { return state }
        let told = try AuditValues(text: try AuditEvent.read(row).event.after ?? "{}")
        state.beganAfter = try told.value("beganAfter")
        state.apiKeys = try told.value("apiKeys")
        state.catalogRevisions = try told.value("catalogRevisions")
        return state
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

    private func older(_ table: LedgerTable, than beginning: AuditState) throws -> Int64 {
        try transaction.row(
            Statement("SELECT COUNT(*) FROM \(table.name) WHERE \(table.key) <= ?1", beginning.beganAfter)
        )?.value(0) ?? 0
    }

    private func finish(_ rows: FewRows, _ table: LedgerTable, _ beginning: AuditState) throws -> Int64 {
        switch table.name {
        case LedgerTable.pause.name:
            return try rows.finish(
                isOlder: { key in
                    guard case .integer(let sequence) = key else { return false }
                    return sequence <= beginning.beganAfter
                }, digests: digests)
        default:
            let allowed = table.name == LedgerTable.apiKey.name ? beginning.apiKeys : beginning.catalogRevisions
            var found: Int64 = 0
            return try rows.finish(
                isOlder: { _ in
                    found += 1
                    return found <= allowed
                }, digests: digests)
        }
    }
}
