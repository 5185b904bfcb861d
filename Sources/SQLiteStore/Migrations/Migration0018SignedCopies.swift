extension Migration {
    /// When an offer was last issued on a customer's history: what was stored before stays for replay, also where newer
    /// copies say the same.
    static let signedCopies = Migration(
        name: "0018-signed-copies",
        sql: """
            ALTER TABLE customer ADD COLUMN issued_sequence INTEGER NOT NULL DEFAULT 0;
            """)
}
