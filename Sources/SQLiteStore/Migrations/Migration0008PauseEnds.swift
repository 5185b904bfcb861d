extension Migration {
    /// Finds the pauses of a scope by when they ended; those in force are the ones without an end.
    static let pauseEnds = Migration(
        name: "0008-pause-ends",
        sql: """
            CREATE INDEX pause_end ON pause (scope_id, resumed_at);
            """)
}
