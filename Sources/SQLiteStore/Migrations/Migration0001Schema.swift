extension Migration {
    /// Everything that is stored.
    ///
    /// Times are milliseconds since 1970, UUIDs lower-case text, yes and no 1 and 0. `sequence` numbers are taken from
    /// `store_state` and are unique across all tables but those of the audit.
    static let schema = Migration(name: "0001-schema", sql: customerTables + "\n\n" + ledgerTables)
}
