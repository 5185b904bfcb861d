import CommandLineSupport
import OfferApplication
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferdCommands

@Suite("CSV of purchases")
struct CSVTests {
    private static let scope = Scope(bundleId: "com.example.pro", environment: .localTesting)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func source(
        _ text: some Sequence<UInt8>, _ mapping: ColumnMappingName = .apple, scope: Scope = scope,
        ignored: Set<String> = []
    ) throws -> CSVSource {
        let file = try LineFile(path: try directory.write(text, to: "e.csv"), what: "file", longestLine: 300_000)
        return try CSVSource(
            file, mapping: mapping.columns(in: scope), reader: PurchaseReader(scope: scope, exportedAt: nil),
            ignored: ignored)
    }

    private func lines(_ source: some ImportSource) throws -> [ImportLine] {
        try source.resume(at: 0, after: 0)
        var lines: [ImportLine] = []
        while let line = try source.next() { lines.append(line) }
        return lines
    }

    private func reasons(_ lines: [ImportLine]) -> [String] {
        lines.map { line in
            switch line.content {
            case .success(let history): "\(line.number) \(history.transactions[0].transactionId)"
            case .failure(let refusal): "\(line.number) \(refusal.reason)"
            }
        }
    }

    static let header = "transactionId,originalTransactionId,productId,purchaseDate"

