import LocalAppStore
import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@Suite("Fetching a customer from Apple")
struct RefreshTests {
    @Test("Apple's answer is stored with its provenance, and is complete as of the moment of the request")
    func kept() async throws {
        try await AppleStage.run { stage in
            stage.apple.accounts = [try stage.accountWithApp("100")]
            let report = try await stage.refresh(named("100"))
            #expect(report.transactions[.added] == 1)
            #expect(report.renewalInfos[.added] == 1)
            #expect(report.appTransactions[.added] == 1)
            #expect(report.gaps.isEmpty)
            #expect(report.customers.map(\.originalTransactionIds) == [["100"]])
            #expect(report.customers.map(\.appTransactionId) == ["app-100"])
            let complete = Coverage(level: .complete, asOf: Workbench.start, provenance: .serverAPI)
            #expect(report.coverage == Coverage(level: .complete, asOf: Workbench.start, provenance: .serverAPI))
            let history = try await stage.known(named("100")).history
            #expect(history.coverage == complete)
            #expect(history.transactions.map(\.provenance) == [.serverAPI])
            #expect(history.renewalInfos.map(\.provenance) == [.serverAPI])
            #expect(history.appTransactions.map(\.provenance) == [.serverAPI])
            #expect(
                stage.asked == [
                    "/inApps/v2/history/100", "/inApps/v1/subscriptions/100",
                    "/inApps/v1/transactions/appTransactions/100",
                ])
        }
    }

    @Test("known data is unchanged, stays complete as of the newer moment, and its app transaction is not asked for")
    func again() async throws {
        try await AppleStage.run { stage in
            stage.apple.accounts = [try stage.accountWithApp("100")]
            _ = try await stage.refresh(named("100"))
            stage.bench.clock.advance(hours: 30)
            let report = try await stage.refresh(named("100"))
            #expect(report.transactions[.unchanged] == 1)
            #expect(report.transactions.total == 1)
            #expect(report.renewalInfos[.unchanged] == 1)
            #expect(report.appTransactions.total == 0)
            #expect(report.coverage.asOf == stage.bench.clock.now)
            #expect(stage.asked.filter { $0.contains("appTransactions") }.count == 1)
        }
    }

    @Test("known data costs no durable commit until its completeness is ten minutes old; anything new costs one")
    func knownAlready() async throws {
        try await AppleStage.run { stage in
            let writes = Counter()
            let refresh = stage.refresh(
                over: InterposedDatabase(real: stage.bench.database, insideWrite: { writes.next() }))
            func ask() async throws -> RefreshReport {
                try await refresh.refresh(.customer(named("100")), caller: Workbench.caller(.support))
            }
            stage.apple.accounts = [try stage.accountWithApp("100")]
            let first = try await ask()
            #expect(writes.total == 1)
            stage.bench.clock.advance(milliseconds: 10 * Instant.Duration.minute)
            let again = try await ask()
            #expect(writes.total == 1)
            #expect(again.transactions[.unchanged] == 1 && again.transactions.total == 1)
            #expect(again.renewalInfos[.unchanged] == 1 && again.renewalInfos.total == 1)
            #expect(again.customers == first.customers && again.coverage == first.coverage && again.gaps.isEmpty)
            stage.bench.clock.advance(milliseconds: 1)
            #expect(try await ask().coverage.asOf == stage.bench.clock.now)
            #expect(writes.total == 2)
            let renewed = try stage.bench.shop.edited(stage.apple.accounts[0].transactions[0]) {
                $0["transactionId"] = "101"
            }
            stage.apple.accounts[0].transactions.append(renewed)
            #expect(try await ask().transactions[.added] == 1)
            #expect(writes.total == 3)
        }
    }

    @Test("completeness on the backend's word is stated by Apple's answer though every payload is known")
    func vouched() async throws {
        try await AppleStage.run { stage in
            let delivery = try stage.bench.shop.delivery(.lapsed, "100")
            try await stage.bench.deliver(delivery)
            stage.apple.accounts = [PlayedAccount(delivery)]
            #expect(try await stage.known(named("100")).history.coverage.provenance == .caller)
            stage.bench.clock.advance(milliseconds: 1)
            let report = try await stage.refresh(named("100"))
            #expect(report.transactions[.unchanged] == 1)
            #expect(
                report.coverage
                    == Coverage(level: .complete, asOf: stage.bench.clock.now, provenance: .serverAPI))
        }
    }

    @Test("data that another request stores between the read and the commit is found unchanged in the commit")
    func keptMeanwhile() async throws {
        try await AppleStage.run { stage in
            stage.apple.accounts = [try stage.accountWithApp("100")]
            let refresh = stage.refresh(
                over: InterposedDatabase(
                    real: stage.bench.database, beforeWrite: { _ = try await stage.refresh(named("100")) }))
            let report = try await refresh.refresh(.customer(named("100")), caller: Workbench.caller(.support))
            #expect(report.transactions[.unchanged] == 1 && report.transactions.total == 1)
            #expect(report.coverage.level == .complete && report.gaps.isEmpty)
            #expect(try await stage.bench.count("history_transaction") == 1)
            #expect(try await stage.bench.count("coverage") == 1)
        }
    }

    @Test(
        "an imported id that is none of Apple's is not asked by", arguments: ["..", String(repeating: "9", count: 300)])
    func unaskable(_ id: String) async throws {
        try await AppleStage.run { stage in
            let imports = HistoryImport(
                ledger: OfferStore.Ledger(stage.bench.database, digest: OpenSSLDigest()), scope: Workbench.scope,
                author: AuditAuthor(actor: "tests"), clock: { Workbench.start })
            let purchase = Transaction.fixture(TransactionId(id), purchased: Workbench.start.adding(months: -3))
            let report = try await imports.run(
                ListedSource([ImportedHistory(transactions: [purchase], customerId: "anna")]), ImportBench.terms)
            #expect(report.counts.added == 1)
            let answer = try await refusal { try await stage.refresh(CustomerIdentifiers(customerId: "anna")) }
            #expect(answer?.unknownToApple == "no identifier of the customer that Apple accepts is known")
            #expect(stage.server.seen.isEmpty)
        }
    }

    @Test("a history of several pages is fetched to its end")
    func pages() async throws {
        try await AppleStage.run { stage in
            let signed = try stage.longHistory(months: 44)
            #expect(signed.signedTransactions.count == 45)
            stage.apple.accounts = [
                PlayedAccount(transactions: signed.signedTransactions, renewalInfos: signed.signedRenewalInfo)
            ]
            let report = try await stage.refresh(named("7001"))
            #expect(report.transactions[.added] == 45)
            #expect(report.coverage.level == .complete)
            #expect(
                stage.server.seen.map(\.uri).prefix(3) == [
                    "/inApps/v2/history/7001", "/inApps/v2/history/7001?revision=r20",
                    "/inApps/v2/history/7001?revision=r40",
                ])
        }
    }

    @Test("somebody known by the app's own name alone is fetched by what is known of them")
    func byAlias() async throws {
        try await AppleStage.run { stage in
            let delivery = try stage.bench.shop.delivery(.lapsed, "100", complete: false)
            let alias = CustomerIdentifiers(customerId: "user-17")
            try await stage.bench.deliver(delivery, aliases: alias)
            stage.apple.accounts = [PlayedAccount(delivery)]
            let report = try await stage.refresh(alias)
            #expect(report.customers.map(\.customerIds) == [["user-17"]])
            #expect(report.transactions[.unchanged] == 1)
            #expect(report.coverage.level == .complete)
        }
    }

    @Test("a name that somebody without purchases has too leads to whom Apple knows")
    func sharedName() async throws {
        try await AppleStage.run { stage in
            let alias = CustomerIdentifiers(customerId: "user-17")
            try await stage.bench.deliver(SignedDelivery(historyComplete: true), aliases: alias)
            let delivery = try stage.bench.shop.delivery(.lapsed, "100", complete: false)
            try await stage.bench.deliver(delivery, aliases: alias)
            stage.apple.accounts = [PlayedAccount(delivery)]
            let report = try await stage.refresh(alias)
            #expect(report.customers.map(\.originalTransactionIds) == [["100"]])
            #expect(report.transactions[.unchanged] == 1)
        }
    }

    @Test("nobody is asked for by a name that names nobody, and a name without an id of Apple's is not enough")
    func nobody() async throws {
        try await AppleStage.run { stage in
            let stranger = CustomerIdentifiers(customerId: "nobody")
            guard case .unknownCustomer = try await refusal({ try await stage.refresh(stranger) }) else {
                return #expect(Bool(false), "not unknown")
            }
            try await stage.bench.deliver(
                SignedDelivery(historyComplete: true), aliases: CustomerIdentifiers(customerId: "free"))
            let free = try await refusal { try await stage.refresh(CustomerIdentifiers(customerId: "free")) }
            #expect(free?.unknownToApple == "no identifier of the customer that Apple accepts is known")
            #expect(stage.server.seen.isEmpty)
        }
    }

    @Test("an id that Apple does not know is unknown, and nothing is stored for it")
    func unknown() async throws {
        try await AppleStage.run { stage in
            let answer = try await refusal { try await stage.refresh(named("4711")) }
            #expect(answer?.unknownToApple?.contains("(4040010: Transaction id not found.)") == true)
            #expect(try await stage.bench.count("customer") == 0)
        }
    }

    @Test("an account that has the app and bought nothing is found by its app transaction, completely")
    func boughtNothing() async throws {
        try await AppleStage.run { stage in
            stage.apple.accounts = [PlayedAccount(try stage.bench.shop.delivery(.newcomer, "100"))]
            let report = try await stage.refresh(CustomerIdentifiers(appTransactionId: "app-100"))
            #expect(report.appTransactions[.added] == 1)
            #expect(report.transactions.total == 0)
            #expect(report.coverage.level == .complete)
            #expect(!stage.asked.contains { $0.contains("subscriptions") })
        }
    }

    @Test("an order leads to the customer who made it, known or not")
    func order() async throws {
        try await AppleStage.run { stage in
            let delivery = try stage.bench.shop.delivery(.lapsed, "100")
            var account = PlayedAccount(delivery)
            account.orders = ["MK5TTTVWJH": delivery.signedTransactions]
            stage.apple.accounts = [account]
            for outcome in [IngestOutcome.added, .unchanged] {
                let report = try await stage.useCases.refresh.refresh(
                    .order("MK5TTTVWJH"), caller: Workbench.caller(.support))
                #expect(report.customers.map(\.originalTransactionIds) == [["100"]])
                #expect(report.transactions[outcome] == 1)
            }
            let unknown = try await refusal {
                try await stage.useCases.refresh.refresh(.order("XXXXXXXXXX"), caller: Workbench.caller(.support))
            }
            #expect(
                unknown?.unknownToApple == "Apple knows no order `XXXXXXXXXX` of `com.example.pro` in LocalTesting")
        }
    }

    @Test("where nobody answers in Apple's place, the answer says so and what to write where")
    func nowhere() async throws {
        let bench = try await Workbench()
        let answer = try await refusal {
            try await bench.useCases.refresh.refresh(.customer(named("100")), caller: Workbench.caller(.support))
        }
        guard case .noAppStoreServer(let environment) = answer else {
            return #expect(Bool(false), "\(answer as Any)")
        }
        let (detail, hint) = environment.noAppStoreServer
        #expect(detail == "Apple's servers know no purchases of LocalTesting")
        #expect(hint == "name a server that answers in Apple's place as `appStoreServer` in offerd.yaml")
    }
}

