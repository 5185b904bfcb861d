extension Migration {
    /// What stays of customers whose data was erased: keyed digests by which they are known again, and the dates of their uses of
    /// offers, so that limits hold (docs/privacy.md).
    ///
    /// Of a kept answer, the decision is noted only where it is an earlier one, whose signatures were handed out again: any
    /// other has the instant of its decision, and is found by it. So nothing is added where an offer is issued. Answers
    /// that were kept before all get theirs from their text.
    static let erasure = Migration(
        name: "0011-erasure",
        sql: """
            CREATE TABLE erasure (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                erased_at INTEGER NOT NULL,
                actor TEXT NOT NULL CHECK (length(actor) > 0),
                reason TEXT NOT NULL CHECK (length(reason) > 0)
            ) STRICT;
            CREATE INDEX erasure_customer ON erasure (customer_id, sequence);

            CREATE TABLE erased_identifier (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                kind TEXT NOT NULL CHECK (kind IN ('originalTransactionId', 'appTransactionId')),
                digest BLOB NOT NULL CHECK (length(digest) = 32),
                digest_key TEXT NOT NULL CHECK (length(digest_key) > 0),
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                erased_at INTEGER NOT NULL,
                PRIMARY KEY (scope_id, kind, digest)
            ) STRICT;
            CREATE INDEX erased_identifier_customer ON erased_identifier (customer_id);

            CREATE TABLE kept_evidence (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                kind TEXT NOT NULL CHECK (kind IN ('period', 'pending')),
                original_transaction_id TEXT NOT NULL CHECK (length(original_transaction_id) > 0),
                subscription_group_identifier TEXT NOT NULL,
                product_id TEXT NOT NULL,
                offer_type INTEGER,
                offer_identifier TEXT,
                offer_period TEXT,
                dated INTEGER NOT NULL,
                expires INTEGER,
                revoked INTEGER,
                is_renewal INTEGER NOT NULL CHECK (is_renewal IN (0, 1)),
                is_upgraded INTEGER NOT NULL CHECK (is_upgraded IN (0, 1)),
                provenance TEXT NOT NULL
            ) STRICT;
            CREATE INDEX kept_evidence_customer ON kept_evidence (customer_id, sequence);
            CREATE INDEX kept_evidence_subscription ON kept_evidence (scope_id, original_transaction_id);

            ALTER TABLE customer ADD COLUMN erasure_sequence INTEGER REFERENCES erasure (sequence);

            ALTER TABLE kept_answer ADD COLUMN decision_id TEXT;
            UPDATE kept_answer SET decision_id =
                substr(CAST(body AS TEXT), instr(CAST(body AS TEXT), '"decisionId":"') + 14, 36)
            WHERE instr(CAST(body AS TEXT), '"decisionId":"') > 0;
            CREATE INDEX kept_answer_decision ON kept_answer (decision_id) WHERE decision_id IS NOT NULL;
            """)
}
