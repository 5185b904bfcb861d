import OfferModel
import OfferStore
import Testing

@Suite("Ingesting payloads")
struct IngestTests {
    private let later = Bench.now.adding(milliseconds: 1_000)

    @Test("outcomes tell new, newer, older and repeated payloads apart", arguments: Driver.allCases)
    func outcomes(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let first = HistoryPayload.bought("1")
        let newer = HistoryPayload.bought("1", signed: later)
        let older = HistoryPayload.bought("1", signed: Bench.now.adding(milliseconds: -1_000))
        #expect(try await bench.ingest([first]).map(\.outcome) == [.added])
        #expect(try await bench.ingest([first, newer, newer]).map(\.outcome) == [.unchanged, .updated, .unchanged])
        #expect(try await bench.ingest([older]).map(\.outcome) == [.unchanged])
        let customer = try await bench.customer("1")
        let history = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        #expect(try await bench.bytes(of: history.transactions) == [newer.bytes])
        #expect(try await bench.storedPayloads() == [newer.bytes, older.bytes])
    }

    @Test("between equal dates the greater bytes are the newer view", arguments: Driver.allCases)
    func ties(driver: Driver) async throws {
        let bench = try await Bench(driver)
        #expect(try await bench.ingest([.bought("1", bytes: "b")]).map(\.outcome) == [.added])
        #expect(try await bench.ingest([.bought("1", bytes: "c")]).map(\.outcome) == [.updated])
        #expect(try await bench.ingest([.bought("1", bytes: "a")]).map(\.outcome) == [.unchanged])
    }