extension AppleStage {
    /// Fetching over another database.
    func refresh(over database: any StoreDatabase, digestKey: (any KeyedDigest)? = nil) -> CustomerRefresh {
        let clock = bench.clock
        return UseCases(
            registry: registry, database: database, digest: OpenSSLDigest(), random: OpenSSLRandom(),
            digestKey: digestKey, clock: { clock.now }
        ).refresh
    }

    /// Somebody whose subscription has lapsed, and of whom Apple has an app transaction.
    func accountWithApp(_ id: String) throws -> PlayedAccount {
        var account = PlayedAccount(try bench.shop.delivery(.lapsed, id))
        account.appTransaction = try bench.shop.delivery(.newcomer, id).signedAppTransaction
        return account
    }

    /// The signed data of a customer `7001` who has renewed so many times.
    func longHistory(months: Int) throws -> SignedScenario {
        let scenario = Scenario(
            bundleId: "com.example.pro", environment: .localTesting,
            customer: ScenarioCustomer(appTransactionId: "7", originalTransactionId: "7001"),
            steps: [
                .buy(
                    product: "monthly", group: "21500001",
                    at: .fixed(bench.clock.now.adding(months: -months).adding(milliseconds: -1)),
                    period: Period(months: 1), price: Money(milliunits: 9_990, currency: "USD")),
                .renew(times: months),
            ])
        return try LocalAppStore(root: bench.shop.root).sign(scenario, now: bench.clock.now)
    }
}
