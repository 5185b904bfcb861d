import Foundation
import OfferModel
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferStore

@Suite("Verifying the ledger")
struct LedgerVerificationTests {
    @Test("a ledger that only the stores have written is proven, and the report counts it", arguments: Driver.allCases)
    func proven(driver: Driver) async throws {
        let audited = try await AuditedBench(driver)
        let report = try await audited.verify()
        #expect(report.rows["issued_offer"] == 3)
        #expect(report.rows["signing"] == 2)
        #expect(report.rows["refusal"] == 2)
        #expect(report.rows["customer_merge"] == 2)
        #expect(report.rows["offer_grant"] == 3)
        #expect(report.rows["pause"] == 2)
        #expect(report.rows["catalog_revision"] == 2)
        #expect(report.rows["api_key"] == 2)
        #expect(report.checkpoints == 2)
        #expect(report.unsignedEvents == 1)
    }

    /// Tables that the audit does not cover, each with its reason; a new table has to be covered or listed.
    private static let unaudited: [String: String] = [
        "audit_event": "is the audit; its own hashes cover it",
        "audit_state": "a changed salt breaks every digest",
        "store_state": "the next number and some instants: nothing that was issued or decided",
        "scope": "numbers of apps; rows refer to them",
        "api_key_use": "the hour in which a key was last used, to find unused keys",
        "console_session": "who is signed in to the console, for hours; events name who acted",
        "customer": "identity is told by merges and proven by Apple's signatures in the history",
        "customer_identifier": "follows from the history",
        "customer_alias": "the app's word, erasable",
        "customer_attribute": "the app's word, erasable; what a decision saw is in its row",
        "offer_opening": "what a decision saw is in its row",
        "coverage": "the app's word; what a decision saw is in its row",
        "history_transaction": "signed by Apple",
        "history_renewal_info": "signed by Apple",
        "history_app_transaction": "signed by Apple",
        "history_facts": "follows from the history; the doctor compares them",
        "event": "follows from the history and the issued offers, for 30 days",
        "due_event": "follows from the history",
        "webhook": "how far delivery has come",
        "webhook_retry": "events that wait to be sent again",
        "simulation": "counts for marketing, for a day; nothing is decided by them",
        "notification": "signed by Apple; what it brought is in the history",
        "import_run": "how far an import has come; events tell of what it changed",
        "import_row": "read and not yet applied; applied rows are in the history",
        "import_refusal": "lines that an import refused",
        "import_customer": "whom a running import has met",
        "redemption": "follows from the history and the issued offers; events tell of each that comes or goes",
        "retention_progress": "how far retention has come",
        "erased_identifier": "digests by which somebody erased is known again; a changed one is like new data",
        "kept_evidence": "follows from the history that was erased; the issued offers that it counts for are covered",
        "kept_answer": "repeats what signatures and decisions hold, for a day",
        "migration": "the driver's own",
    ]

    @Test("every table of the schema is covered by the audit, or listed with the reason why not")
    func tables() async throws {
        let audited = try await AuditedBench()
        let tables = try await audited.texts(TestStore.tables)
        let covered = Set(LedgerTable.all.map(\.name) + CountedTable.all.map(\.name))
        for table in tables where !covered.contains(table) {
            #expect(Self.unaudited[table] != nil, "\(table) is neither covered nor listed")
        }
        #expect(covered.isSubset(of: tables))
    }

    @Test("the audit covers every column of its tables")
    func columns() {
        for table in LedgerTable.all {
            let covered = Set(table.covered.map(\.name) + table.state.map(\.name) + [table.key])
            #expect(table.table.columns.allSatisfy { covered.contains($0.name) }, "\(table.name)")
        }
    }

