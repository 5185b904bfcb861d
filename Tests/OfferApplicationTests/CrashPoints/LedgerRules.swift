import OfferModel
import OfferStore
import OfferTestSupport

/// What is true of the ledger's rows whatever has happened: each rule is a query for the rows that break it.
enum LedgerRules {
    private static let queries: [(rule: String, offenders: String)] = [
        (
            "an issued offer has the decision to issue it",
            """
            SELECT id FROM issued_offer AS issued WHERE NOT EXISTS
                (SELECT 1 FROM decision WHERE issued_offer_id = issued.id AND kind = 'issue')
            """
        ),
        (
            "an issued offer has as many decisions as signings",
            """
            SELECT id FROM issued_offer AS issued WHERE signings <>
                (SELECT count(*) FROM decision WHERE issued_offer_id = issued.id AND kind IN ('issue', 'signing'))
            """
        ),
        (
            "a signed issued offer has the signatures of each of its signings",
            """
            SELECT id FROM issued_offer AS issued WHERE delivery <> 'appStore' AND signings <>
                (SELECT count(DISTINCT signing) FROM signature WHERE issued_offer_id = issued.id)
            """
        ),
        (
            "each signing of an issued offer has the same formats in these tests",
            """
            SELECT issued_offer_id FROM
                (SELECT issued_offer_id, count(*) AS number FROM signature WHERE issued_offer_id IS NOT NULL
                GROUP BY issued_offer_id, signing) AS signed
            GROUP BY issued_offer_id HAVING min(number) <> max(number)
            """
        ),
        (
            "a decision to issue or to sign has its issued offer",
            "SELECT id FROM decision WHERE (kind IN ('issue', 'signing')) <> (issued_offer_id IS NOT NULL)"
        ),
        (
            "a signature's decision is of the same issued offer",
            """
            SELECT nonce FROM signature JOIN decision ON decision.id = signature.decision_id
            WHERE signature.issued_offer_id IS DISTINCT FROM decision.issued_offer_id
            """
        ),
        (
            "a customer has at most one open issued offer for an offer",
            """
            SELECT customer_id FROM issued_offer WHERE voided_at IS NULL AND settled_at IS NULL
            GROUP BY customer_id, offer_id HAVING count(*) > 1
            """
        ),
    ]

    /// What PostgreSQL looks after by itself.
    private static let queriesOfFiles = [
        (rule: "no row refers to one that is missing", offenders: "PRAGMA foreign_key_check"),
        (rule: "the file is whole", offenders: "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
    ]

    /// The rules that are broken, and by what.
    static func broken(_ transaction: any StoreTransaction) throws -> [String] {
        let rows = try (queries + (TestStore.isPostgres ? [] : queriesOfFiles)).compactMap { rule, offenders in
            let found = try transaction.rows(Statement(offenders))
            return found.isEmpty ? nil : "\(rule): \(found.map(\.values))"
        }
        return try rows + numbers(transaction)
    }

    /// The tables' numbers come from one counter, each once; the audit's events have a chain of their own.
    private static func numbers(_ transaction: any StoreTransaction) throws -> [String] {
        var given = [Int64]()
        for table in Table.all where !table.name.hasPrefix("audit_") {
            guard table.columns.contains(where: { $0.name == "sequence" && $0.isPrimaryKey }) else { continue }
            given += try transaction.rows(Statement("SELECT sequence FROM \(table.name)")).map { try $0.value(0) }
        }
        let newest = try StoreClock(transaction).newestSequence()
        var broken = given.filter { $0 > newest }.map { "the number \($0) was never given" }
        if Set(given).count < given.count { broken.append("a number was given twice") }
        return broken
    }

    static func tables(_ transaction: any StoreTransaction) throws -> [String] {
        try transaction.rows(Statement(TestStore.tables)).map { try $0.value(0) }
    }

    /// Every row of every table.
    static func contents(_ transaction: any StoreTransaction) throws -> [String: Set<StoredRow>] {
        try Dictionary(
            uniqueKeysWithValues: tables(transaction).map { table in
                (table, Set(try transaction.rows(Statement("SELECT * FROM \(table)"))))
            })
    }
}