    @Test("fields follow RFC 4180: quotes, doubled quotes, commas and line breaks in quotes, CRLF or LF, a BOM")
    func fields() throws {
        let text = """
            \u{FEFF}\(Self.header),customerId,note\r
            "1",1,p,1700000000000,"an ""na"", the first","two
            lines"\r
            2,"2",p,2023-11-14T22:13:20Z,,\r

            3,3,p,"1700000000000",last,
            """
        let lines = try lines(source(text.utf8, ignored: ["note"]))
        let header = try CSVRecord.fields(Array("a,\"two\nlines\",".utf8))
        #expect(header == ["a", "two\nlines", ""])
        #expect(reasons(lines) == ["2 1", "4 2", "6 3"])
        let histories = try lines.map { try $0.content.get() }
        #expect(
            histories.map(\.customerId) == ["an \"na\", the first", nil, "last"].map { $0.map { CustomerId($0) } })
        #expect(Set(histories.map { $0.transactions[0].purchaseDate.milliseconds }) == [1_700_000_000_000])
        #expect(lines.last?.end == Int64(text.utf8.count))
    }

    @Test("a broken record costs its line and none of the next ones")
    func broken() throws {
        let text = """
            \(Self.header)
            1,1,p,1700000000000
            2,"2,p,1700000000000
            3,3,p,1700000000000
            4,4,p"q,1700000000000
            5,5,"p"q,1700000000000
            6,6,p
            7,7,p,yesterday
            8,8,p,1700000000000,9
            9,9,p,1700000000000
            "
            """
        let lines = try lines(source(text.utf8))
        #expect(
            reasons(lines) == [
                "2 1", "3 malformed", "4 3", "5 malformed", "6 malformed", "7 malformed", "8 invalidValue",
                "9 malformed", "10 9", "11 malformed",
            ])
    }

    @Test("a quote in every line costs each line its own, and nothing is read twice")
    func oddQuotes() throws {
        let text = Self.header + "\n" + String(repeating: "1,1,p\",1700000000000\n", count: 30_000)
        let file = try LineFile(path: try directory.write(text, to: "e.csv"), what: "file", longestLine: 300_000)
        let source = try CSVSource(
            file, mapping: ColumnMappingName.apple.columns(in: Self.scope),
            reader: PurchaseReader(scope: Self.scope, exportedAt: nil), ignored: [])
        let lines = try lines(source)
        #expect(lines.count == 30_000)
        #expect(reasons(lines).allSatisfy { $0.hasSuffix(" malformed") })
        // The first piece is read for the header and again for the lines; a few bytes more tell that it is text.
        let most = file.size + 262_144 + 1_000
        #expect(file.file.bytesRead < most, "\(file.file.bytesRead) of \(file.size)")
    }

    @Test("a quote that is not closed within 64 KiB is refused with its line, and reading goes on behind that line")
    func unclosed() throws {
        let good = (2...4_000).map { "\($0),\($0),p,1700000000000" }
        let text = ([Self.header, "1,\"1,p,1700000000000"] + good).joined(separator: "\n")
        let lines = try lines(source(text.utf8))
        #expect(lines.count == 4_000)
        guard case .failure(let refusal) = lines[0].content else { return #expect(Bool(false), "it was read") }
        #expect(refusal == ImportRefusal(.malformed, "a quoted field does not end within 65536 bytes"))
        #expect(reasons(Array(lines.dropFirst())) == (2...4_000).map { "\($0 + 1) \($0)" })
    }

    @Test("a refusal quotes a bounded part of a line", arguments: [ColumnMappingName.revenuecat, .subscriptions])
    func boundedWords(mapping: ColumnMappingName) throws {
        let columns = mapping.columns(in: Self.scope).needed.sorted().filter { $0 != "store" } + ["store"]
        let row = columns.map { $0 == "store" ? String(repeating: "z", count: 60_000) : "1" }
        let text = columns.joined(separator: ",") + "\n" + row.joined(separator: ",")
        let line = try #require(try lines(source(text.utf8, mapping)).first)
        guard case .failure(let refusal) = line.content else { return #expect(Bool(false), "it was read") }
        #expect(refusal.reason == .otherStore)
        #expect(refusal.detail.hasPrefix("`store` is `zzz") && refusal.detail.utf8.count < 200)
    }

    @Test("bytes that are no text are refused where they stand")
    func bytes() throws {
        var text = Array("\(Self.header),customerId\n1,1,p,1700000000000,".utf8)
        text += [0xFF, 0xFE, 0x0A]
        text += Array("2,2,p,1700000000000,a\u{0}b\n".utf8)
        text += Array("3,3,p,1700000000000,".utf8) + [UInt8](repeating: 0x61, count: 400_000) + [0x0A]
        text += Array("4,4,p,1700000000000,d".utf8)
        let lines = try lines(source(text))
        #expect(reasons(lines) == ["2 malformed", "3 invalidValue", "4 tooLong", "5 4"])
    }

    @Test("reading goes on behind any line as if it had never stopped, and numbers the lines alike")
    func resumed() throws {
        let text = """
            \(Self.header),customerId
            1,1,p,1700000000000,"a
            b"
            2,2,p,1700000000000,

            3,3,p,x,
            4,4,p,1700000000000,"c"
            """
        let source = try source(text.utf8)
        let all = try lines(source)
        #expect(all.map(\.number) == [2, 4, 6, 7])
        for (index, line) in all.enumerated() {
            try source.resume(at: line.end, after: Int64(index + 1))
            #expect(try source.next() == (index + 1 < all.count ? all[index + 1] : nil))
        }
    }

    @Test(
        "a header with anything missing or doubled, or that is none, is an error that says what to do",
        arguments: [
            ("transactionId,originalTransactionAd,productId,purchaseDate\n", "has no column `originalTransactionId`"),
            ("transactionId,productId,purchaseDate\n", "has no column `originalTransactionId`"),
            ("\(header),productId\n", "has the column `productId` twice"),
            ("\(header),productId,product_id\n", "`productId`"),
            ("transactionId;productId\n", "has no column `originalTransactionId`"),
            ("\"transactionId\n", "does not end"), ("\n\n", "has no header"), ("sep=;\n", "has no header"),
            ("a,b\r1,2\r3,4", "end in CR alone"), ("{\"transactionId\": 1}\n", "holds JSON and not CSV"),
            (String(repeating: "a", count: 400_000), "the line has more than 300000 bytes"),
        ])
    func headers(text: String, message: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try source(text.utf8) }
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
        #expect(failure?.status.rawValue == 2)
        if text.contains("originalTransactionAd") {
            #expect(failure?.hints.first == "is it `originalTransactionAd`? rename it")
        }
    }

    @Test("a column that is passed over means nothing")
    func ignored() throws {
        let source = try source("\(Self.header),mood\n1,1,p,1700000000000,fine\n".utf8, ignored: ["mood"])
        #expect(try reasons(lines(source)) == ["2 1"])
    }

    @Test("RevenueCat's columns become Apple's members, and what is not of the App Store or of here is told apart")
    func revenueCat() throws {
        let text = """
            rc_original_app_user_id,rc_last_seen_app_user_id_alias,store,store_transaction_id,\
            original_store_transaction_id,product_identifier,start_time,end_time,grace_period_end_time,is_sandbox,\
            is_trial_period,is_in_intro_offer_period,is_auto_renewable,refunded_at,unsubscribe_detected_at,\
            billing_issues_detected_at,purchased_currency,purchase_price_in_purchased_currency,ownership_type,offer,\
            offer_type,updated_at
            anna,$RCAnonymousID:1,app_store,2,1,p,2023-01-01 08:27:06,2023-02-01 08:27:06,,false,true,false,true,,\
            2023-01-16 14:17:10.250,,GBP,3.99,PURCHASED,,,2023-02-20 05:47:55
            anna,berta,app_store,3,1,p,2023-02-01 08:27:06,2023-03-01 08:27:06,2023-03-17 08:27:06,false,false,false,\
            true,2023-02-20 05:47:55,,2023-03-01 08:27:15,GBP,3.9,FAMILY_SHARED,black_friday,offer_code,
            x,x,play_store,4,4,p,2023-02-01 08:27:06,,,false,false,false,true,,,,,,,,,
            x,x,app_store,5,5,p,2023-02-01 08:27:06,,,true,false,false,true,,,,,,,,,
            x,x,app_store,6,6,p,2023-02-01 08:27:06,,,false,false,false,true,,,,,,,o,mystery,
            """
        let production = Scope(bundleId: "com.example.pro", environment: .production)
        let lines = try lines(source(text.utf8, .revenuecat, scope: production))
        #expect(reasons(lines) == ["2 2", "3 3", "4 otherStore", "5 wrongEnvironment", "6 invalidValue"])

        func at(_ text: String) -> Instant? { Instant(iso8601: text) }
        let first = try lines[0].content.get()
        #expect(first.customerId == "anna")
        let trial = first.transactions[0]
        #expect(trial.originalTransactionId == "1" && trial.productId == "p")
        #expect(trial.purchaseDate == at("2023-01-01T08:27:06Z") && trial.expiresDate == at("2023-02-01T08:27:06Z"))
        #expect(trial.signedDate == at("2023-02-20T05:47:55Z"))
        #expect(trial.offerType == .introductory && trial.offerDiscountType == .freeTrial)
        #expect(trial.price == 3_990 && trial.currency == "GBP" && trial.inAppOwnershipType == .purchased)
        #expect(trial.type == .autoRenewableSubscription && trial.revocationDate == nil)
        let cancelled = try #require(first.renewalInfos.first)
        #expect(cancelled.autoRenewStatus == .off && cancelled.signedDate == at("2023-01-16T14:17:10.250Z"))

        let second = try lines[1].content.get()
        #expect(second.customerId == "berta")
        let code = second.transactions[0]
        #expect(code.offerType == .offerCode && code.offerIdentifier == "black_friday" && code.price == 3_900)
        #expect(code.revocationDate == at("2023-02-20T05:47:55Z") && code.signedDate == code.revocationDate)
        let grace = try #require(second.renewalInfos.first)
        #expect(grace.autoRenewStatus == .on && grace.isInBillingRetryPeriod == true)
        #expect(grace.gracePeriodExpiresDate == at("2023-03-17T08:27:06Z"))
        #expect(grace.signedDate == at("2023-03-01T08:27:15Z"))
    }

    @Test("a table of subscriptions gives the latest period and how it renews")
    func subscriptions() throws {
        let text = """
            id,user_id,app_account_token,store,product_id,original_transaction_id,transaction_id,status,\
            current_period_start,current_period_end,cancel_at_period_end,environment,created_at,updated_at
            7,anna,0E1F2A3B-4C5D-4E6F-8A9B-0C1D2E3F4A5B,app_store,p,1,3,active,2026-01-01T00:00:00+00:00,\
            2026-02-01 00:00:00+00,true,localtesting,2025-12-01T00:00:00.123456Z,2026-01-05 00:00:00 UTC
            8,berta,,app_store,p,2,,trialing,2026-01-01T00:00:00Z,2026-01-08T00:00:00Z,,,,
            9,carla,,app_store,p,4,,past_due,2026-01-01T00:00:00Z,2026-01-08T00:00:00Z,,,,
            10,dora,,app_store,p,5,,refunded,2026-01-01T00:00:00Z,2026-01-08T00:00:00Z,,,,2026-01-03T00:00:00Z
            11,x,,stripe,p,6,,active,2026-01-01T00:00:00Z,,,,,
            12,x,,app_store,p,7,,puzzled,2026-01-01T00:00:00Z,,,,,
            """
        let lines = try lines(source(text.utf8, .subscriptions))
        #expect(reasons(lines) == ["2 3", "3 2", "4 4", "5 5", "6 otherStore", "7 invalidValue"])
        let histories = try lines.prefix(4).map { try $0.content.get() }
        let first = histories[0].transactions[0]
        #expect(first.appAccountToken == AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"))
        #expect(first.environment == "LocalTesting" && first.originalTransactionId == "1")
        #expect(first.originalPurchaseDate == Instant(iso8601: "2025-12-01T00:00:00.123Z"))
        #expect(first.signedDate == Instant(iso8601: "2026-01-05T00:00:00Z"))
        #expect(histories[0].renewalInfos[0].autoRenewStatus == .off && histories[0].customerId == "anna")
        #expect(histories[1].transactions[0].offerType == .introductory)
        #expect(histories[1].renewalInfos[0].autoRenewStatus == .on)
        #expect(histories[2].renewalInfos[0].isInBillingRetryPeriod == true)
        #expect(histories[3].transactions[0].revocationDate == Instant(iso8601: "2026-01-03T00:00:00Z"))
    }

    @Test(
        "a table with an app's own names for the columns means the same, and mistakes are named as the file names them")
    func synonyms() throws {
        let text = """
            user_id,product_id,original_transaction_id,purchased_at,expires_at,auto_renew_enabled,is_trial,trial_ends_at,\
            cancelled_at
            anna,p,1,2026-01-01T00:00:00Z,,true,true,2026-01-08T00:00:00Z,
            berta,p,2,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,,false,2025-12-08T00:00:00Z,2026-01-05T00:00:00Z
            carla,p,3,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,,,,
            dora,p,4,2026-01-01T00:00:00Z,soon,,,,
            edda,p,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,perhaps,,,
            fritz,p,6,,2026-02-01T00:00:00Z,,,,
            """
        let lines = try lines(source(text.utf8, .subscriptions))
        #expect(reasons(lines) == ["2 1", "3 2", "4 3", "5 invalidValue", "6 invalidValue", "7 malformed"])
        let histories = try lines.prefix(3).map { try $0.content.get() }
        let trial = histories[0].transactions[0]
        #expect(trial.offerType == .introductory && trial.offerDiscountType == .freeTrial)
        #expect(trial.expiresDate == Instant(iso8601: "2026-01-08T00:00:00Z"))
        #expect(histories[0].renewalInfos[0].autoRenewStatus == .on)
        let cancelled = histories[1].transactions[0]
        #expect(cancelled.offerType == nil && cancelled.purchaseDate == Instant(iso8601: "2026-01-01T00:00:00Z"))
        #expect(cancelled.expiresDate == Instant(iso8601: "2026-02-01T00:00:00Z") && cancelled.revocationDate == nil)
        #expect(histories[1].renewalInfos[0].autoRenewStatus == .off)
        #expect(histories[2].renewalInfos.first?.autoRenewStatus == nil)
        let details = lines.suffix(3).map { line in
            if case .failure(let refusal) = line.content { refusal.detail } else { "" }
        }
        #expect(details[0].hasPrefix("`expires_at` is `soon`"), "\(details)")
        #expect(details[2] == "the row has no `purchased_at`")
        #expect(details[1].hasPrefix("`auto_renew_enabled` is `perhaps`"), "\(details)")
    }

    @Test("two columns that mean the same are an error that names both")
    func sameMeaning() throws {
        let text = "product_id,original_transaction_id,purchased_at,current_period_start\n"
        let failure = try #require(throws: CommandFailure.self) { try source(text.utf8, .subscriptions) }
        #expect("\(failure)".contains("the columns `purchased_at` and `current_period_start`"), "\(failure)")
        #expect(failure.hints == ["pass one over with `--ignore-column current_period_start`"])
    }

    @Test(
        "an amount is read exactly, in thousandths",
        arguments: [("3.99", 3_990), ("0", 0), ("12", 12_000), ("0.1234", 123), ("1.5", 1_500)] as [(String, Int64)])
    func amounts(text: String, milliunits: Int64) throws {
        #expect(try CellValue.milliunits(text, "price") == milliunits)
    }

    @Test("anything else is no amount", arguments: ["", "-1", "1,5", "1.2.3", "€3", "1e3", "99999999999999", "."])
    func noAmounts(text: String) {
        #expect(throws: ImportRefusal.self) { try CellValue.milliunits(text, "price") }
    }
}
