import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Who is one customer")
struct IdentityTests {
    /// A customer as the sets of their identifiers.
    private struct Names: Hashable {
        var proven: Set<String>
        var tokens: Set<String>
    }

    @Test(
        "the same payloads in any order, in any portions and repeated give the same customers (invariant 7)",
        arguments: Driver.allCases)
    func order(driver: Driver) async throws {
        var generator = SeededGenerator(seed: 20_261_121)
        for round in 0..<60 {
            let payloads = Self.payloads(&generator)
            let expected = Self.partition(payloads)
            for _ in 0..<4 {
                let bench = try await Bench(driver)
                var queue = (payloads + payloads.filter { _ in Bool.random(using: &generator) })
                    .shuffled(using: &generator)
                while !queue.isEmpty {
                    let portion = queue.prefix(Int.random(in: 1...4, using: &generator))
                    queue.removeFirst(portion.count)
                    try await bench.ingest(Array(portion))
                }
                let names = try await Self.stored(bench)
                #expect(names == expected, "seed \(generator.seed), round \(round)")
                #expect(
                    try await bench.storedPayloads() == Set(payloads.map(\.bytes)),
                    "seed \(generator.seed), round \(round)")
            }
        }
    }

    private static func payloads(_ generator: inout SeededGenerator) -> [HistoryPayload] {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }
        let originals: [TransactionId] = ["1", "2", "3", "4", "5"]
        let accounts: [AppTransactionId?] = [nil, nil, "A", "B", "C"]
        let tokens: [AppAccountToken?] = [nil, nil, .number(1), .number(2)]
        return (0..<Int.random(in: 2...9, using: &generator)).map { _ in
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: .installed(pick(["A", "B", "C"]))
            case 1, 2: .renews(pick(originals), account: pick(accounts), token: pick(tokens))
            default:
                .bought(
                    pick(["10", "11", "12"]), original: pick(originals), account: pick(accounts), token: pick(tokens))
            }
        }
    }

    /// Connected parts of the graph of identifiers, from the rule of docs/design.md#identity.
    private static func partition(_ payloads: [HistoryPayload]) -> Set<Names> {
        let active = payloads.filter { isActive($0, among: payloads) }
        var parts = [Names]()
        for payload in active {
            var part = names(payload)
            parts.removeAll { other in
                guard !other.proven.isDisjoint(with: part.proven) else { return false }
                part.proven.formUnion(other.proven)
                part.tokens.formUnion(other.tokens)
                return true
            }
            parts.append(part)
        }
        return Set(parts)
    }

    private static func isActive(_ payload: HistoryPayload, among all: [HistoryPayload]) -> Bool {
        guard case .renewalInfo(let info) = payload.content else { return true }
        return all.contains {
            if case .transaction(let transaction) = $0.content {
                transaction.originalTransactionId == info.originalTransactionId
            } else {
                false
            }
        }
    }

    private static func names(_ payload: HistoryPayload) -> Names {
        switch payload.content {
        case .transaction(let value):
            Names(
                proven: Set(
                    ["o\(value.originalTransactionId)"] + [value.appTransactionId].compactMap { $0.map { "a\($0)" } }),
                tokens: Set([value.appAccountToken].compactMap { $0?.description }))
        case .renewalInfo(let value):
            Names(
                proven: Set(
                    ["o\(value.originalTransactionId)"] + [value.appTransactionId].compactMap { $0.map { "a\($0)" } }),
                tokens: Set([value.appAccountToken].compactMap { $0?.description }))
        case .appTransaction(let value):
            Names(proven: Set([value.appTransactionId].compactMap { $0.map { "a\($0)" } }), tokens: [])
        }
    }

    private static func stored(_ bench: Bench) async throws -> Set<Names> {
        try await bench.database.read { transaction in
            let numbers: [CustomerNumber] = try transaction.rows(Statement("SELECT id FROM customer")).map {
                try $0.value(0)
            }
            let customers = try CustomerStore(transaction).customers(numbers)
            let names = customers.map { customer in
                Names(
                    proven: Set(
                        customer.originalTransactionIds.map { "o\($0)" } + customer.appTransactionIds.map { "a\($0)" }),
                    tokens: Set(customer.appAccountTokens.map(\.description)))
            }
            return Set(names)
        }
    }

    @Test(
        "a merge keeps the older customer, its rollout key and every row, and is recorded", arguments: Driver.allCases)
    func merge(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let older = try await bench.ingest([.bought("1")], at: Bench.now).first?.customer
        let newer = try await bench.ingest([.installed("A")], at: Bench.now.adding(milliseconds: 1)).first?.customer
        #expect(older != newer)
        let merged = try await bench.ingest([.bought("2", original: "1", account: "A")]).first?.customer
        #expect(merged == older)
        let numbers = [older, newer].compactMap { $0 }
        let (customers, merges, history) = try await bench.database.read { transaction in
            (
                try CustomerStore(transaction).customers(numbers),
                try transaction.rows(Statement("SELECT survivor_id, merged_id, proof FROM customer_merge")),
                try HistoryStore(transaction).history(of: numbers)
            )
        }
        #expect(customers.map(\.number) == [older])
        #expect(customers.map(\.rolloutKey) == ["1"])
        #expect(customers.first?.originalTransactionIds == ["1"])
        #expect(customers.first?.appTransactionIds == ["A"])
        #expect(merges.count == 1)
        #expect(
            try merges.first?.value(2)
                == #"["originalTransactionId=1","appTransactionId=A","transactionId=2","provenance=client"]"#)
        #expect(history.transactions.count == 2 && history.appTransactions.count == 1)
    }

    @Test(
        "what comes in one delivery with a merge, before and after it, is the older customer's",
        arguments: Driver.allCases)
    func mergeInside(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let older = try await bench.ingest([.bought("1", account: "A")], at: Bench.now).first?.customer
        let newer = try await bench.ingest(
            [.bought("2", account: "B"), .bought("3", account: "B")], at: Bench.now.adding(milliseconds: 1)
        ).map(\.customer)
        #expect(newer.count == 2 && !newer.contains(older))
        let delivered = try await bench.ingest([
            .bought("4", original: "3"), .bought("5", original: "2", account: "A"), .bought("6", original: "3"),
        ])
        #expect(delivered.last?.customer == older)
        let customers = try await bench.database.read { try CustomerStore($0).customers([older].compactMap(\.self)) }
        #expect(customers.first?.originalTransactionIds.sorted() == ["1", "2", "3"])
    }

    @Test("aliases never merge customers, may name several, and follow a merge", arguments: Driver.allCases)
    func aliases(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let alias = CustomerAlias.customerId("user-1")
        let first = try await bench.customer("1")
        let second = try await bench.customer("2")
        _ = try await bench.database.write {
            try CustomerStore($0).state([alias], of: [first, second, first], at: Bench.now, in: scope)
        }
        let resolve = { try await bench.database.read { try CustomerStore($0).customers(aliases: [alias], in: scope) } }
        #expect(try await resolve() == [first, second])
        try await bench.ingest([.bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A")])
        #expect(try await resolve() == [first])
        let knows = try await bench.database.read {
            try CustomerStore($0).statement(of: [alias, .customerId("user-2")], for: [first], in: scope).isKnown
        }
        #expect(!knows)
    }

    @Test(
        "an alias that the app gave to everybody costs a few rows and not one of each customer",
        .timeLimit(.minutes(5)), arguments: Driver.allCases)
    func sharedAlias(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let (alias, own) = (CustomerAlias.customerId("guest"), CustomerAlias.customerId("user-1"))
        let customers = try await bench.database.write { transaction in
            let store = CustomerStore(transaction)
            let customers = try (0..<40).map { _ in try store.add(under: [alias], at: Bench.now, in: scope) }
            try store.state([own], of: [customers[30]], at: Bench.now, in: scope)
            return customers
        }
        let (found, few, known, partly, rows) = try await bench.database.read { transaction in
            let counter = RowCounter(transaction)
            let store = CustomerStore(counter)
            return (
                try store.customers(aliases: [alias, own], in: scope),
                try store.customers(aliases: [own, alias], in: scope, limit: 3),
                try store.statement(of: [alias, own], for: [customers[30], customers[30]], in: scope).isKnown,
                try store.statement(of: [alias, own], for: [customers[30], customers[31]], in: scope).isKnown,
                counter.most
            )
        }
        #expect(found == Array(customers.prefix(17)))
        #expect(few == Array(customers.prefix(3)))
        #expect(known && !partly)
        #expect(rows == 17)
    }

    /// Passes statements on and notes the most rows that one of them gave.
    private final class RowCounter: StoreTransaction {
        private let transaction: any StoreTransaction
        private(set) var most = 0

        var memory: TransactionCache? { transaction.memory }
        func goesOnAfterNUL(_ column: String) -> String? { transaction.goesOnAfterNUL(column) }

        init(_ transaction: any StoreTransaction) {
            self.transaction = transaction
        }

        func rows(_ statement: Statement) throws -> [StoredRow] {
            let rows = try transaction.rows(statement)
            most = max(most, rows.count)
            return rows
        }

        func changes(by statement: Statement) throws -> Int {
            try transaction.changes(by: statement)
        }
    }

    @Test(
        "a customer without signed payloads is stored under the account token before the app's own name",
        arguments: Driver.allCases)
    func aliasOnly(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let stored = try await bench.database.write { transaction in
            let customers = CustomerStore(transaction)
            let number = try customers.add(
                under: [.customerId("user-1"), .appAccountToken(.number(1))], at: Bench.now, in: scope)
            return try customers.customers([number])
        }
        #expect(stored.map(\.rolloutKey) == [LowercaseUUID.number(1).description])
        #expect(stored.first?.originalTransactionIds == [] && stored.first?.appTransactionIds == [])
        #expect(stored.first?.customerIds == ["user-1"])
    }

    @Test("the version of a subject whose customers were merged differs", arguments: Driver.allCases)
    func versionAfterMerge(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let first = try await bench.customer("1")
        let second = try await bench.customer("2")
        let read = { try await bench.database.read { try CustomerStore($0).version(of: [first, second]) } }
        let before = try await read()
        try await bench.ingest([.bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A")])
        let after = try await read()
        #expect(before.customers == [first, second])
        #expect(after.customers == [first])
    }

    @Test("who was merged into somebody follows when that one is merged away", arguments: Driver.allCases)
    func chain(driver: Driver) async throws {
        let bench = try await Bench(driver)
        var customers: [CustomerNumber] = []
        for id in ["1", "2", "3"] { customers.append(try await bench.customer(TransactionId(id))) }
        try await bench.ingest([.bought("4", original: "2", account: "A"), .bought("5", original: "3", account: "A")])
        try await bench.ingest([.bought("6", original: "1", account: "A")])
        let all = customers
        let survivors = try await bench.database.read { try CustomerStore($0).survivors(of: all) }
        #expect(Set(survivors.values) == [customers[0]])
    }

    @Test("a customer takes part in rollouts under the Apple account, also where a transaction names both")
    func rolloutKey() async throws {
        let bench = try await Bench()
        let customer = try await bench.ingest([.bought("1", account: "A")]).first?.customer
        let stored = try await bench.database.read { try CustomerStore($0).customers([customer].compactMap(\.self)) }
        #expect(stored.map(\.rolloutKey) == ["A"])
    }

    @Test("renewal info that an operator stated links nobody once its subscription is proven (invariant 6)")
    func statedRenewalInfo() async throws {
        let bench = try await Bench()
        let account = try await bench.ingest([.installed("A")]).first?.customer
        try await bench.ingest([.renews("1", account: "A", provenance: .operator)])
        let customer = try await bench.ingest([.bought("1")]).first?.customer
        #expect(customer != nil && customer != account)
    }

    @Test("an alias names nobody in another app or environment", arguments: Driver.allCases)
    func aliasOfOtherScope(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let (scope, other) = (bench.scope, bench.other)
        let named = try await bench.database.write { transaction in
            let customers = CustomerStore(transaction)
            _ = try customers.add(under: [.customerId("anna")], at: Bench.now, in: scope)
            return try [scope, other].map { try customers.customers(aliases: [.customerId("anna")], in: $0).count }
        }
        #expect(named == [1, 0])
    }
}
