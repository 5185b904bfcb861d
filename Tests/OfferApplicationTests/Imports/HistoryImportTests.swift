import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Imported history")
struct HistoryImportTests {
    private static let bought = ImportBench.now.adding(months: -3)

    private static func line(
        _ id: TransactionId, original: TransactionId? = nil, customerId: CustomerId? = nil,
        _ change: (inout Transaction) -> Void = { _ in }
    ) -> ImportedHistory {
        ImportedHistory(
            transactions: [.fixture(id, original: original, purchased: bought, change)], customerId: customerId)
    }

    private func refusals(_ lines: [Result<ImportedHistory, ImportRefusal>]) async throws -> [RefusedLine] {
        let bench = try ImportBench()
        defer { withExtendedLifetime(bench) {} }
        var refused: [RefusedLine] = []
        _ = try await bench.importer().rehearse(
            ListedSource(lines), provenance: .operator, refusals: { refused += $0 })
        return refused
    }

    @Test("is kept with its provenance, and its aliases find the customer")
    func kept() async throws {
        let bench = try ImportBench()
        let report = try await bench.run([Self.line("1", customerId: "anna"), Self.line("2", original: "1")])
        #expect(report.counts.added == 2 && report.counts.subscriptions == 1 && report.counts.lines == 2)
        let rows = try await bench.texts(
            "SELECT transaction_id, provenance, is_proven FROM history_transaction ORDER BY transaction_id")
        #expect(rows == ["1 operator 0", "2 operator 0"])
        #expect(
            try await bench.texts("SELECT kind, value, provenance FROM customer_alias ORDER BY kind") == [
                "customerId anna operator"
            ])
        #expect(try await bench.texts("SELECT value, is_proven FROM customer_identifier") == ["1 0"])
    }

    @Test("aliases have the import's provenance until signed data names them")
    func aliasProvenance() async throws {
        let bench = try ImportBench()
        let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        var line = Self.line("1")
        line.appAccountToken = token
        try await bench.run([line], ImportBench.terms { $0.provenance = .receipt })
        let aliases = "SELECT kind, provenance FROM customer_alias"
        #expect(try await bench.texts(aliases) == ["appAccountToken receipt"])
        let signed = Transaction.fixture("1", purchased: Self.bought) { $0.appAccountToken = token }
        try await bench.keep([HistoryPayload(.transaction(signed), bytes: signed.payloadBytes, provenance: .client)])
        #expect(try await bench.texts(aliases) == ["appAccountToken client"])
    }

    @Test("attack: an import states a token that signed data gives to another customer; no other customer gets it")
    func foreignToken() async throws {
        let bench = try ImportBench()
        let token = try #require(AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b"))
        let signed = Transaction.fixture("1", purchased: Self.bought) { $0.appAccountToken = token }
        try await bench.keep([HistoryPayload(.transaction(signed), bytes: signed.payloadBytes, provenance: .client)])
        var beside = Self.line("2", customerId: "bert")
        beside.appAccountToken = token
        let within = Self.line("3", customerId: "carl") { $0.appAccountToken = token }
        for provenance in [Provenance.operator, .receipt] {
            let report = try await bench.run([beside, within], ImportBench.terms { $0.provenance = provenance })
            #expect(report.counts.subscriptions == 2)
            #expect(
                try await bench.texts(
                    "SELECT customer_id, kind, value, provenance FROM customer_alias ORDER BY customer_id, kind") == [
                        "1 appAccountToken \(token) client", "2 customerId bert operator", "3 customerId carl operator",
                    ])
        }
        let named = try await bench.database.read { transaction in
            let scope = try ScopeStore(transaction).findOrAdd(ImportBench.scope)
            return try CustomerStore(transaction).customers(
                aliases: [.appAccountToken(token)], in: scope)
        }
        #expect(named == [CustomerNumber(rawValue: 1)])
    }

    @Test("never merges customers, whatever account and names its lines share")
    func neverMerges() async throws {
        let bench = try ImportBench()
        let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        try await bench.run(
            ["1", "2"].map { (id: TransactionId) in
                Self.line(id, customerId: "anna") {
                    $0.appTransactionId = "account"
                    $0.appAccountToken = token
                }
            })
        #expect(try await bench.count("customer") == "2")
        #expect(try await bench.count("customer_merge") == "0")
    }

    @Test("never takes the place of what Apple has signed, however late it is dated")
    func neverOutranks() async throws {
        let bench = try ImportBench()
        let signed = Transaction.fixture("1", purchased: Self.bought)
        try await bench.keep([HistoryPayload(.transaction(signed), bytes: signed.payloadBytes, provenance: .client)])
        let report = try await bench.run([
            Self.line("1") {
                $0.signedDate = ImportBench.now
                $0.revocationDate = Self.bought
            }
        ])
        #expect(report.counts.unchanged == 1 && report.counts.updated == 0)
        let current = try await bench.database.read { transaction in
            try HistoryStore(transaction).history(of: [CustomerNumber(rawValue: 1)]).transactions.map(\.payload)
        }
        #expect(current == [signed])
    }

    @Test("is outranked by what Apple signs later, which also proves its customer")
    func provenLater() async throws {
        let bench = try ImportBench()
        try await bench.run([Self.line("1", customerId: "anna") { $0.signedDate = ImportBench.now }])
        let signed = Transaction.fixture("1", purchased: Self.bought)
        try await bench.keep([HistoryPayload(.transaction(signed), bytes: signed.payloadBytes, provenance: .client)])
        #expect(try await bench.count("customer") == "1")
        #expect(try await bench.texts("SELECT value, is_proven FROM customer_identifier") == ["1 1"])
        let current = try await bench.database.read { transaction in
            try HistoryStore(transaction).history(of: [CustomerNumber(rawValue: 1)]).transactions.map(\.provenance)
        }
        #expect(current == [.client])
    }

    @Test("takes renewal info of a subscription that only the operator vouches for")
    func renewalInfo() async throws {
        let bench = try ImportBench()
        let info = RenewalInfo.fixture("1", signed: ImportBench.now) { $0.autoRenewStatus = .off }
        var line = Self.line("1")
        line.renewalInfos = [info]
        try await bench.run([line])
        let current = try await bench.database.read { transaction in
            try HistoryStore(transaction).history(of: [CustomerNumber(rawValue: 1)]).renewalInfos.map(\.payload)
        }
        #expect(current == [info])
    }

    @Test("counts redemptions from before the service in the totals of everybody")
    func redemptions() async throws {
        let bench = try ImportBench()
        try await bench.run([
            Self.line("1") { ($0.offerType, $0.offerIdentifier) = (.promotional, "half50") },
            Self.line("2") { ($0.offerType, $0.offerIdentifier) = (.promotional, "half50") },
        ])
        let counters = try await bench.texts("SELECT offer_identifier, amount FROM redemption_counter")
        #expect(counters == ["half50 2"])
    }

    @Test("gets the group of its product from the catalog in force, and is refused where nobody knows it")
    func group() async throws {
        let bench = try await Workbench()
        let imports = HistoryImport(
            ledger: OfferStore.Ledger(bench.database, digest: OpenSSLDigest()), scope: Workbench.scope,
            author: AuditAuthor(actor: "tests"), clock: { Workbench.start })
        let lines = [
            Self.line("1") { ($0.subscriptionGroupIdentifier, $0.productId) = (nil, "monthly") },
            Self.line("2") { ($0.subscriptionGroupIdentifier, $0.productId) = (nil, "com.example.pro.unheard") },
        ]
        var refused: [RefusedLine] = []
        let report = try await imports.run(ListedSource(lines), ImportBench.terms, refusals: { refused += $0 })
        #expect(refused.map(\.reason) == ["unknownProduct"])
        #expect(report.counts.added == 1)
        let groups = try await bench.database.read { transaction in
            try HistoryStore(transaction).history(of: [CustomerNumber(rawValue: 1)]).transactions
                .map(\.payload.subscriptionGroupIdentifier)
        }
        #expect(groups == ["21500001"])
    }

    @Test("is refused with the reason, the line and the value if it cannot be a purchase here")
    func refused() async throws {
        let seconds = Instant(milliseconds: 1_700_000_000)
        let refused = try await refusals([
            .success(Self.line("1") { $0.bundleId = "com.example.other" }),
            .success(Self.line("2") { $0.environment = "Sandbox" }),
            .success(Self.line("3") { $0.purchaseDate = seconds }),
            .success(Self.line("4") { $0.purchaseDate = ImportBench.now.adding(milliseconds: 3 * 86_400_000) }),
            .success(Self.line("5") { $0.signedDate = ImportBench.now.adding(milliseconds: 60_001) }),
            .success(Self.line("6", customerId: "a\u{0}b")),
            .success(Self.line(TransactionId(String(repeating: "7", count: 600)))),
            .success(ImportedHistory()),
            .failure(ImportRefusal(.otherStore, "elsewhere")),
            .success(Self.line("10") { $0.expiresDate = ImportBench.now.adding(months: 12 * 11) }),
            .success(Self.line("11") { $0.signedDate = ImportBench.now.adding(milliseconds: 60_000) }),
        ])
        #expect(
            refused.map(\.reason) == [
                "wrongApp", "wrongEnvironment", "implausibleDate", "implausibleDate", "implausibleDate", "invalidValue",
                "tooLong", "noPurchase", "otherStore", "implausibleDate",
            ])
        #expect(refused.map(\.line) == Array(1...10))
        #expect(refused[2].detail.hasSuffix("it looks like seconds and must be milliseconds"))
        #expect(refused[2].detail.hasPrefix("`purchaseDate` is `1700000000`"))
    }

    @Test("is refused in one line of bounded words, whatever stands in it")
    func refusedWords() async throws {
        let long = "x\u{301}\n\u{1B}[31m" + String(repeating: "y\u{301}", count: 20_000)
        var account = Self.line("3")
        account.renewalInfos = [
            .fixture("3", signed: ImportBench.now) {
                $0.autoRenewStatus = .on
                $0.appTransactionId = AppTransactionId(String(repeating: "a", count: 513))
            }
        ]
        let refused = try await refusals([
            .success(Self.line("1") { $0.bundleId = BundleId(long) }),
            .success(Self.line("2") { $0.environment = long }), .success(account),
            .failure(ImportRefusal(.otherStore, long)),
        ])
        #expect(refused.map(\.reason) == ["wrongApp", "wrongEnvironment", "tooLong", "otherStore"])
        #expect(refused[0].detail.hasPrefix("`bundleId` is `x\u{301}\u{FFFD}\u{FFFD}[31m"))
        #expect(refused[0].detail.hasSuffix("…` and not `com.example.pro`"))
        #expect(refused[1].detail.hasSuffix("…` and not `LocalTesting`"))
        #expect(refused[2].detail == "`appTransactionId` has 513 bytes, more than 512")
        #expect(refused.map(\.detail.utf8.count).prefix(3).allSatisfy { $0 < 200 })
        #expect((4_090...4_096).contains(refused[3].detail.utf8.count))
    }

    @Test("of one id on two lines counts once, and the newer view is the current one")
    func repeated() async throws {
        let bench = try ImportBench()
        let report = try await bench.run([
            Self.line("1") { $0.signedDate = ImportBench.now },
            Self.line("1") { $0.price = 1 },
            Self.line("1") { $0.price = 1 },
        ])
        #expect(report.counts.added == 1 && report.counts.repeated == 2)
        let current = try await bench.database.read { transaction in
            try HistoryStore(transaction).history(of: [CustomerNumber(rawValue: 1)]).transactions.map(\.payload.price)
        }
        #expect(current == [9_990])
    }

    @Test("tells the audit of the import, of each customer it changed, and of nobody it left as they were")
    func audited() async throws {
        let bench = try ImportBench()
        let lines = [Self.line("1"), Self.line("2")]
        try await bench.run(lines)
        let told = "SELECT actor, after_change FROM audit_event WHERE kind = 'import' ORDER BY sequence"
        let events = try await bench.texts(told)
        #expect(events.count == 4)
        #expect(events.allSatisfy { $0.hasPrefix("offerd import transactions ") })
        #expect(events[1].hasSuffix(#"{"added":1,"customer":1,"import":1,"updated":0}"#))
        #expect(events[3].contains(#""stage":"done""#))
        try await bench.run(lines, ImportBench.terms { $0.digest = [UInt8](repeating: 2, count: 32) })
        #expect(try await bench.texts(told).count == 6)
        let report = try await bench.database.read { transaction in
            try LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil).verify(transaction) { _ in }
        }
        #expect(report.events >= 6)
    }

    @Test("one subscription with thousands of lines is applied in parts, to the same end")
    func huge() async throws {
        let bench = try ImportBench()
        let lines = (0..<2_300).map { Self.line(TransactionId("9\($0)"), original: "1") } + [Self.line("5")]
        let report = try await bench.importer(pace: .init(lines: 500, payloads: 100, rest: .zero))
            .run(ListedSource(lines), ImportBench.terms)
        #expect(report.counts.added == 2_301 && report.counts.applied == 2_301)
        #expect(try await bench.count("customer") == "2")
        #expect(try await bench.count("import_row") == "0")
    }
}

extension Transaction {
    /// Bytes to tell it by.
    fileprivate var payloadBytes: [UInt8] { Array("\(transactionId) \(signedDate)".utf8) }
}
