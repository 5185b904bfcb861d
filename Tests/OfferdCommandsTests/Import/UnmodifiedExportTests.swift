import CommandLineSupport
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("An export as it was made")
struct UnmodifiedExportTests {
    private static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func source(_ text: String, _ mapping: ColumnMappingName = .apple) throws -> CSVSource {
        let file = try LineFile(path: try directory.write(text, to: "e.csv"), what: "file", longestLine: 300_000)
        return try CSVSource(
            file, mapping: mapping.columns(in: Self.scope), reader: PurchaseReader(scope: Self.scope, exportedAt: nil),
            ignored: [])
    }

    /// What each line says: the subscription, or why it was refused.
    private func told(_ source: CSVSource) throws -> [String] {
        var told: [String] = []
        try source.resume(at: 0, after: 0)
        while let line = try source.next() {
            switch line.content {
            case .success(let history): told.append("\(line.number) \(history.transactions[0].originalTransactionId)")
            case .failure(let refusal): told.append("\(line.number) \(refusal.reason): \(refusal.detail)")
            }
        }
        return told
    }

    private func histories(_ source: CSVSource) throws -> [ImportedHistory] {
        try source.resume(at: 0, after: 0)
        var found: [ImportedHistory] = []
        while let line = try source.next() { found.append(try line.content.get()) }
        return found
    }

