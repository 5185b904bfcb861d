extension Migration {
    /// Finds who was evaluated for an offer, and when first, without reading the decisions (reports).
    static let offerEvaluations = Migration(
        name: "0007-offer-evaluations",
        sql: """
            CREATE INDEX decision_offer ON decision (scope_id, offer_id, customer_id, decided_at);
            """)
}
