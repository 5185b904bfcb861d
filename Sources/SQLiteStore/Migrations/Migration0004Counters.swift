extension Migration {
    /// What everyone together has used of an offer, and the redemptions that are known (docs/design.md#issued-offers-and-limits).
    ///
    /// Slots issued before keep no cost: no budget was accepted then. Their redemptions are recorded after the step, from
    /// the history (``RedemptionStore/recordBacklog(limit:)``).
    static let counters = Migration(
        name: "0004-counters",
        sql: """
            ALTER TABLE issued_offer ADD COLUMN cost INTEGER CHECK (cost >= 0);
            ALTER TABLE issued_offer ADD COLUMN cost_currency TEXT
                CHECK ((cost_currency IS NULL) = (cost IS NULL) AND length(cost_currency) = 3);
            ALTER TABLE issued_offer ADD COLUMN redemptions INTEGER NOT NULL DEFAULT 0 CHECK (redemptions >= 0);
            ALTER TABLE issued_offer ADD COLUMN places INTEGER NOT NULL DEFAULT 1
                CHECK (places = redemptions OR (places = 1 AND redemptions = 0));
            ALTER TABLE issued_offer ADD COLUMN full_price_transaction_id TEXT;
            UPDATE issued_offer SET places = 0 WHERE is_released = 1 OR settled_at >= counts_until;
            CREATE INDEX issued_offer_counting
                ON issued_offer (scope_id, offer_id, counts_until, cost_currency, cost)
                WHERE places = 1 AND redemptions = 0;

            CREATE TABLE offer_counter (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
                unit TEXT NOT NULL CHECK (unit = 'places' OR length(unit) = 3),
                amount INTEGER NOT NULL CHECK (amount >= 0),
                PRIMARY KEY (scope_id, offer_id, unit)
            ) STRICT;
            INSERT INTO offer_counter (scope_id, offer_id, unit, amount)
                SELECT scope_id, offer_id, 'places', SUM(places) FROM issued_offer GROUP BY scope_id, offer_id;

            CREATE TABLE redemption (
                sequence INTEGER PRIMARY KEY,
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                original_transaction_id TEXT NOT NULL,
                offer_type INTEGER NOT NULL,
                offer_identifier TEXT NOT NULL,
                subscription_group_identifier TEXT NOT NULL,
                product_id TEXT NOT NULL,
                transaction_id TEXT,
                first_evidence INTEGER NOT NULL,
                offer_ends INTEGER,
                provenance TEXT NOT NULL,
                issued_offer_id TEXT REFERENCES issued_offer (id),
                is_doubled INTEGER NOT NULL CHECK (is_doubled IN (0, 1)),
                is_late INTEGER NOT NULL CHECK (is_late IN (0, 1)),
                recorded_at INTEGER NOT NULL,
                CHECK (issued_offer_id IS NOT NULL OR (is_doubled = 0 AND is_late = 0))
            ) STRICT;
            CREATE INDEX redemption_customer ON redemption (customer_id, sequence);
            CREATE INDEX redemption_issued_offer ON redemption (issued_offer_id) WHERE issued_offer_id IS NOT NULL;

            CREATE TABLE redemption_counter (
                scope_id INTEGER NOT NULL REFERENCES scope (id),
                offer_type INTEGER NOT NULL,
                offer_identifier TEXT NOT NULL,
                subscription_group_identifier TEXT NOT NULL,
                product_id TEXT NOT NULL,
                amount INTEGER NOT NULL CHECK (amount >= 0),
                PRIMARY KEY (
                    scope_id, offer_type, offer_identifier, subscription_group_identifier, product_id)
            ) STRICT;

            CREATE TABLE redemption_backlog (
                customer_id INTEGER PRIMARY KEY REFERENCES customer (id)
            ) STRICT;
            INSERT INTO redemption_backlog (customer_id) SELECT id FROM customer WHERE merged_into IS NULL;
            """)
}
