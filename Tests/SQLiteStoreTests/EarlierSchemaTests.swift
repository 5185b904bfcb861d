import Foundation
import GRDB
import OfferEligibility
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@testable import SQLiteStore

@Suite("A database of any earlier schema")
struct EarlierSchemaTests {
    private static let scope = ScopeNumber(rawValue: 1)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Rows that the dump of the first schema lacks, in the words of the migration that made their tables.
    private static let rows: [String: String] = [
        "0001-main-job": """
        INSERT INTO pause VALUES (7, 1, 'comeback', 'k', 1, NULL, NULL);
        INSERT INTO customer VALUES (2, 1, '7000002', 5, 1, 8);
        INSERT INTO customer_merge VALUES (8, 1, 1, 2, '{}', 6);
        INSERT INTO coverage VALUES (9, 1, 1, 1, 6, 'caller', 6);
        INSERT INTO decision VALUES
            (10, '00000000-0000-4000-8000-000000000010', 1, 'refusal', 1, 'comeback', 7, 1, 'ineligible', NULL, '{}');
        UPDATE store_state SET sequence = 10;
        """,
        "0002-kept-answers": """
        INSERT INTO kept_answer SELECT id, 'POST /v1/issued-offers', 'once', zeroblob(32), 201, 'application/json',
            NULL, X'7B7D', 1752043536884 FROM api_key WHERE role = 'client';
        """,
        "0003-customer-context": """
        INSERT INTO customer_attribute VALUES (1, 'vip', 'boolean', 'true', 'k', 8, 10);
        INSERT INTO offer_opening VALUES (1, 'comeback', 9);
        """,
        "0009-notifications": """
        INSERT INTO notification VALUES (11, 1, 'u', 'TEST', NULL, 1, 2, 'delivered', 'noHistory', NULL, NULL, NULL, NULL,
            'a.b.c', NULL, NULL);
        UPDATE store_state SET sequence = 11;
        """,
        "0010-import": """
        INSERT INTO import_run VALUES (1, 1, 'transactions', 'operator', zeroblob(32), NULL, 9, 'staging', 100, 2, 1, 1, 1,
            0, '', 0, 0, 0, 0, 0, 0, 0, NULL);
        INSERT INTO import_row VALUES (1, 1, '7000001', 1, 'transaction', X'7B7D', NULL, 'anna');
        INSERT INTO import_refusal VALUES (1, 2, 'malformed', 'not JSON');
        INSERT INTO import_customer VALUES (1, 1, '');
        """,
        "0011-erasure": """
        INSERT INTO erasure VALUES (12, 1, 2, 9, 'offerd customers erase', 'request 4711');
        INSERT INTO erased_identifier VALUES (1, 'appTransactionId', zeroblob(32), '0123456789abcdef', 2, 9);
        INSERT INTO kept_evidence VALUES
            (13, 1, 2, 'period', 'hmac-sha256:00', '21500001', 'com.example.pro.monthly', 2, 'comeback50', 'P1M', 3, 4,
            NULL, 1, 0, 'client');
        UPDATE store_state SET sequence = 13;
        """,
        "0013-sign-ups": """
        INSERT INTO issued_offer_sign_up SELECT sequence, NULL, 'anna' FROM issued_offer;
        """,
    ]

