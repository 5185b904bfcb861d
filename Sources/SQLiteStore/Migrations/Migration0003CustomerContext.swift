extension Migration {
    /// What the app sets for a customer, and the moments from which an offer with `availableFor` is open to one.
    ///
    /// A value is text whatever its type, so that a number comes back as the same number.
    static let customerContext = Migration(
        name: "0003-customer-context",
        sql: """
            CREATE TABLE customer_attribute (
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                name TEXT NOT NULL CHECK (length(name) > 0),
                type TEXT NOT NULL CHECK (type IN ('text', 'number', 'boolean', 'money', 'instant')),
                value TEXT NOT NULL,
                actor TEXT NOT NULL,
                set_at INTEGER NOT NULL,
                sequence INTEGER NOT NULL,
                PRIMARY KEY (customer_id, name)
            ) STRICT;

            CREATE TABLE offer_opening (
                customer_id INTEGER NOT NULL REFERENCES customer (id),
                offer_id TEXT NOT NULL CHECK (length(offer_id) > 0),
                opened_at INTEGER NOT NULL,
                PRIMARY KEY (customer_id, offer_id)
            ) STRICT;
            """)
}
