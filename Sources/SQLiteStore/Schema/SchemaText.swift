import OfferStore

extension Migration {
    /// Everything that is stored, as ``Table`` describes it.
    ///
    /// `sequence` numbers are taken from `store_state` and are unique across all tables but those of the audit.
    static let schema = Migration(
        name: "0001-schema",
        sql: (Table.all.flatMap { [$0.creation] + $0.companions } + Table.views + firstRows).map { $0 + ";" }
            .joined(separator: "\n"))

    /// What the schema has besides tables and their first rows.
    static let besidesRows = Table.all.flatMap(\.companions) + Table.views

    private static let firstRows = [
        "INSERT INTO store_state (id, sequence) VALUES (1, 0)",
        "INSERT INTO audit_state (id, digest_salt) VALUES (1, randomblob(32))",
    ]
}

extension Table {
    fileprivate var companions: [String] { indexes + (form == .appendOnly ? guards : []) }

    var creation: String {
        let lines = columns.map(\.definition) + constraints
        return """
            CREATE TABLE \(name) (
            \(lines.map { "    " + $0 }.joined(separator: ",\n"))
            ) STRICT\(form == .byKey ? ", WITHOUT ROWID" : "")
            """
    }

    private var guards: [String] {
        ["update", "delete"].map { change in
            """
            CREATE TRIGGER \(name)_\(change) BEFORE \(change.uppercased()) ON \(name)
                BEGIN SELECT RAISE(ABORT, '\(name).append'); END
            """
        }
    }
}

extension Column {
    fileprivate var definition: String {
        let presence = isPrimaryKey ? "PRIMARY KEY" : isRequired ? "NOT NULL" : ""
        return [name, type.rawValue, presence, constraint].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
