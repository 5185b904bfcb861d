import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("An erasure beside data that is taken in")
struct ErasureBesideIntakeTests {
    /// Just before what a refresh is overtaken by the erasure.
    enum Moment: CaseIterable {
        /// After it was looked up what Apple is to be asked for.
        case secondRead
        /// With Apple's answer in hand.
        case thirdRead, write
    }

    @Test("Apple's answer about a customer who is erased meanwhile is not stored", arguments: Moment.allCases)
    func refresh(moment: Moment) async throws {
        try await AppleStage.run { stage in
            let erasing = ErasingBench(on: stage.bench)
            stage.apple.accounts = [try stage.accountWithApp("100")]
            try await erasing.deliver(try #require(stage.apple.accounts.first).delivery)
            for isById in [false, true] {
                let (reads, writes) = (Counter(), Counter())
                let database = InterposedDatabase(
                    real: stage.bench.database,
                    beforeRead: {
                        let read = reads.next()
                        if (moment == .secondRead && read == 2) || (moment == .thirdRead && read == 3) {
                            try await erasing.erase(named("100"))
                        }
                    },
                    beforeWrite: {
                        if writes.next() == 1, moment == .write { try await erasing.erase(named("100")) }
                    })
                let refresh = stage.refresh(over: database, digestKey: ErasingBench.digestKey)
                let answer = try await refusal {
                    if isById {
                        _ = try await refresh.refresh(
                            id: "100", since: stage.bench.clock.now, in: Workbench.scope,
                            by: AuditAuthor(actor: "tests"))
                    } else {
                        _ = try await refresh.refresh(.customer(named("100")), caller: Workbench.caller(.support))
                    }
                }
                guard case .busy? = answer else { return #expect(Bool(false), "\(answer as Any)") }
                for table in ["history_transaction", "history_renewal_info", "customer_identifier", "coverage"] {
                    #expect(try await stage.bench.count(table) == 0, "\(table)")
                }
                // For the next turn they come back by themselves.
                try await erasing.deliver(try #require(stage.apple.accounts.first).delivery)
            }
            #expect(try await stage.bench.count("erasure") == 2)
        }
    }

    private static func line(_ id: TransactionId, original: TransactionId? = nil) -> ImportedHistory {
        ImportedHistory(
            transactions: [.fixture(id, original: original, purchased: Workbench.start.adding(months: -3))])
    }

    /// An import of which the customer `100`, known before, is erased just before a write.
    ///
    /// - Returns: how many writes there were.
    private func run(_ lines: [ImportedHistory], erasedBefore write: Int, _ erasing: ErasingBench) async throws -> Int {
        let bench = erasing.bench
        try await erasing.deliver(try bench.shop.delivery(.lapsed, "100"))
        let counter = Counter()
        let database = InterposedDatabase(
            real: bench.database,
            beforeWrite: {
                if counter.next() == write { try await erasing.erase(named("100")) }
            })
        let imports = HistoryImport(
            ledger: OfferStore.Ledger(database, digest: OpenSSLDigest(), key: ErasingBench.digestKey),
            scope: Workbench.scope, author: AuditAuthor(actor: "tests"),
            pace: .init(lines: 7, payloads: 5, rest: .zero), clock: { bench.clock.now })
        _ = try await imports.run(
            ListedSource(lines), ImportBench.terms { $0.completeAsOf = Workbench.start })
        #expect(try await bench.count("erasure") == 1)
        #expect(try await bench.count("import_row") == 0)
        return counter.total
    }

    @Test("staged rows of an import about a customer who is erased meanwhile are not applied", arguments: 3...20)
    func staged(write: Int) async throws {
        let erasing = try await ErasingBench()
        // The first write begins the import, the second stages what is here of the customer.
        let known = [Self.line("100"), Self.line("100901", original: "100"), Self.line("100902", original: "100")]
        let others = (1...40).map { Self.line(TransactionId("\($0 + 80)7")) }
        #expect(try await run(known + others, erasedBefore: write, erasing) > 20)
        let kept = try await erasing.bench.database.read { transaction in
            try transaction.rows(
                Statement(
                    """
                    SELECT value FROM customer_identifier WHERE value IN ('100', 'app-100')
                    UNION ALL
                    SELECT transaction_id FROM history_transaction WHERE original_transaction_id = '100'
                    """)
            ).map { try $0.value(0, as: String.self) }
        }
        #expect(kept.isEmpty)
        #expect(try await erasing.bench.count("history_transaction") == 40)
        #expect(try await erasing.bench.count("coverage") == 40)
        try await erasing.verify()
    }

    @Test("nobody of whom an erasure took half of an import away is complete by it (invariant 3)")
    func half() async throws {
        let erasing = try await ErasingBench()
        let others = (1...40).map { Self.line(TransactionId("\($0 + 80)7")) }
        // The last line is staged after the erasure: the file is the operator's.
        let lines = [Self.line("100901", original: "100")] + others + [Self.line("100902", original: "100")]
        _ = try await run(lines, erasedBefore: 3, erasing)
        let kept = try await erasing.bench.database.read { transaction in
            try transaction.rows(
                Statement("SELECT transaction_id FROM history_transaction WHERE original_transaction_id = '100'")
            ).map { try $0.value(0, as: String.self) }
        }
        #expect(kept == ["100902"])
        #expect(try await erasing.bench.count("coverage") == 40)
    }
}

extension PlayedAccount {
    fileprivate var delivery: SignedDelivery {
        SignedDelivery(
            signedTransactions: transactions, signedRenewalInfo: renewalInfos, signedAppTransaction: appTransaction)
    }
}