    @Test(
        "proven data outranks an operator's whatever its date, and both are kept (invariant 6)",
        arguments: Driver.allCases)
    func rank(driver: Driver) async throws {
        let bench = try await Bench(driver)
        #expect(try await bench.ingest([.bought("1", signed: later, provenance: .operator)]).map(\.outcome) == [.added])
        #expect(try await bench.ingest([.bought("1")]).map(\.outcome) == [.updated])
        #expect(
            try await bench.ingest([.bought("1", signed: later, bytes: "x", provenance: .operator)]).map(\.outcome) == [
                .unchanged
            ])
        #expect(try await bench.ingest([.bought("1", signed: later)]).map(\.outcome) == [.updated])
        let customer = try await bench.customer("1")
        let history = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        #expect(history.transactions.map(\.provenance) == [.client])
        #expect(history.transactions.map(\.payload.signedDate) == [later])
        let kept = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT is_proven FROM history_transaction ORDER BY is_proven")).map {
                try $0.value(0, as: Bool.self)
            }
        }
        #expect(kept == [false, false, true, true])
    }

    @Test(
        "renewal info of an unknown subscription is kept and takes effect with its transaction (invariant 6)",
        arguments: Driver.allCases)
    func waitingRenewalInfo(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let waiting = try await bench.ingest([.renews("1", account: "A", token: .number(5))])
        #expect(waiting.map(\.outcome) == [.added] && waiting.map(\.customer) == [nil])
        let scope = bench.scope
        let before = try await bench.database.read { transaction in
            try CustomerStore(transaction).customers(aliases: [.appAccountToken(.number(5))], in: scope)
        }
        #expect(before.isEmpty)
        let installed = try await bench.ingest([.installed("A")]).first?.customer
        let bought = try await bench.ingest([.bought("1")]).first?.customer
        #expect(bought == installed && bought != nil)
        let customer = try await bench.customer("1")
        let history = try await bench.database.read { try HistoryStore($0).history(of: [customer]) }
        #expect(history.renewalInfos.count == 1)
        let named = try await bench.database.read { transaction in
            try CustomerStore(transaction).customers(aliases: [.appAccountToken(.number(5))], in: scope)
        }
        #expect(named == [customer])
    }

    @Test(
        "an operator's transaction neither merges customers nor makes renewal info take effect (invariant 6)",
        arguments: Driver.allCases)
    func unprovenTransaction(driver: Driver) async throws {
        let bench = try await Bench(driver)
        try await bench.ingest([.renews("1"), .installed("A")])
        let imported = try await bench.ingest([.bought("1", account: "A", provenance: .operator)]).first?.customer
        let installed = try await bench.ingest([.installed("A")]).first?.customer
        #expect(imported != installed)
        let unproven = try await bench.database.read {
            try HistoryStore($0).history(of: [imported].compactMap { $0 })
        }
        #expect(unproven.transactions.count == 1 && unproven.renewalInfos.isEmpty)
        let proven = try await bench.ingest([.bought("1", account: "A")]).first?.customer
        #expect(proven == installed)
        let history = try await bench.database.read {
            try HistoryStore($0).history(of: [proven].compactMap { $0 })
        }
        #expect(history.transactions.map(\.provenance) == [.client] && history.renewalInfos.count == 1)
    }

    @Test("an app transaction that names nobody is refused", arguments: Driver.allCases)
    func unidentified(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let results = try await bench.ingest([.installed(nil)])
        #expect(results.map(\.outcome) == [.refused] && results.map(\.customer) == [nil])
    }

    @Test("only payloads that are not stored need a write", arguments: Driver.allCases)
    func missing(driver: Driver) async throws {
        let bench = try await Bench(driver)
        try await bench.ingest([.bought("1")])
        let scope = bench.scope
        let missing = try await bench.database.read {
            try HistoryStore($0).missing([.bought("1"), .bought("2"), .bought("1", bytes: "x")], in: scope)
        }
        #expect(missing == [1, 2])
    }

    @Test("a payload of one scope is never seen in another", arguments: Driver.allCases)
    func scopes(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let sandbox = try await bench.customer("1")
        let other = bench.other
        let production = try await bench.database.write {
            try HistoryStore($0).ingest([.bought("1"), .renews("1")], at: Bench.now, in: other)
        }
        #expect(production.map(\.outcome) == [.added, .added])
        #expect(production.first?.customer != sandbox)
        let history = try await bench.database.read { try HistoryStore($0).history(of: [sandbox]) }
        #expect(history.transactions.count == 1 && history.renewalInfos.isEmpty)
        let found = try await bench.database.read {
            try CustomerStore($0).customers(proven: [.originalTransactionId("1")], in: other)
        }
        #expect(found == [production.first?.customer].compactMap { $0 })
    }

    @Test("many identifiers looked up together have the owners that each has alone", arguments: Driver.allCases)
    func owners(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let customers = try await bench.ingest((0..<600).map { .bought(TransactionId("\($0)")) }).compactMap(\.customer)
        let identifiers =
            (0..<700).map { ProvenIdentifier.originalTransactionId(TransactionId("\($0)")) }
            + [.originalTransactionId("7"), .appTransactionId("7")]
        try await bench.database.read { transaction in
            let store = CustomerStore(transaction)
            let owners = try store.owners(of: identifiers, in: scope)
            #expect(owners.count == 600)
            for identifier in identifiers {
                #expect(try owners[identifier] == store.customer(identifier, in: scope))
            }
            #expect(try store.customers(proven: identifiers, in: scope) == customers.sorted())
            #expect(try store.owners(of: identifiers, in: bench.other).isEmpty)
            #expect(try store.owners(of: [], in: scope).isEmpty)
        }
    }

    @Test("identifiers that Unicode takes for the same text name a customer each, asked for together or alone")
    func spellings() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let ids: [TransactionId] = ["caf\u{E9}", "cafe\u{301}", "cafe\u{301}\u{327}", "cafe\u{327}\u{301}"]
        let stored = try await bench.ingest(ids.prefix(3).map { .bought($0) }).map(\.customer)
        let identifiers = ids.map { ProvenIdentifier.originalTransactionId($0) }
        let owners = try await bench.database.read { try CustomerStore($0).owners(of: identifiers, in: scope) }
        #expect(Set(stored.compactMap(\.self)).count == 3)
        #expect(identifiers.map { owners[$0] } == stored + [nil])
    }

    @Test(
        "the subject's version moves with every stored payload and stays with a repeated one",
        arguments: Driver.allCases)
    func version(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try await bench.customer("1")
        let read = { try await bench.database.read { try CustomerStore($0).version(of: [customer]) } }
        let first = try await read()
        try await bench.ingest([.bought("1")])
        #expect(try await read() == first)
        try await bench.ingest([.renews("1")])
        let second = try await read()
        #expect(second != first)
    }
}
