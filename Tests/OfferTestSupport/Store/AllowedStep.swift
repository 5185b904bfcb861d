/// A costly step of a query plan that may stand, because the rows it meets are few however much the database holds.
public struct AllowedStep: Sendable {
    /// The step, as `EXPLAIN QUERY PLAN` words it; absent for any.
    public let step: String?
    /// Text that tells its statement from others.
    public let statement: String
    /// Why the rows are few.
    public let reason: String

    private init(_ step: String?, of statement: String, because reason: String) {
        self.step = step
        self.statement = statement
        self.reason = reason
    }

    /// Whether this is the step and the statement; how its text is broken into lines makes no difference.
    public func allows(_ step: String, of sql: String) -> Bool {
        (self.step == nil || step == self.step)
            && sql.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(statement)
    }

    /// Every one there is.
    public static let all: [AllowedStep] =
        subjects + pages + revisions + counters + notifications + erasures + events + keys

    private static let order = "USE TEMP B-TREE FOR ORDER BY"
    /// Puts in order what the index leaves in none: rows of one instant.
    private static let instants = "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"

    private static let subjects = [
        AllowedStep(
            order, of: "FROM issued_offer WHERE customer_id IN (",
            because: "the issued offers of a subject's customers"),
        AllowedStep(
            order, of: "FROM offer_grant WHERE customer_id IN (", because: "the grants of a subject's customers"),
        AllowedStep(
            order, of: "FROM issued_offer WHERE +scope_id = ?1 AND sequence < ?2 AND customer_id IN (",
            because: "the issued offers of a subject's customers"),
        AllowedStep(
            order, of: "FROM customer_identifier i JOIN notification n",
            because: "the notifications about a subject's customers"),
        AllowedStep(order, of: "FROM customer WHERE id IN (", because: "a subject has at most 16 customers"),
        AllowedStep(
            order, of: "FROM customer_attribute WHERE customer_id IN (",
            because: "the attributes of a subject's customers"),
        AllowedStep(
            "USE TEMP B-TREE FOR GROUP BY", of: "FROM offer_opening WHERE customer_id IN (",
            because: "at most one row for each offer and customer of the subject"),
        AllowedStep(
            "USE TEMP B-TREE FOR GROUP BY", of: "FROM refusal WHERE customer_id IN (",
            because: "the refusals of a subject's customers, for one page of support"),
        AllowedStep(
            order, of: "FROM refusal WHERE customer_id IN (",
            because: "the days on which a subject was refused, for one page of support"),
        AllowedStep(
            "USE TEMP B-TREE FOR DISTINCT",
            of: "FROM history_renewal_info WHERE scope_id = ?1 AND original_transaction_id = ?2",
            because: "the renewal info of one subscription"),
    ]

    private static let pages = [
        AllowedStep(
            order, of: "FROM issued_offer WHERE customer_id = ?1 ORDER BY issued_at, sequence",
            because: "the issued offers of one customer"),
        AllowedStep(
            order, of: "AND (issued_at, sequence) > (?4, ?5) ORDER BY issued_at, sequence LIMIT ?6",
            because: "the issued offers of one customer"),
        AllowedStep(
            instants, of: "AND (decided_at, sequence) > (?4, ?5) ORDER BY decided_at, sequence LIMIT ?6",
            because: "the refusals of one customer"),
        AllowedStep(
            "SEARCH issued_offer USING INDEX issued_offer_scope (scope_id=? AND rowid>?)",
            of: "FROM issued_offer WHERE scope_id = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
            because: "nothing is passed over, so reading ends with the page"),
        AllowedStep(
            "SEARCH issued_offer USING COVERING INDEX issued_offer_offer (scope_id=? AND offer_id>?)",
            of: "FROM issued_offer WHERE scope_id = ?1 AND offer_id > ?2 ORDER BY offer_id LIMIT 1",
            because: "one step to the next offer"),
        AllowedStep(
            "SEARCH refusal USING COVERING INDEX refusal_offer (scope_id=? AND offer_id>?)",
            of: "FROM refusal WHERE scope_id = ?1 AND offer_id > ?2 ORDER BY offer_id LIMIT 1",
            because: "one step to the next offer"),
        AllowedStep(
            "SEARCH refusal USING INDEX refusal_unknown (scope_id=?)",
            of: "FROM refusal WHERE customer_id IS NULL AND scope_id = ?1 ORDER BY decided_at DESC LIMIT ?2",
            because: "nothing is passed over, so reading ends with the page"),
        AllowedStep(
            "SEARCH issued_offer USING INDEX issued_offer_scope (scope_id=? AND rowid<?)",
            of: "FROM issued_offer WHERE scope_id = ?1 AND sequence < ?2 ORDER BY sequence DESC LIMIT ?3",
            because: "nothing is passed over, so reading ends with the page"),
        AllowedStep(
            "SEARCH catalog_revision USING INDEX sqlite_autoindex_catalog_revision_1 (scope_id=? AND revision<?)",
            of: "WHERE scope_id = ?1 AND revision < ?2 ORDER BY revision DESC LIMIT ?3",
            because: "nothing is passed over, so reading ends with the page"),
    ]

    private static let events =
        [
            ("notification_newest (scope_id=? AND sequence>?)", "notification t"),
            ("issued_offer_scope (scope_id=? AND rowid>?)", "issued_offer t"),
            ("refusal_scope (scope_id=? AND rowid>?)", "refusal t"),
        ].map { index, table in
            AllowedStep(
                "SEARCH t USING INDEX \(index)", of: "FROM \(table)",
                because: "nothing but old notifications is passed over, so reading ends with the page")
        } + [
            AllowedStep(
                "SCAN due_event USING COVERING INDEX due_event_due",
                of: "SELECT due_at FROM due_event ORDER BY due_at LIMIT 1", because: "the next is the first")
        ]