    /// A database as the first so many migrations made it, with rows in every table of theirs.
    private func database(steps count: Int) throws -> String {
        let path = directory.path("after-\(count).sqlite")
        let dump = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "OfferdCommandsTests/Fixtures/database-0001.sql").path
        let made = try Command.run("sh", ["-c", "sqlite3 \"$0\" < \"$1\"", path, dump])
        try #require(made.status == 0, "\(made.errorText)")
        let queue = try DatabaseQueue(path: path)
        for number in 1...count {
            try Schema.migrate(queue, steps: Array(Migration.all.prefix(number)))
            guard let rows = Self.rows[Migration.all[number - 1].name] else { continue }
            try queue.write { try $0.execute(sql: rows) }
        }
        try queue.close()
        return path
    }

    /// Every row of every table of ours, by table and column.
    private func content(_ path: String) throws -> [String: [[String: DatabaseValue]]] {
        let queue = try DatabaseQueue(path: path)
        let content = try queue.read { connection in
            let tables = try String.fetchAll(
                connection,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%' ORDER BY name")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let rows = try Row.fetchAll(connection, sql: "SELECT * FROM \(table) ORDER BY 1")
                    return (table, rows.map { Dictionary($0.map { ($0, $1) }) { $1 } })
                })
        }
        try queue.close()
        return content
    }

    @Test(
        "is migrated with every row as it was, its keys and its pages whole, and the stores read it",
        arguments: Migration.all.indices.map { $0 + 1 })
    func migrated(steps count: Int) async throws {
        let path = try database(steps: count)
        let before = try content(path)
        #expect(before.count > 15)
        #expect(before.filter { $0.key.hasPrefix("customer") }.values.allSatisfy { !$0.isEmpty || count < 3 })

        #expect(try SQLiteDatabase.migrate(path: path) == Migration.all.dropFirst(count).map(\.name))
        let after = try content(path)
        // The place and time of the newest event move on with what a migration records.
        // The backlog is what migrating works off.
        for (table, rows) in before where table != "store_state" && table != "redemption_backlog" {
            let kept = try #require(after[table], "\(table) is gone")
            #expect(kept.count >= rows.count, "\(table)")
            for row in rows {
                let isThere = kept.contains { new in row.allSatisfy { new[$0.key] == $0.value } }
                #expect(isThere, "\(table): \(row)")
            }
        }
        let content = try SQLiteDatabase.inspect(path: path)
        #expect(content.isCurrent && content.census.issuedOffers == 1 && content.census.customers == 2)

        let database = try SQLiteDatabase(path: path)
        try await database.read { transaction in
            #expect(try transaction.rows(Statement("PRAGMA foreign_key_check")).isEmpty)
            let customer = CustomerNumber(rawValue: 1)
            let slot = try #require(try SlotStore(transaction).slots(of: [customer]).first)
            #expect(
                try SignatureStore(transaction).signatures(of: slot.id, in: Self.scope).allSatisfy { !$0.isRemoved })
            #expect(try DecisionStore(transaction).decisions(issuedOffer: slot.id, in: Self.scope).count == 1)
            #expect(try HistoryStore(transaction).history(of: [customer]).transactions.count == 1)
            #expect(try PauseStore(transaction).active(in: Self.scope).map(\.offerId) == ["comeback"])
            #expect(try StoreClock(transaction).lastInstant() == Instant(milliseconds: 1_752_043_536_884))
            if count >= 3 {
                #expect(try transaction.rows(Statement("SELECT 1 FROM offer_opening WHERE opened_at = 9")).count == 1)
            }
        }
        _ = try await database.write { try StoreClock($0).tryWriting(at: Instant(milliseconds: 1)) }
        try database.close()
    }

    @Test(
        "a step that breaks off leaves the steps before it whole, and the next attempt takes the rest",
        arguments: Migration.all.indices.dropFirst().map { $0 })
    func interrupted(at index: Int) throws {
        let path = try database(steps: 1)
        let before = try content(path)["issued_offer"]
        var steps = Migration.all
        steps[index] = Migration(
            name: steps[index].name, sql: steps[index].sql + "\nINSERT INTO no_such_table VALUES (1);")
        let queue = try DatabaseQueue(path: path)
        let broken = steps
        #expect(throws: StoreError.self) { try Schema.migrate(queue, steps: broken) }
        #expect(try Schema.applied(queue, path: path) == Set(Migration.all.prefix(index).map(\.name)))
        try queue.close()
        #expect(throws: StoreError.self) { try SQLiteDatabase(path: path) }

        #expect(try SQLiteDatabase.migrate(path: path) == Migration.all.dropFirst(index).map(\.name))
        let after = try #require(try content(path)["issued_offer"])
        for row in try #require(before) {
            #expect(after.contains { new in row.allSatisfy { new[$0.key] == $0.value } })
        }
        #expect(try SQLiteDatabase.inspect(path: path).isCurrent)
    }

    @Test("a step that was added before the newest one is taken too, and nothing that is there is lost")
    func addedBefore() async throws {
        let path = try database(steps: Migration.all.count)
        let whole = try content(path)
        let queue = try DatabaseQueue(path: directory.path("gap.sqlite"))
        try Schema.migrate(queue, steps: Migration.all.filter { $0.name != "0011-erasure" })
        try queue.close()
        let gap = directory.path("gap.sqlite")
        #expect(throws: StoreError.self) { try SQLiteDatabase(path: gap) }
        #expect(try SQLiteDatabase.migrate(path: gap) == ["0011-erasure"])
        try SQLiteDatabase(path: gap).close()
        #expect(Set(try content(gap).keys) == Set(whole.keys))
    }

    @Test("an answer that was kept before erasures notes the decision that it tells of")
    func keptAnswers() throws {
        let path = try database(steps: 2)
        let body = #"{"bundleId":"com.example.pro","decisionId":"00000000-0000-4000-8000-000000000010","x":"Zoë"}"#
        let queue = try DatabaseQueue(path: path)
        try queue.write {
            try $0.execute(
                sql: "INSERT INTO kept_answer SELECT api_key_id, route, 'two', request_digest, 201, 't', NULL, ?, 1 "
                    + "FROM kept_answer", arguments: [Data(body.utf8)])
        }
        try queue.close()
        try SQLiteDatabase.migrate(path: path)
        let noted = try #require(try content(path)["kept_answer"]).map { row in
            ["key", "decision_id"].map { String.fromDatabaseValue(row[$0] ?? .null) }
        }
        #expect(Set(noted) == [["once", nil], ["two", "00000000-0000-4000-8000-000000000010"]])
    }

    @Test("what Apple's clock said is taken from the Production data that is there")
    func newestSignedDate() async throws {
        let path = try database(steps: 3)
        let queue = try DatabaseQueue(path: path)
        let newest = try await queue.write { connection in
            try connection.execute(sql: "UPDATE scope SET environment = 'Production'")
            return try Int64.fetchOne(
                connection,
                sql: """
                    SELECT max(signed_date) FROM (SELECT signed_date FROM history_transaction
                        UNION ALL SELECT signed_date FROM history_renewal_info)
                    """)
        }
        try queue.close()
        try SQLiteDatabase.migrate(path: path)
        let database = try SQLiteDatabase(path: path)
        let marks = try await database.read { try StoreClock($0).marks() }
        #expect(marks.newestSignedDate?.milliseconds == newest && newest != nil)
        try database.close()
    }
}
