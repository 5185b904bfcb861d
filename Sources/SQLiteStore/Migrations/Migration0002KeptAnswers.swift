extension Migration {
    /// Answers kept under the `Idempotency-Key` of their requests (docs/design.md#issuing).
    static let keptAnswers = Migration(
        name: "0002-kept-answers",
        sql: """
            CREATE TABLE kept_answer (
                api_key_id TEXT NOT NULL REFERENCES api_key (id),
                route TEXT NOT NULL CHECK (length(route) > 0),
                key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
                request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
                status INTEGER NOT NULL CHECK (status IN (200, 201, 403, 422)),
                content_type TEXT NOT NULL CHECK (length(content_type) > 0),
                location TEXT,
                body BLOB NOT NULL,
                answered_at INTEGER NOT NULL,
                PRIMARY KEY (api_key_id, route, key)
            ) STRICT;
            CREATE INDEX kept_answer_answered ON kept_answer (answered_at);
            """)
}