    private static let counters = [
        AllowedStep(
            "USE TEMP B-TREE FOR GROUP BY", of: "FROM redemption r LEFT JOIN issued_offer i",
            because: "one row for each id, currency and product of an offer"),
        AllowedStep(
            "SEARCH offer_counter USING INDEX sqlite_autoindex_offer_counter_1 (scope_id=?)",
            of: "SELECT offer_id, unit, amount FROM offer_counter WHERE scope_id = ?1",
            because: "one row for each offer that was ever issued, and for each of its currencies"),
        AllowedStep(
            "SEARCH offer_grant USING COVERING INDEX offer_grant_granted (scope_id=? AND granted_at>? AND granted_at<?)",
            of: "FROM offer_grant WHERE scope_id = ?1 AND granted_at >= ?2 AND granted_at < ?3",
            because: "the grants of one day, of which each key makes a few"),
        AllowedStep(
            "USE TEMP B-TREE FOR GROUP BY",
            of: "FROM issued_offer WHERE scope_id = ?1 AND offer_id = ?2 AND places = 1 AND redemptions = 0",
            because: "issued offers of one offer that have passed and are not settled yet, by their few currencies"),
        AllowedStep(
            order, of: "FROM issued_offer WHERE scope_id = ?1 AND offer_id IN (?5, ?6",
            because: "issued offers of a renamed offer that count, read when a limit is reached"),
        AllowedStep(
            "USE TEMP B-TREE FOR GROUP BY", of: "FROM issued_offer WHERE scope_id = ?1 AND offer_id IN (?5, ?6",
            because: "issued offers of a renamed offer that count, read when a limit is reached"),
    ]

    private static let notifications = [
        AllowedStep(
            "SEARCH notification USING INDEX notification_newest (scope_id=?)",
            of: "FROM notification WHERE scope_id = ?1 ORDER BY sequence DESC LIMIT 1",
            because: "the newest is the first"),
        AllowedStep(
            "SEARCH notification USING INDEX notification_test (scope_id=?)",
            of: "FROM notification WHERE scope_id = ?1 AND type = 'TEST' ORDER BY sequence DESC LIMIT 1",
            because: "the newest is the first"),
        AllowedStep(
            "SEARCH notification USING INDEX notification_newest (scope_id=?)",
            of: "FROM notification WHERE scope_id = ?1 AND source = 'delivered' ORDER BY sequence DESC LIMIT 1",
            because: "only those that were fetched since are passed over, for operators"),
    ]

    private static let keys = [
        AllowedStep(
            nil, of: "FROM api_key k JOIN scope s ON s.id = k.scope_id ORDER BY k.created_at, k.id",
            because: "an installation has a few dozen keys, for a page that one person looks at")
    ]

    private static let erasures =
        [
            AllowedStep(
                "SEARCH erased_identifier USING INDEX sqlite_autoindex_erased_identifier_1 (scope_id=?)",
                of: "SELECT digest_key FROM erased_identifier WHERE scope_id = ?1 LIMIT 1",
                because: "any row tells whether there is one, and under which key")
        ]
        + [
            "AND ?1 = ?1", "DELETE FROM kept_answer AS t WHERE",
            "SELECT COUNT(DISTINCT o.customer_id) FROM customer_alias a",
            "SELECT DISTINCT value FROM customer_alias WHERE scope_id = ?1",
            "SELECT DISTINCT value FROM customer_identifier WHERE scope_id = ?1",
            "SELECT sequence, proof FROM customer_merge WHERE merged_id IN (", "UPDATE import_refusal AS t",
            "UPDATE import_run AS t", "DELETE FROM import_row WHERE subscription_key = ?2",
        ].map {
            AllowedStep(
                nil, of: $0,
                because:
                    "an erasure looks through all that may name the person; of a request only where a tester is forgotten"
            )
        }

    private static let revisions = [
        AllowedStep(
            "SEARCH catalog_revision USING COVERING INDEX sqlite_autoindex_catalog_revision_1 (scope_id=?)",
            of: "SELECT revision FROM catalog_revision WHERE scope_id = scope.id ORDER BY revision DESC LIMIT 1",
            because: "the newest is the first"),
        AllowedStep(
            "SEARCH catalog_revision USING COVERING INDEX sqlite_autoindex_catalog_revision_1 (scope_id=?)",
            of: "SELECT revision FROM catalog_revision WHERE scope_id = ?1 ORDER BY revision DESC LIMIT 1",
            because: "the newest is the first"),
        AllowedStep(
            "SEARCH catalog_revision USING INDEX sqlite_autoindex_catalog_revision_1 (scope_id=?)",
            of: "FROM catalog_revision WHERE scope_id = ?1 ORDER BY revision DESC LIMIT 1",
            because: "the newest is the first"),
        AllowedStep(
            "SEARCH catalog_revision USING INDEX sqlite_autoindex_catalog_revision_1 (scope_id=?)",
            of: "WHERE scope_id = ?1 AND created_at <= ?2 ORDER BY revision DESC LIMIT 1",
            because: "revisions are made by people, and reading ends at the first that is old enough"),
        AllowedStep(
            "SEARCH pause USING INDEX pause_end (scope_id=? AND resumed_at>?)",
            of: "FROM pause WHERE scope_id = ?1 AND resumed_at > ?2",
            because: "pauses are made by people, and only those that ended after the instant are read"),
        AllowedStep(
            order, of: "FROM pause WHERE scope_id = ?1 AND resumed_at IS NULL AND paused_at <= ?2 UNION ALL",
            because: "pauses are made by people, and only those that ended after the instant are read"),
    ]
}