    @Test(
        "is separated by what separates its header, whatever else is in it",
        arguments: [
            "transactionId,originalTransactionId,productId,purchaseDate\n7,1,p,1700000000000\n",
            "transactionId;originalTransactionId;productId;purchaseDate\n7;1;p;1700000000000\n",
            "transactionId\toriginalTransactionId\tproductId\tpurchaseDate\n7\t1\tp\t1700000000000\n",
            "sep=;\r\ntransactionId;originalTransactionId;productId;purchaseDate\r\n7;1;p;1700000000000\r\n",
            "\"a;note\",transactionId,originalTransactionId,productId,purchaseDate\n\"x;y\",7,1,p,1700000000000\n",
            "\"a,b,c,d,e\";transactionId;originalTransactionId;productId;purchaseDate\nx;7;1;p;1700000000000\n",
            "\"a\nnote\",transactionId,originalTransactionId,productId,purchaseDate\nx,7,1,p,1700000000000\n",
            "\u{FEFF}transactionId;originalTransactionId;productId;purchaseDate;a,b\n7;1;p;1700000000000;c,d\n;;;;\n",
        ])
    func delimiters(text: String) throws {
        let lines = try told(source(text))
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix(" 1") == true, "\(lines)")
    }

    @Test("a decimal comma is read where commas do not separate, and an ambiguous amount is refused")
    func decimals() throws {
        let header = "original_transaction_id;product_id;purchase_date;price\n"
        let rows = ["3,99", "3,9", "12.50", "1,000", "1.000,00", "3,99 €"].map { "1;p;2026-01-01 00:00:00;\($0)\n" }
        let source = try source(header + rows.joined(), .subscriptions)
        try source.resume(at: 0, after: 0)
        var prices: [Int64?] = []
        while let line = try source.next() { prices.append(try? line.content.get().transactions[0].price) }
        #expect(prices == [3_990, 3_900, 12_500, nil, nil, nil])
    }

    @Test("columns that mean nothing are named once, shortened and on one line, and nothing else is said")
    func unknownColumns() throws {
        let header = "transactionId,originalTransactionId,productId,purchaseDate"
        #expect(try source("\(header)\n").notices.isEmpty)
        #expect(try source("\(header),\n").notices.isEmpty)
        let path = directory.path("e.csv")
        #expect(try source("\(header),mood\n").notices == ["ignored 1 column of `\(path)`: `mood`"])
        let two = try source("mood,\(header),Refund Dte\n").notices
        #expect(two == ["ignored 2 columns of `\(path)`: `mood`, `Refund Dte`"])
        let many = (1...25).map { "x\($0)" }
        let shown = many.prefix(20).map { "`\($0)`" }.joined(separator: ", ")
        #expect(
            try source("\(header),\(many.joined(separator: ","))\n").notices
                == ["ignored 25 columns of `\(path)`: \(shown) and 5 more"])
        let hostile = try source("\(header),\u{1B}[31m\(String(repeating: "z", count: 5_000))\n").notices
        #expect(hostile.count == 1)
        #expect(hostile.first.map { $0.utf8.count < 300 && !$0.contains("\u{1B}") } == true, "\(hostile)")
    }

    @Test(
        "the subscription's id is found under its usual names",
        arguments: [
            "originalTransactionID", "Original Transaction Id", "original-transaction-id",
            "apple_original_transaction_id", "appleOriginalTransactionId", "vendor_original_transaction_id",
            "app_store_original_transaction_id", "original_store_transaction_id", "ORIGINAL_TRANSACTION_ID",
        ])
    func usualNames(name: String) throws {
        let apple = try source("transaction_id,\(name),product_id,purchase_date_ms\n7,1,p,1700000000000\n")
        #expect(try told(apple) == ["2 1"])
        let table = try source("\(name),productId,purchasedAt,expiresAt\n1,p,1700000000,1702592000\n", .subscriptions)
        #expect(try told(table) == ["2 1"])
        #expect(table.notices.isEmpty)
    }

    @Test("of a table with one id a subscription that is taken for the original's, which is said")
    func oneId() throws {
        let text = """
            id,user_id,product_id,transaction_id,purchase_date,expires_date,status
            1,anna,p,430001,2026-01-01 00:00:00,2026-02-01 00:00:00,active
            """
        let source = try source(text, .subscriptions)
        let transaction = try #require(try histories(source).first?.transactions.first)
        #expect(transaction.originalTransactionId == "430001" && transaction.transactionId == "430001")
        #expect(source.notices.count == 1)
        let notice = "has no `original_transaction_id`, so `transaction_id` is taken for it"
        #expect(source.notices.first?.contains(notice) == true)
        #expect(
            try self.source("original_transaction_id,\(text.replacing("id,user", with: "key,user"))", .subscriptions)
                .notices == ["ignored 1 column of `\(directory.path("e.csv"))`: `key`"])
    }

    @Test(
        "a file of another product, or for another mapping, is named with what reads it",
        arguments: [
            ("rc_original_app_user_id,store,store_transaction_id,start_time", .apple, "use `--mapping revenuecat`"),
            ("rc_original_app_user_id,store,product_identifier", .subscriptions, "use `--mapping revenuecat`"),
            (
                "store,store_transaction_id,original_store_transaction_id,product_identifier,start_time",
                .subscriptions,
                "the columns of `--mapping revenuecat`"
            ),
            ("user_id,original_transaction_id,product_id,expires_at,purchased_at", .apple, "`--mapping subscriptions`"),
            ("transactionId,originalTransactionId,productId,purchaseDate", .revenuecat, "`--mapping apple`"),
            (
                "profile_id,event_type,event_datetime,original_transaction_id,subscription_expires_at,environment",
                .apple, "Adapty's events"
            ),
            ("id,Customer ID,Plan,Status,Current Period Start (UTC)", .subscriptions, "Stripe's subscriptions"),
            ("rc_original_app_user_id,store,product_identifier", .revenuecat, "select `store_transaction_id`"),
            ("user_id,product_id,status,started_at", .subscriptions, "`POST /v1/transactions`"),
            ("a,b,c", .apple, "docs/import.md has the columns"),
        ] as [(String, ColumnMappingName, String)])
    func products(header: String, mapping: ColumnMappingName, hint: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try source("\(header)\n", mapping) }
        #expect(failure.message.contains("has no column `"), "\(failure.message)")
        #expect(failure.hints.contains { $0.contains(hint) }, "\(failure.hints)")
    }

    static let timeCases: [(String, Int64?)] = [
        ("1767225600000", 1_767_225_600_000), ("1767225600", 1_767_225_600_000), ("1767225600.5", 1_767_225_600_500),
        ("1767225600.123456", 1_767_225_600_123), ("2026-01-01T00:00:00Z", 1_767_225_600_000), ("1.7672256E+12", nil),
        ("1,767E+12", nil), ("1767225600.", nil), ("1767225600.-5", nil), ("01/02/2026", nil), ("", nil),
    ]

    @Test(
        "a time is in seconds or in milliseconds, which its size tells, and what a spreadsheet rounded is refused",
        arguments: timeCases)
    func times(text: String, milliseconds: Int64?) {
        let expected = milliseconds.map { Instant(milliseconds: $0) }
        #expect((try? CellValue.date(text, "purchaseDate")) == expected)
        #expect((try? CellValue.timestamp(text, "purchase_date")) == expected)
    }

    @Test(
        "an id that a program took for a number is refused by its name",
        arguments: [
            ("4.30001E+14", "a spreadsheet has rounded it"), ("430001.0", "a program has made a decimal of it"),
        ])
    func numbers(id: String, why: String) throws {
        let tables: [(ColumnMappingName, String)] = [
            (.apple, "transactionId,originalTransactionId,productId,purchaseDate\n7,\(id),p,1700000000000"),
            (.apple, "transactionId,originalTransactionId,productId,purchaseDate\n\(id),7,p,1700000000000"),
            (.subscriptions, "original_transaction_id,product_id,purchased_at\n\(id),p,2026-01-01 00:00:00"),
            (
                .revenuecat,
                "store,store_transaction_id,original_store_transaction_id,product_identifier,start_time\n"
                    + "app_store,7,\(id),p,2026-01-01 00:00:00"
            ),
        ]
        for (mapping, text) in tables {
            let lines = try told(source(text, mapping))
            #expect(lines.count == 1)
            #expect(lines[0].hasPrefix("2 invalidValue: ") && lines[0].contains(why), "\(lines)")
        }
    }

    static let graceCases: [(header: String, row: String, ends: Int64?)] = [
        ("status,grace_period_end", "grace_period,2026-02-17 00:00:00", 1_771_286_400_000),
        ("status,grace_period_expires_at", "in_grace_period,1771286400", 1_771_286_400_000),
        ("status,grace_period,grace_period_ends_at", "active,true,1771286400000", 1_771_286_400_000),
        ("status,grace_period", "grace_period,2026-02-17T00:00:00Z", 1_771_286_400_000),
        ("status,is_in_grace_period,grace_until", "past_due,1,2026-02-17 00:00:00", 1_771_286_400_000),
        ("status,grace_period_end", "4,2026-02-17 00:00:00", 1_771_286_400_000),
        ("status", "grace_period", nil), ("status,grace_period", "active,yes", nil),
        ("status,grace_period_end", "grace_period,", nil), ("status,grace_period", "grace,false", nil),
    ]

    @Test("a grace period says until when it lasts, or is asked for it", arguments: graceCases)
    func grace(header: String, row: String, ends: Int64?) throws {
        let text =
            "original_transaction_id,product_id,purchased_at,expires_at,\(header)\n1,p,1767225600,1769904000,\(row)\n"
        let source = try source(text, .subscriptions)
        guard let ends else {
            let lines = try told(source)
            #expect(lines.count == 1)
            #expect(lines[0].contains("nothing says until when access lasts"), "\(lines)")
            return
        }
        let info = try #require(try histories(source).first?.renewalInfos.first)
        #expect(info.gracePeriodExpiresDate == Instant(milliseconds: ends) && info.isInBillingRetryPeriod == true)
    }

    @Test(
        "a status may be Apple's number, and a flag may say that the payment failed",
        arguments: [
            ("status", "1", true, false), ("status", "2", false, false), ("status", "3", true, true),
            ("status", "lapsed", false, false), ("status", "subscribed", true, false),
            ("status,is_in_billing_retry", "active,true", true, true),
            ("status,in_billing_retry", "active,no", true, false),
        ] as [(String, String, Bool, Bool)])
    func statuses(header: String, row: String, renews: Bool, isFailing: Bool) throws {
        let text = "original_transaction_id,product_id,purchased_at,\(header)\n1,p,1767225600,\(row)\n"
        let info = try #require(try histories(source(text, .subscriptions)).first?.renewalInfos.first)
        #expect(info.autoRenewStatus == (renews ? .on : .off) && info.isInBillingRetryPeriod == isFailing)
    }
}
