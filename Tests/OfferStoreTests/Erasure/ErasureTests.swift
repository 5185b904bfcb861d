import Foundation
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import Synchronization
import Testing

@testable import OfferModel
@testable import OfferStore

@Suite("Erasing a customer")
struct ErasureTests {
    private var verification: LedgerVerification {
        LedgerVerification(digest: OpenSSLDigest(), key: Bench.digestKey, judge: nil)
    }

    @Test("every column of every table is declared with what an erasure does to it")
    func everyColumn() async throws {
        let bench = try await Bench()
        let found = try await bench.database.read { transaction in
            try transaction.rows(
                Statement(
                    TestStore.isPostgres
                        ? """
                        SELECT (table_name || '.' || column_name)::text FROM information_schema.columns
                        JOIN information_schema.tables USING (table_schema, table_name)
                        WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
                        AND table_name NOT IN ('migration', 'commit_mark', 'elected')
                        """
                        : """
                        SELECT s.name || '.' || c.name FROM sqlite_schema s, pragma_table_info(s.name) c
                        WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite_%' AND s.name <> 'migration'
                        """)
            ).map { try $0.value(0, as: String.self) }
        }
        let declared = Table.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
        #expect(Set(declared).symmetricDifference(found).sorted() == [])
        #expect(declared.count == Set(declared).count)
    }