    @Test("docs/ledger.md lists the columns that a row's digest covers, in their order")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/ledger.md").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        for table in LedgerTable.all {
            let row = try #require(
                lines.last { $0.hasPrefix("| `\(table.name)` | ") }, "\(table.name) is not in docs/ledger.md")
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces).filter { $0 != "`" }
            }
            let names = { (isErasable: Bool) in
                table.covered.filter { $0.isErasable == isErasable }.map(\.name).joined(separator: " ")
            }
            #expect(cells[3] == names(false) && cells[4] == names(true), "\(table.name)")
        }
    }

    @Test("an edit of any column of any row is found, and its row named", arguments: AttackedTable.all)
    func edits(table: AttackedTable) async throws {
        let audited = try await AuditedBench()
        let columns = try table.columns
        let keys = try await audited.texts("SELECT CAST(\(table.key) AS TEXT) FROM \(table.name) ORDER BY 1")
        #expect(keys.count > 1)
        for (column, type) in columns.map({ ($0.name, $0.type) }) {
            let edit =
                switch type {
                case .integer: "COALESCE(\(column) + 1000, 1)"
                case .blob: "zeroblob(length(\(column)))"
                case .text: "COALESCE(\(column) || 'x', 'x')"
                }
            for key in keys {
                let sql = "UPDATE \(table.name) SET \(column) = \(edit) WHERE CAST(\(table.key) AS TEXT) = '\(key)'"
                // Nothing comes before the first event, so its `previous_hash` is zero already.
                if table.name == "audit_event", column == "previous_hash", key == "1" { continue }
                let found = try await audited.found(after: [sql])
                #expect(found?.table == table.name, "\(column) of \(key): \(String(describing: found))")
                let isKey = table.key.contains(column)
                #expect(isKey || found?.key == key, "\(column) of \(key): \(String(describing: found))")
            }
        }
    }

    @Test("a deleted row is found and named, or what the newest event told of", arguments: AttackedTable.all)
    func deletions(table: AttackedTable) async throws {
        let audited = try await AuditedBench()
        let keys = try await audited.texts("SELECT '' || \(table.key) FROM \(table.name) ORDER BY \(table.key)")
        for key in keys {
            let found = try await audited.found(after: [
                "DELETE FROM \(table.name) WHERE CAST(\(table.key) AS TEXT) = '\(key)'"
            ])
            if table.name == "audit_event", key == keys.last {
                #expect(found?.table == "refusal", "\(String(describing: found))")
            } else {
                #expect(found?.table == table.name && found?.key == key, "\(key): \(String(describing: found))")
            }
        }
    }

    @Test("two rows in each other's place are found, and one of them named", arguments: AttackedTable.all)
    func exchanges(table: AttackedTable) async throws {
        let audited = try await AuditedBench()
        let keys = try await audited.texts(
            "SELECT '' || \(table.place) FROM \(table.name) ORDER BY \(table.place)")
        for (left, right) in zip(keys, keys.dropFirst()) {
            func move(_ old: String, _ new: String) -> String {
                "UPDATE \(table.name) SET \(table.place) = '\(new)' WHERE CAST(\(table.place) AS TEXT) = '\(old)'"
            }
            let found = try await audited.found(after: [
                move(left, "999999"), move(right, left), move("999999", right),
            ])
            #expect(found?.table == table.name, "\(left) and \(right): \(String(describing: found))")
            let named =
                table.name == "catalog_revision" ? found?.key.split(separator: "/").last.map(String.init) : found?.key
            #expect(named == left || named == right, "\(left) and \(right): \(String(describing: found))")
        }
    }

    @Test(
        "a total or a budget that is changed, added or deleted is found and named (invariant 2)",
        arguments: CountedTable.all)
    func totals(table: CountedTable) async throws {
        let audited = try await AuditedBench()
        let columns = try #require(Table.all.first { $0.name == table.name }).columns
        let keys = try await audited.texts("SELECT \(table.key) FROM \(table.name) WHERE amount > 0 ORDER BY 1")
        #expect(keys.count > 1)
        for key in keys {
            let row = "\(table.key) = '\(key)'"
            for (column, type) in columns.map({ ($0.name, $0.type) }) {
                let edit = type == .integer ? "\(column) + 1" : "\(column) || 'x'"
                let found = try await audited.found(after: ["UPDATE \(table.name) SET \(column) = \(edit) WHERE \(row)"]
                )
                #expect(found?.table == table.name, "\(column) of \(key): \(String(describing: found))")
                #expect(column != "amount" || found?.key == key, "\(key): \(String(describing: found))")
            }
            for edit in ["UPDATE \(table.name) SET amount = 0 WHERE \(row)", "DELETE FROM \(table.name) WHERE \(row)"] {
                let found = try await audited.found(after: [edit])
                #expect(found?.table == table.name && found?.key == key, "\(edit): \(String(describing: found))")
            }
        }
        let added = try await audited.found(after: [
            "CREATE TABLE forged AS SELECT * FROM \(table.name) WHERE amount > 0 ORDER BY 1 LIMIT 1",
            "UPDATE forged SET \(table.other) = 'ZZZ'", "INSERT INTO \(table.name) SELECT * FROM forged",
            "DROP TABLE forged",
        ])
        #expect(added?.table == table.name && added?.key.contains("ZZZ") == true, "\(String(describing: added))")
    }

    @Test("a counter at the largest number that is read is found, and does not overflow what it is compared with")
    func largestTotal() async throws {
        let audited = try await AuditedBench()
        let largest = Int64(1) << 60
        let found = try await audited.found(after: ["UPDATE offer_counter SET amount = \(largest)"])
        #expect(found?.table == "offer_counter")
        for beyond in [largest + 1, .max] {
            let corrupt = await #expect(throws: StoreError.self) {
                try await audited.found(after: ["UPDATE offer_counter SET amount = \(beyond)"])
            }
            #expect(corrupt?.detail.contains("`offer_counter.amount` is `\(beyond)`") == true)
        }
    }

    @Test("a row that was put in is found and named")
    func insertions() async throws {
        let audited = try await AuditedBench()
        let copies = [
            ("issued_offer", "sequence = 900, id = '00000000-0000-4000-8000-000000000900', settled_at = 1", "900"),
            ("signing", "sequence = 900, signing = 9", "900"),
            ("refusal", "sequence = 900, id = '00000000-0000-4000-8000-000000000900'", "900"),
            ("audit_checkpoint", "number = 3, event_sequence = 900", "3"),
            ("pause", "sequence = 900, offer_id = 'z'", "900"),
            ("api_key", "id = '900', role = 'admin'", "900"),
            ("catalog_revision", "revision = 900", "900"),
        ]
        for (table, change, key) in copies {
            let found = try await audited.found(after: [
                "CREATE TABLE forged AS SELECT * FROM \(table) ORDER BY 1 LIMIT 1", "UPDATE forged SET \(change)",
                "INSERT INTO \(table) SELECT * FROM forged", "DROP TABLE forged",
            ])
            #expect(found?.table == table, "\(table): \(String(describing: found))")
            #expect(found?.key.hasSuffix(key) == true, "\(key): \(String(describing: found))")
        }
    }

    @Test("a row under a number that the service never gives is found and named", arguments: ["-1", "0"])
    func unnumbered(number: String) async throws {
        let audited = try await AuditedBench()
        let copies = [
            ("issued_offer", "id = '00000000-0000-4000-8000-000000000900', settled_at = 1"),
            ("signing", "signing = 9"),
            ("refusal", "id = '00000000-0000-4000-8000-000000000900'"),
            ("audit_checkpoint", "event_sequence = -1"),
            ("pause", "offer_id = 'z'"),
            ("customer_merge", "merged_id = survivor_id"),
        ]
        for (table, change) in copies {
            let key = table == "audit_checkpoint" ? "number" : "sequence"
            let found = try await audited.found(after: [
                "CREATE TABLE forged AS SELECT * FROM \(table) ORDER BY 1 LIMIT 1",
                "UPDATE forged SET \(change), \(key) = \(number)", "INSERT INTO \(table) SELECT * FROM forged",
                "DROP TABLE forged",
            ])
            #expect(found?.table == table && found?.key == number, "\(table): \(String(describing: found))")
        }
        // Outside of the chain, it would make a changed issued offer look right.
        let event = try await audited.found(after: [
            """
            INSERT INTO audit_event SELECT \(number), 'settlement', actor, at, request_id, scope_id,
            (SELECT MIN(sequence) FROM issued_offer), digest_key, NULL, '{"places":7}', '[]', previous_hash, hash
            FROM audit_event WHERE sequence = 2
            """, "UPDATE issued_offer SET places = 7 WHERE sequence = (SELECT MIN(sequence) FROM issued_offer)",
        ])
        #expect(event?.table == "audit_event" && event?.key == number, "\(String(describing: event))")
    }

    @Test(
        "a text that goes on after a NUL, where no reader sees it, is found and its row named",
        .onSQLite("PostgreSQL has no such text"),
        arguments: AttackedTable.all)
    func hiddenText(table: AttackedTable) async throws {
        let audited = try await AuditedBench()
        let columns = try table.columns.filter { $0.type == .text }.map(\.name)
        let key = try #require(
            try await audited.texts("SELECT '' || \(table.key) FROM \(table.name) ORDER BY \(table.key)").last)
        for column in columns {
            let found = try await audited.found(after: [
                """
                UPDATE \(table.name) SET \(column) = CAST(CAST(COALESCE(\(column), 'x') AS BLOB) || x'0078' AS TEXT)
                WHERE CAST(\(table.key) AS TEXT) = '\(key)'
                """
            ])
            #expect(found?.table == table.name, "\(column): \(String(describing: found))")
            #expect(table.key.contains(column) || found?.key == key, "\(column): \(String(describing: found))")
        }
    }

    @Test("a cut-off that a checkpoint covers is found; one after the last checkpoint cannot be")
    func truncation() async throws {
        let audited = try await AuditedBench()
        func cut(after event: String, refusal: String) -> [String] {
            ["DELETE FROM audit_event WHERE sequence > \(event)", "DELETE FROM refusal WHERE sequence > \(refusal)"]
        }
        let newest = "(SELECT MAX(event_sequence) FROM audit_checkpoint)"
        let others = "(SELECT MAX(sequence) - 1 FROM refusal)"
        #expect(try await audited.found(after: cut(after: "\(newest) + 1", refusal: others)) == nil)
        let found = try await audited.found(after: cut(after: "\(newest) - 1", refusal: others))
        #expect(found?.table == "audit_event")
        #expect(found?.detail.contains("the audit was cut off, and checkpoint 2 signs it") == true)
    }

    /// Texts that retention removes, by table.
    static let removable = [
        ("issued_offer", "v1_signature"), ("issued_offer", "jws"), ("signing", "v1_signature"), ("signing", "jws"),
        ("refusal", "jws"), ("refusal", "record"),
    ]

    @Test(
        "a text that is taken away with an event leaves a ledger that is proven, without one a broken one",
        arguments: removable)
    func removal(table: String, column: String) async throws {
        let audited = try await AuditedBench()
        try await audited.write { try Self.remove(column, of: table, $0, told: 1) }
        _ = try await audited.verify()
        let forged = try await audited.found(after: [
            "UPDATE \(table) SET transaction_id = 'hmac-sha256:' || hex(\(column)) WHERE \(column) IS NOT NULL"
        ])
        #expect(forged?.table == table)

        let untold = try await AuditedBench()
        try await untold.write { try Self.remove(column, of: table, $0, told: nil) }
        let broken = await #expect(throws: BrokenRow.self) { try await untold.verify() }
        #expect(
            broken?.detail.contains(" texts are gone; the events `retention` tell of 0 and the events `erasure` of ")
                == true)
    }

    @Test(
        "a text that only an erasure takes away is not taken away under the name of retention",
        arguments: [
            ("issued_offer", "record"), ("issued_offer", "app_account_token"), ("issued_offer", "app_customer_id"),
            ("issued_offer", "transaction_id"), ("signing", "record"), ("signing", "app_account_token"),
            ("signing", "transaction_id"), ("refusal", "app_account_token"), ("refusal", "transaction_id"),
        ])
    func removedAsRetention(table: String, column: String) async throws {
        let audited = try await AuditedBench()
        try await audited.write { try Self.remove(column, of: table, $0, told: 1) }
        let broken = await #expect(throws: BrokenRow.self) { try await audited.verify() }
        #expect(broken?.table == table)
        #expect(broken?.detail == "its `\(column)` is gone, and no erasure names the row")
    }

    /// Leaves the digest of a text in its place, and perhaps tells that retention has removed so many texts.
    private static func remove(
        _ column: String, of table: String, _ transaction: any StoreTransaction, told: Int?
    ) throws {
        let log = try transaction.audit()
        let row = try #require(
            try transaction.row(
                Statement(
                    """
                    SELECT sequence, \(column) FROM \(table) WHERE \(column) IS NOT NULL ORDER BY sequence LIMIT 1
                    """, values: [])))
        let covered = try #require(LedgerTable.named(table))
        let remains = try log.remains(of: row.values[1], column: column, table: covered, key: row.values[0])
        try transaction.execute(
            Statement("UPDATE \(table) SET \(column) = ?2 WHERE sequence = ?1", row.values[0].number, remains))
        if let told { log.record(.retention, at: Bench.now, in: nil, after: ["erased": told]) }
    }

    @Test("an issued offer whose texts were told of under several keys is proven, and a change of one of them is found")
    func severalKeys() async throws {
        let audited = try await AuditedBench()
        @Sendable func note(_ purchase: TransactionId, _ transaction: any StoreTransaction) throws {
            let row = try transaction.row(
                Statement("SELECT customer_id FROM issued_offer WHERE id = ?1", LowercaseUUID.number(1)))
            let owner = CustomerNumber(rawValue: try #require(row).value(0))
            _ = try IssuedOfferStore(transaction).noteFullPrice([.number(1): purchase], of: owner, at: Bench.now)
        }
        // It was voided with a reason while there was no key.
        try await audited.bench.keyed.write(by: AuditAuthor(actor: "tests")) { try note("77", $0) }
        _ = try await audited.verify()
        try await audited.write { try note("78", $0) }
        _ = try await audited.verify()
        for column in ["void_reason", "full_price_transaction_id"] {
            let edit = "UPDATE issued_offer SET \(column) = 'other' WHERE id = '\(LowercaseUUID.number(1))'"
            #expect(try await audited.found(after: [edit])?.table == "issued_offer", "\(column)")
        }
    }

    @Test("a chain made anew up to its end does not fit the checkpoints")
    func forgery() async throws {
        let audited = try await AuditedBench()
        let verification = audited.verification
        let found = try await audited.undone { transaction in
            try Self.remake(transaction)
            return try #require(throws: BrokenRow.self) { _ = try verification.verify(transaction) }
        }
        #expect(found.table == "audit_checkpoint")
        #expect(found.key == "1")
    }

    /// Changes an actor and computes every hash again, as somebody does who knows how.
    private static func remake(_ transaction: any StoreTransaction) throws {
        try transaction.execute(Statement("UPDATE audit_event SET actor = 'nobody' WHERE sequence = 2"))
        var head = AuditEvent.origin
        let events = Statement("SELECT \(Table.auditEvent.list) FROM audit_event ORDER BY sequence")
        for row in try transaction.rows(events) {
            var event = try AuditEvent(row: row)
            event.previousHash = head
            head = try event.derivedHash(OpenSSLDigest())
            try transaction.execute(
                Statement(
                    "UPDATE audit_event SET previous_hash = ?2, hash = ?3 WHERE sequence = ?1", event.sequence,
                    event.previousHash, head))
        }
    }

    @Test("the ledger cannot be changed in a transaction that nobody signs for")
    func unrecorded() async throws {
        let bench = try await Bench()
        await #expect(throws: StoreError.unrecorded) {
            try await bench.database.base.write { try APIKeyStore($0).insert(.fixture("k")) }
        }
        #expect(try await bench.database.read { try APIKeyStore($0).keys() }.isEmpty)
    }

    @Test(
        "an event is neither edited nor deleted, whoever asks",
        arguments: [("audit_event", "sequence"), ("audit_checkpoint", "number")])
    func appendOnly(table: String, key: String) async throws {
        let bench = try await Bench()
        try await bench.database.write { transaction in
            try APIKeyStore(transaction).insert(.fixture("k"))
        }
        try await bench.database.write { transaction in
            _ = try CheckpointStore(transaction).add(
                at: Bench.now, fingerprint: String(repeating: "0", count: 64), sign: { _ in [1] })
        }
        for sql in ["UPDATE \(table) SET \(key) = \(key)", "DELETE FROM \(table)"] {
            await #expect(throws: StoreError.self) {
                _ = try await bench.database.base.write { try $0.execute(Statement(sql, values: [])) }
            }
        }
    }

    @Test("an issued offer, its decision and its signatures are one event, with who, when and for which request")
    func oneEvent() async throws {
        let bench = try await Bench()
        let customer = try await bench.customer()
        let scope = bench.scope
        let ledger = Ledger(bench.database.base, digest: OpenSSLDigest())
        let author = AuditAuthor(actor: "0123456789abcdef", requestId: .number(9))
        try await ledger.write(by: author) { transaction in
            try IssuedOfferStore(transaction).insert(
                .fixture(1), catalogRevision: 3, for: customer, subject: [customer],
                signatures: [.fixture(3, format: .v1), .fixture(4)], in: scope)
        }
        let events = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT \(Table.auditEvent.list) FROM audit_event ORDER BY sequence"))
                .map { try AuditEvent(row: $0) }
        }
        #expect(events.map(\.kind) == [.issue])
        let issue = try #require(events.last)
        #expect(issue.actor == "0123456789abcdef")
        #expect(issue.requestId == .number(9))
        #expect(issue.at == Bench.now)
        #expect(try issue.references().map(\.table) == ["issued_offer"])
        let expires = Bench.now.milliseconds + 86_400_000
        #expect(
            issue.after == """
                {"countsUntil":\(expires + 3_600_000),"customer":\(customer.rawValue),\
                "expiresAt":\(expires),"isReleased":0,"places":1,\
                "productId":"com.example.pro.monthly","redemptions":0,"signings":1}
                """)
        for text in ["1000", "00000000-0000-0000-0000-00000000004d", "header.payload"] {
            let told = "\(issue.after ?? "")\(issue.rows)"
            #expect(!told.contains("\"\(text)"), "an event holds what may be erased")
        }
    }
}

extension StoredValue {
    fileprivate var number: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}
