import OfferStore

/// What `offerd doctor` says of a server.
public struct ServerFinding: Sendable, Hashable {
    public enum Verdict: Sendable, Hashable {
        case ok, warning, failed
    }

    public var subject: String
    public var verdict: Verdict
    public var detail: String
    public var hint: String?

    static func ok(_ subject: String, _ detail: String) -> ServerFinding {
        ServerFinding(subject: subject, verdict: .ok, detail: detail)
    }

    static func warning(_ subject: String, _ detail: String, hint: String) -> ServerFinding {
        ServerFinding(subject: subject, verdict: .warning, detail: detail, hint: hint)
    }

    static func failed(_ subject: String, _ detail: String, hint: String) -> ServerFinding {
        ServerFinding(subject: subject, verdict: .failed, detail: detail, hint: hint)
    }
}

extension PostgresDatabase {
    /// Looks at what the service needs of a server: its settings, its standby, its connections, and what slows it.
    ///
    /// - Throws: ``StoreError`` if the server cannot be reached, or its settings would break the store.
    public static func examine(url: String) throws -> [ServerFinding] {
        let connection = try PostgresConnection(url: url)
        defer { connection.close() }
        try connection.requireSettings()
        return try ServerExamination(connection: connection).findings()
    }
}

private struct ServerExamination {
    let connection: PostgresConnection

    func findings() throws -> [ServerFinding] {
        [
            .ok("server", "PostgreSQL \(try text("SELECT current_setting('server_version')")) answers"),
            try durability(), try standby(), try connections(), try bloat(), try statistics(), try snapshots(),
        ]
    }

    private func text(_ sql: String) throws -> String {
        try connection.row(Statement(sql, values: []))?.value(0) ?? ""
    }

    private func number(_ sql: String) throws -> Int {
        try connection.row(Statement(sql, values: []))?.value(0) ?? 0
    }

    private func texts(_ sql: String) throws -> [String] {
        try connection.rows(Statement(sql, values: [])).map { try $0.value(0) }
    }

    private func durability() throws -> ServerFinding {
        let off = try texts(
            "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name"
        )
        guard let first = off.first else {
            return .ok(
                "durability",
                "every commit is flushed by the server (synchronous_commit = "
                    + "\(try text("SELECT current_setting('synchronous_commit')")))")
        }
        return .failed(
            "durability", "`\(first)` is off: a crash of the server's machine can lose what was recorded",
            hint: "set `\(first) = on` in postgresql.conf")
    }

    /// How far a standby may be behind, in bytes of the log.
    private static let longestLag = 64 << 20

    private func standby() throws -> ServerFinding {
        let names = try text("SELECT current_setting('synchronous_standby_names')")
        let connected = try number("SELECT COUNT(*) FROM pg_stat_replication")
        // Other roles than members of pg_monitor see no more than how many there are.
        let synchronous = try number(
            "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') OR sync_state IS NULL")
        if !names.isEmpty, synchronous == 0 {
            return .failed(
                "standby", "no standby of `synchronous_standby_names` is connected: commits wait for it",
                hint: "start the standby, or take it out of `synchronous_standby_names`")
        }
        let lag = try number(
            """
            SELECT COALESCE(MAX(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)), 0)::bigint FROM pg_stat_replication
            """)
        guard lag <= Self.longestLag else {
            return .warning(
                "standby", "a standby is \(lag >> 20) MiB behind",
                hint:
                    "a failover would lose that much unless the standby is synchronous; check its disk and the network")
        }
        let kind = names.isEmpty ? "asynchronous" : "synchronous"
        return .ok(
            "standby",
            connected == 0
                ? "none: what is recorded is on one machine" : "\(connected) connected, \(kind)")
    }

    private func connections() throws -> ServerFinding {
        let most = try number(
            """
            SELECT SUM(CASE name WHEN 'max_connections' THEN setting::bigint ELSE -setting::bigint END)::bigint
            FROM pg_settings
            WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')
            """)
        let used = try number("SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        let limits = PostgresDatabase.Limits()
        let needed = 1 + limits.looks + limits.reads
        guard used * 10 < most * 9 else {
            return .warning(
                "connections", "\(used) of \(most) are taken, and a server opens up to \(needed)",
                hint: "raise `max_connections`; a request that gets none is answered 503")
        }
        return .ok("connections", "\(used) of \(most) are taken; a server opens up to \(needed)")
    }

    private func bloat() throws -> ServerFinding {
        let tables = try texts(
            """
            SELECT relname FROM pg_stat_user_tables
            WHERE n_dead_tup > 100000 AND n_dead_tup * 4 > n_live_tup ORDER BY n_dead_tup DESC LIMIT 3
            """)
        guard !tables.isEmpty else { return .ok("bloat", "old versions of rows are cleaned up") }
        return .warning(
            "bloat", "old versions of rows take much room in \(tables.map { "`\($0)`" }.joined(separator: ", "))",
            hint: "check that autovacuum runs, and that no transaction stays open")
    }

    private func statistics() throws -> ServerFinding {
        let tables = try number(
            """
            SELECT COUNT(*) FROM pg_stat_user_tables
            WHERE n_live_tup > 10000 AND last_analyze IS NULL AND last_autoanalyze IS NULL
            """)
        guard tables > 0 else { return .ok("statistics", "the server has counted the rows") }
        return .warning("statistics", "the server has not counted the rows of \(tables) tables", hint: "run `ANALYZE`")
    }

    private func snapshots() throws -> ServerFinding {
        let minutes = try number(
            """
            SELECT COALESCE(EXTRACT(EPOCH FROM MAX(now() - xact_start)), 0)::bigint / 60 FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend'
            """)
        guard minutes >= 30 else { return .ok("snapshots", "no transaction has been open for long") }
        return .warning(
            "snapshots", "a transaction has been open for \(minutes) minutes: old versions of rows stay until it ends",
            hint: "`SELECT * FROM pg_stat_activity` tells whose it is")
    }
}
