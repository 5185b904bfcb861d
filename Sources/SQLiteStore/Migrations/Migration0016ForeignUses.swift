extension Migration {
    /// Finds the V1 signatures made for an account, and the customers that have an alias by Apple's data, however many others
    /// have it on the backend's word.
    static let foreignUses = Migration(
        name: "0016-foreign-uses",
        sql: """
            CREATE INDEX signature_account ON signature (scope_id, app_account_token, product_id, signed_at)
                WHERE format = 'v1' AND app_account_token IS NOT NULL;
            CREATE INDEX customer_alias_proven ON customer_alias (scope_id, kind, value, customer_id)
                WHERE provenance IN ('notification', 'client', 'serverAPI');
            """)
}
