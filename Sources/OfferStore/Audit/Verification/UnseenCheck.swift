/// Finds what reading a row does not show, so that no digest could: rows under numbers that the service never gives, and
/// texts that go on after a NUL.
///
/// Both can be put in with the `sqlite3` tool. Events and rows are read by number from 1; a text is read up to its first NUL, but compared whole by SQL, so that a slot could be kept from
/// its limit.
struct UnseenCheck {
    let transaction: any StoreTransaction

    /// - Throws: ``BrokenRow`` for the first such row.
    func run() throws {
        try check("audit_event", key: "sequence", isNumbered: true, columns: AuditEvent.columns.split(separator: ", "))
        for table in LedgerTable.all {
            try check(
                table.name, key: table.key, isNumbered: table.key == "sequence" || table.key == "number",
                columns: table.columns.split(separator: ", ").dropFirst())
        }
    }

    private func check(
        _ table: String, key: String, isNumbered: Bool, columns: some Collection<Substring>
    ) throws {
        if isNumbered {
            try refuse(table, key, where: "\(key) < 1", "the service numbers rows from 1; it was put in")
        }
        let goesOn = columns.map { "(typeof(\($0)) = 'text' AND instr(CAST(\($0) AS BLOB), x'00') > 0)" }
        try refuse(
            table, key, where: goesOn.joined(separator: " OR "),
            "a text of it goes on after U+0000, which the service never writes; the row was changed")
    }

    private func refuse(_ table: String, _ key: String, where condition: String, _ detail: String) throws {
        let row = try transaction.row(
            Statement("SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY 1 LIMIT 1"))
        if let row { throw BrokenRow(table, row.values[0], detail) }
    }
}