    @Test("docs/privacy.md says of every column what the code does")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/privacy.md").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var documented: [String] = []
        for line in lines where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, ErasureAction(rawValue: cells[1]) != nil else { continue }
            let table = cells[0].filter { $0 != "`" }
            documented += cells[2].filter { $0 != "`" }.split(separator: " ").map { "\(table).\($0) \(cells[1])" }
        }
        let declared = Table.all.flatMap { table in
            table.columns.map { "\(table.name).\($0.name) \($0.erasure.rawValue)" }
        }
        #expect(Set(documented).symmetricDifference(declared).sorted() == [])
    }

    /// Tables that have rows about the customer only once somebody was erased, or after an upgrade.
    private static let later: Set = ["erasure", "erased_identifier", "kept_evidence"]
    /// Columns that an erasure notes its date or its place in.
    private static let noted: Set = [
        "notification.payload_removed_at", "notification.erased_at", "customer.version", "customer.erasure_sequence",
        "offer_grant.revoked_at", "offer_grant.revoked_by",
    ]

    /// Somebody whose Apple account is named by renewal info of a subscription that is nobody's yet, with a
    /// notification of it, beside the same of another account.
    private func waitingCustomer() async throws -> ErasedCustomer {
        let erased = try await ErasedCustomer()
        let (bench, scope) = (erased.bench, erased.bench.scope)
        try await bench.ingest([.renews("710000000000009", account: "720000000000007"), .renews("798", account: "797")])
        try await bench.database.write { transaction in
            for (uuid, subscription) in [("u8", "710000000000009"), ("u9", "798")] {
                let told = KeptNotification.fixture(uuid) {
                    $0.identifier = .originalTransactionId(TransactionId(rawValue: subscription))
                    ($0.stored.transactionId, $0.stored.productId) = (nil, nil)
                    $0.payload = "notified of \(subscription)"
                }
                try NotificationStore(transaction).insert(told, at: Bench.now, in: scope)
            }
        }
        return erased
    }

    @Test("what waits for a subscription that is nobody's yet is held about the account it names, and about no other")
    func waitingHeld() async throws {
        let erased = try await waitingCustomer()
        let waiting = [
            "history_renewal_info": (own: "710000000000009", strange: "798"),
            "notification": (own: "notified of 710000000000009", strange: "notified of 798"),
        ]
        for (name, texts) in waiting {
            let table = try #require(Table.all.first { $0.name == name })
            let found = try await erased.bench.database.read {
                try PersonalRows(of: [erased.number], in: erased.bench.scope, $0).rows(of: table).flatMap(\.values)
            }
            #expect(found.contains(.text(texts.own)) && !found.contains(.text(texts.strange)), "\(name)")
        }
    }

    @Test("what a notification told of a subscription that is nobody's yet goes with the account it names")
    func waiting() async throws {
        let erased = try await waitingCustomer()
        let bench = erased.bench
        _ = try await bench.erase([erased.number])
        let left = try await bench.database.read { transaction in
            try transaction.rows(
                Statement("SELECT payload FROM notification WHERE uuid IN ('u8', 'u9') ORDER BY uuid")
            ).map { try $0.value(0, as: String?.self) }
        }
        #expect(left == [nil, "notified of 798"])
        #expect(try await HistoryFactsCheck(bench.database).run().wrong == 0)
    }

    @Test("each column of the customer's rows is afterwards as declared, and nobody else's has changed")
    func actions() async throws {
        let erased = try await ErasedCustomer()
        let (scope, number) = (erased.bench.scope, erased.number)
        let tables = Table.all.filter { $0.condition != nil && !Self.later.contains($0.name) }
        let before = try await erased.bench.database.read { transaction in
            let chain = try ErasureStore(transaction).chain(of: [number])
            #expect(chain == [erased.number, erased.merged].sorted())
            return try tables.map { table in
                (
                    own: try PersonalRows(of: chain, in: scope, transaction).rows(of: table).map(\.values),
                    all: try erased.rows(of: table, in: transaction)
                )
            }
        }
        let outcome = try #require(try await erased.bench.erase([number]))
        #expect(outcome.customers == 1)
        let after = try await erased.bench.database.read { transaction in
            try tables.map { try erased.rows(of: $0, in: transaction) }
        }
        for (place, table) in tables.enumerated() {
            #expect(!before[place].own.isEmpty, "the customer has no row of \(table.name)")
            for row in before[place].all {
                let isOwn = before[place].own.contains(table.columns.map { row[$0.name] ?? .null })
                check(row, isOwn: isOwn, of: table, after: after[place])
            }
        }
    }

    private func check(
        _ row: [String: StoredValue], isOwn: Bool, of table: Table, after: [[String: StoredValue]]
    ) {
        // Refusals of others that name the customer, or were made about both.
        let isMention =
            table.name == "refusal"
            && [3, 4, 6].contains { row["id"] == .text(LowercaseUUID.number($0).description) }
        guard isOwn || isMention else {
            #expect(after.contains(row), "\(table.name) of somebody else: \(row)")
            return
        }
        if table.columns.allSatisfy({ $0.erasure == .deleted }) {
            #expect(!after.contains(row), "\(table.name) keeps \(row)")
            return
        }
        // Redemptions are derived anew, under new numbers; they are told apart by what they used.
        let key = table.name == "redemption" ? "first_evidence" : table.columns[0].name
        guard let now = after.first(where: { $0[key] == row[key] }) else {
            Issue.record("\(table.name) has lost \(row)")
            return
        }
        for column in table.columns where !Self.noted.contains("\(table.name).\(column.name)") {
            let (was, found) = (row[column.name] ?? .null, now[column.name] ?? .null)
            let isRenumbered = table.name == "redemption" && ["sequence", "recorded_at"].contains(column.name)
            switch column.erasure {
            case .kept where !isRenumbered: #expect(found == was, "\(table.name).\(column.name)")
            case .emptied: #expect(found == .null || found == .text(""), "\(table.name).\(column.name)")
            case .digested where was != .null:
                #expect(LedgerDigests.remains(of: found) != nil, "\(table.name).\(column.name) is \(found)")
            default: break
            }
        }
    }

    @Test(
        "nothing that names the customer is left in the file, and the ledger is still proven",
        .onSQLite("what a server's files keep of deleted rows is the server's"))
    func nothingIsLeft() async throws {
        let erased = try await ErasedCustomer()
        _ = try erased.bench.database.file.emptyLog()
        let path = erased.bench.path
        let before = try Data(contentsOf: URL(filePath: path))
        for name in ErasedCustomer.names {
            #expect(before.range(of: Data(name.utf8)) != nil, "\(name) was never there")
        }
        _ = try await erased.bench.erase([erased.number])
        try erased.bench.database.file.compact()
        #expect(try erased.bench.database.file.emptyLog())
        for ending in ["", "-wal"] {
            let data = try Data(contentsOf: URL(filePath: path + ending))
            for name in ErasedCustomer.names { #expect(data.range(of: Data(name.utf8)) == nil, "\(name) in \(ending)") }
        }
        let verification = verification
        let report = try await erased.bench.database.read { try verification.verify($0) }
        #expect(report.rows["erasure"] == 1)
        // Identifiers of the other customer are there.
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("799".utf8)) != nil)
    }

    @Test(
        "a blanked row is accepted only of the rows that the erasure's event names, also from somebody with the digest key"
    )
    func blankedWithoutEvent() async throws {
        let erased = try await ErasedCustomer(.memory)
        _ = try await erased.bench.erase([erased.number])
        let verification = verification
        let salt = try await erased.bench.database.read { try SaltedDigest.salt($0) }
        let found = await #expect(throws: BrokenRow.self) {
            try await erased.bench.database.base.write { transaction in
                let row = try #require(
                    try transaction.row(
                        Statement("SELECT sequence, record FROM refusal WHERE id = ?1", LowercaseUUID.number(5))))
                let digests = LedgerDigests(
                    digest: OpenSSLDigest(), keyed: OpenSSLDigest().keyed(by: salt, name: SaltedDigest.name))
                let column = try #require(LedgerTable.refusal.covered.first { $0.name == "record" })
                let digest = digests.value(row.values[1], of: column, .refusal, key: row.values[0])
                let remains = Array((Redacted.prefix + Hexadecimal.lowercase(digest)).utf8)
                try transaction.execute(
                    Statement(
                        "UPDATE refusal SET record = ?2 WHERE sequence = ?1", try row.value(0, as: Int64.self), remains)
                )
                _ = try verification.verify(transaction)
            }
        }
        #expect(found?.detail.contains(" texts are gone; the events `retention` tell of 0 ") == true)
        let report = try await erased.bench.database.read { try verification.verify($0) }
        #expect(report.rows["erasure"] == 1)
    }

    @Test(
        "who comes back with the same Apple account is the same customer, and a use shown again is not a new one (invariant 2)"
    )
    func comesBack() async throws {
        let erased = try await ErasedCustomer()
        let used = try await erased.uses()
        #expect(used.first == 1)
        _ = try await erased.bench.erase([erased.number])
        #expect(try await erased.uses() == used)
        #expect(try await erased.redemptions() == 1)
        let back = try await erased.keyedIngest([ErasedCustomer.offered("710000000000001", day: 0)])
        #expect(back == [erased.number])
        #expect(try await erased.uses() == used)
        #expect(try await erased.redemptions() == 1)
        // A later use of the same offer is a new one.
        _ = try await erased.keyedIngest([ErasedCustomer.offered("710000000000008", day: 60)])
        #expect(try await erased.redemptions() == 2)
        // Another device, known by the account alone.
        let account = try await erased.keyedIngest([
            .installed("720000000000007", created: Bench.now.adding(milliseconds: 5))
        ])
        #expect(account == [erased.number])
        let verification = verification
        _ = try await erased.bench.database.read { try verification.verify($0) }
    }

    @Test("a use that is shown again is no news for the metrics, and a later one is")
    func noNews() async throws {
        let erased = try await ErasedCustomer(.memory)
        _ = try await erased.bench.erase([erased.number])
        let counts = Mutex<[Int]>([])
        let ledger = Ledger(
            erased.bench.database.base, digest: OpenSSLDigest(), key: Bench.digestKey,
            onRedemptions: { news in counts.withLock { $0.append(news.counts[.redeemed] ?? 0) } })
        let scope = erased.bench.scope
        for (id, day) in [("710000000000001", Int64(0)), ("710000000000008", 60)] {
            _ = try await ledger.write(by: AuditAuthor(actor: "tests")) {
                try HistoryStore($0).ingest(
                    [ErasedCustomer.offered(TransactionId(rawValue: id), day: day)], at: Bench.now, in: scope)
            }
        }
        #expect(counts.withLock { $0 } == [1])
    }

    @Test("who comes back may be erased again, and is known once more")
    func again() async throws {
        let erased = try await ErasedCustomer()
        _ = try await erased.bench.erase([erased.number])
        _ = try await erased.keyedIngest([ErasedCustomer.offered("710000000000008", day: 60)])
        let uses = try await erased.uses()
        #expect(try await erased.redemptions() == 2)
        _ = try await erased.bench.erase([erased.number])
        #expect(try await erased.redemptions() == 2)
        #expect(try await erased.uses() == uses)
        let back = try await erased.keyedIngest([
            ErasedCustomer.offered("710000000000001", day: 0), ErasedCustomer.offered("710000000000008", day: 60),
        ])
        #expect(back == [erased.number, erased.number])
        #expect(try await erased.redemptions() == 2)
        let verification = verification
        let report = try await erased.bench.database.read { try verification.verify($0) }
        #expect(report.rows["erasure"] == 2)
    }

    @Test("texts of one issued offer that two erasures take away are proven, and none is counted as retention's")
    func issuedOfferTwice() async throws {
        let erased = try await ErasedCustomer()
        let number = erased.number
        _ = try await erased.bench.erase([number])
        _ = try await erased.keyedIngest([ErasedCustomer.offered("710000000000008", day: 60)])
        _ = try await erased.bench.keyed.write(by: AuditAuthor(actor: "tests")) {
            try IssuedOfferStore($0).noteFullPrice([.number(2): "710000000000008"], of: number, at: Bench.now)
        }
        _ = try await erased.bench.erase([number])
        let verification = verification
        let report = try await erased.bench.database.read { try verification.verify($0) }
        #expect(report.rows["erasure"] == 2)
        let texts = try await erased.bench.database.read { transaction in
            try transaction.rows(
                Statement(
                    "SELECT void_reason, full_price_transaction_id FROM issued_offer WHERE id = ?1",
                    LowercaseUUID.number(2))
            ).flatMap(\.values)
        }
        for text in texts { #expect(LedgerDigests.remains(of: text) != nil, "\(text)") }
    }

    @Test("retention tells nothing of what an erasure has taken away already, and both are proven")
    func retention() async throws {
        let erased = try await ErasedCustomer()
        _ = try await erased.bench.erase([erased.number])
        // By the key that the rows were recorded with.
        let step = try await erased.bench.database.write {
            try RetentionStore($0).step(
                RetentionTerms(signatures: 0, refusals: 0),
                at: Bench.now.adding(milliseconds: 30 * Instant.Duration.day),
                limit: 100)
        }
        #expect(step.signatures == 0)
        // Two of the others' refusals do not name the customer.
        #expect(step.refusals == 2)
        let verification = verification
        _ = try await erased.bench.database.read { try verification.verify($0) }
    }

    @Test("a decision asked for under another spelling of the customer's name is another customer's")
    func spelling() async throws {
        let bench = try await Bench()
        let (scope, customer) = (bench.scope, try await bench.customer("700"))
        let plan = try await bench.database.write { transaction in
            try CustomerStore(transaction).state(
                [.customerId("Zo\u{EB}")], of: [customer], at: Bench.now, in: scope)
            for (number, name) in [(1, "Zo\u{EB}"), (2, "Zoe\u{308}")] {
                let record = DecisionRecord.fixture { $0.order.customerId = CustomerId(name) }
                try RefusalStore(transaction).insert(.fixture(number, customer: nil, record: record), in: scope)
            }
            return try ErasureStore(transaction).plan(for: [customer], digestKey: Bench.digestKey.name, in: scope)
        }
        let ids = try await bench.database.read { transaction in
            try plan.mentions.flatMap {
                try transaction.rows(Statement("SELECT id FROM refusal WHERE sequence = ?1", $0.key)).flatMap(\.values)
            }
        }
        #expect(ids == [LowercaseUUID.number(1).storedValue])
    }

    @Test("every decision about others that names the customer is found, whatever the size of a page", arguments: 1...6)
    func pagesOfDecisions(size: Int) async throws {
        let bench = try await Bench()
        let (scope, customer) = (bench.scope, try await bench.customer("700"))
        let found = try await bench.database.write { transaction in
            try CustomerStore(transaction).state([.customerId("Zoe")], of: [customer], at: Bench.now, in: scope)
            for number in 1...5 {
                // The third is about someone else.
                let record = DecisionRecord.fixture { $0.order.customerId = CustomerId(number == 3 ? "Anna" : "Zoe") }
                try RefusalStore(transaction).insert(.fixture(number, customer: nil, record: record), in: scope)
            }
            let search = PersonSearch(chain: [customer], scope: scope, transaction: transaction, pageSize: size)
            return try search.decisions(after: 0).flatMap {
                try transaction.rows(Statement("SELECT id FROM refusal WHERE sequence = ?1", $0.key)).flatMap(\.values)
            }
        }
        #expect(found == [1, 2, 4, 5].map { LowercaseUUID.number($0).storedValue })
    }

    @Test(
        "retention takes the signature of another's issued offer of which an erasure has taken the record, and both are proven"
    )
    func retentionOfMention() async throws {
        let erased = try await ErasedCustomer()
        let (bench, scope, other) = (erased.bench, erased.bench.scope, erased.other)
        let record = DecisionRecord.fixture {
            $0.identifiers = SeenIdentifiers(originalTransactionIds: [ErasedCustomer.original], appTransactionIds: [])
        }
        try await bench.database.write {
            try IssuedOfferStore($0).insert(
                .fixture(20), catalogRevision: 3, for: other, subject: [other], record: record, in: scope)
        }
        _ = try await bench.erase([erased.number])
        func texts() async throws -> [StoredValue] {
            try await bench.database.read {
                try $0.rows(Statement("SELECT record, jws FROM issued_offer WHERE id = ?1", LowercaseUUID.number(20)))
                    .flatMap(\.values)
            }
        }
        let before = try await texts()
        #expect(before.map { LedgerDigests.remains(of: $0) != nil } == [true, false])
        let step = try await bench.database.write {
            try RetentionStore($0).step(
                RetentionTerms(signatures: 0, refusals: 0),
                at: Bench.now.adding(milliseconds: 30 * Instant.Duration.day), limit: 100)
        }
        #expect(step.signatures == 1)
        let after = try await texts()
        #expect(after.map { LedgerDigests.remains(of: $0) != nil } == [true, true])
        #expect(after[0] == before[0])
        let verification = verification
        _ = try await bench.database.read { try verification.verify($0) }
    }

    @Test(
        "data that filled whole pages is overwritten by the erasure itself, before the file is rebuilt",
        .onSQLite("what a server's files keep of deleted rows is the server's"))
    func overwritten() async throws {
        let erased = try await ErasedCustomer()
        let marker = "payload-of-several-pages-"
        let long = "{\(String(repeating: marker, count: 1_500))}"
        _ = try await erased.bench.ingest([
            HistoryPayload(
                .transaction(
                    .fixture("710000000000009", original: ErasedCustomer.original, purchased: ErasedCustomer.start)),
                bytes: Array(long.utf8), provenance: .client)
        ])
        let database = try erased.bench.database.file
        #expect(database.emptyLog())
        let path = erased.bench.path
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data(marker.utf8)) != nil)
        try database.overwriteDeleted()
        _ = try await erased.bench.erase([erased.number])
        #expect(database.emptyLog())
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data(marker.utf8)) == nil)
    }

    @Test(
        "without a key for digests nothing is erased; under another key new customers are refused, so nobody's limits begin anew"
    )
    func keys() async throws {
        let erased = try await ErasedCustomer(.memory)
        let (scope, number) = (erased.bench.scope, erased.number)
        let plan = try await erased.bench.database.read {
            try ErasureStore($0).plan(for: [number], digestKey: SaltedDigest.name, in: scope)
        }
        await #expect(throws: ErasureRefusal.noDigestKey) {
            try await erased.bench.database.write {
                _ = try CustomerErasure(in: scope, at: Bench.now, author: "tests", offers: [], $0).run(
                    plan, reason: "r")
            }
        }
        _ = try await erased.bench.erase([number])
        await #expect(throws: StoreError.self) { try await erased.bench.ingest([.bought("790000000000001")]) }
        await #expect(throws: ErasureRefusal.otherDigestKey(Bench.digestKey.name)) {
            _ = try await erased.bench.database.read {
                try ErasureStore($0).plan(for: [erased.other], digestKey: "another", in: scope)
            }
        }
        // Somebody known goes on.
        try await erased.bench.ingest([.bought("799", bytes: "again")])
    }

    @Test("data that arrives between the plan and the erasure is erased too")
    func moved() async throws {
        let erased = try await ErasedCustomer(.memory)
        let (scope, number) = (erased.bench.scope, erased.number)
        let plan = try await erased.bench.database.read {
            try ErasureStore($0).plan(for: [number], digestKey: Bench.digestKey.name, in: scope)
        }
        _ = try await erased.keyedIngest([ErasedCustomer.offered("710000000000008", day: 60)])
        let outcome = try await erased.bench.keyed.write(by: AuditAuthor(actor: "tests")) {
            try CustomerErasure(in: scope, at: Bench.now, author: "tests", offers: [], $0).run(plan, reason: "r")
        }
        #expect(outcome == nil)
    }
}

extension ErasedCustomer {
    /// Ingests as a service does whose configuration has the digest key.
    func keyedIngest(_ payloads: [HistoryPayload]) async throws -> [CustomerNumber?] {
        let scope = bench.scope
        return try await bench.keyed.write(by: AuditAuthor(actor: "tests")) {
            try HistoryStore($0).ingest(payloads, at: Bench.now, in: scope).map(\.customer)
        }
    }
}
