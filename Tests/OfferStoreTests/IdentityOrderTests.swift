import OfferModel
import OfferStore
import OfferTestSupport
import Testing

/// Random worlds of signed and unsigned data, aliases, issued offers and uses, brought in different orders.
@Suite("Who is one customer, whatever came first")
struct IdentityOrderTests {
    private static let originals: [TransactionId] = ["1", "2", "3", "4", "5", "6"]
    private static let seeds: ClosedRange<UInt64> = 1...400

    /// One thing that arrives.
    private enum Arrival: Sendable {
        case payload(HistoryPayload)
        /// The app states an alias for whom the identifier names.
        case alias(CustomerAlias, TransactionId)
    }

    /// The state that must be the same: without dates and order of arrival.
    private struct Outcome: Equatable {
        /// The customers, each by everything they are known by.
        var customers: Set<Set<String>>
        /// The places that each customer's issued offers and uses take, by the customer's identifiers.
        var places: [Set<String>: [String]]
        /// The counters for everyone.
        var counters: [String]
    }

    @Test(
        "any order and repetition of signed data, aliases and operators' data gives the same customers, issued offers and limits (invariant 7)"
    )
    func order() async throws {
        // One database for all: each round is an app of its own in it.
        let bench = try await Bench()
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let arrivals = Self.arrivals(&generator)
            let issuedOffers = Self.issuedOffers(&generator)
            let names = Self.partition(arrivals)
            var expected: Outcome?
            for round in 0..<3 {
                let app = BundleId("com.example.world\(seed).round\(round)")
                let world = World(
                    database: bench.database,
                    scope: try await bench.database.write {
                        try ScopeStore($0).findOrAdd(Scope(bundleId: app, environment: .sandbox))
                    })
                // An issued offer belongs to whoever asked for it, so its owner is known before anything else.
                try await world.ingest(Self.originals.map { .bought($0) }, at: Bench.now)
                try await world.issue(issuedOffers, round: Int(seed) * 3 + round)
                var queue = arrivals
                if round > 0 {
                    queue += arrivals.filter { _ in Bool.random(using: &generator) }
                    queue.shuffle(using: &generator)
                }
                try await world.bring(queue, &generator)
                let outcome = try await world.outcome()
                #expect(outcome.customers == names, "seed \(seed), round \(round)")
                #expect(expected == nil || outcome == expected, "seed \(seed), round \(round)")
                try await world.expectWhole(issuedOffers: issuedOffers.count, "seed \(seed), round \(round)")
                expected = expected ?? outcome
            }
        }
    }

    private static func arrivals(_ generator: inout SeededGenerator) -> [Arrival] {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }
        let accounts: [AppTransactionId?] = [nil, nil, "A", "B", "C"]
        let tokens: [AppAccountToken?] = [nil, .number(1), .number(2)]
        return (0..<Int.random(in: 3...10, using: &generator)).map { number in
            let original = pick(originals)
            switch Int.random(in: 0..<8, using: &generator) {
            // What is stated of an alias that Apple's data names does depend on the order: it has to come first.
            case 0: return .alias(pick([.customerId("anna"), .appAccountToken(.number(3))]), original)
            case 1: return .payload(.renews(original, account: pick(accounts), token: pick(tokens)))
            case 2:
                // An operator's word names an Apple Account and proves nothing.
                return .payload(
                    .bought(
                        TransactionId("90\(number)"), original: original, account: pick(["A", "B"]),
                        token: pick([nil, .number(4)]),
                        provenance: pick([.operator, .receipt])))
            case 3, 4: return .payload(use("80\(number)", of: original, day: number, account: pick(accounts)))
            default:
                return .payload(
                    .bought(
                        TransactionId("70\(number)"), original: original, account: pick(accounts), token: pick(tokens)))
            }
        }
    }

    private static func use(
        _ id: String, of original: TransactionId, day: Int, account: AppTransactionId?
    ) -> HistoryPayload {
        let transaction = Transaction.fixture(
            TransactionId(id), original: original,
            purchased: Bench.now.adding(milliseconds: Int64(day - 20) * Instant.Duration.day)
        ) {
            $0.offerType = .promotional
            $0.offerIdentifier = "comeback50"
            $0.offerPeriod = "P1M"
            $0.transactionReason = .purchase
            $0.appTransactionId = account
        }
        let bytes = "use \(id) \(original) \(day) \(account?.rawValue ?? "-")"
        return HistoryPayload(.transaction(transaction), bytes: Array(bytes.utf8), provenance: .client)
    }

    /// Of different offers: of two open issued offers for one offer a merge voids the newer, whenever it happens.
    private static func issuedOffers(_ generator: inout SeededGenerator) -> [(
        issuedOffer: IssuedOffer, owner: TransactionId
    )] {
        (0..<Int.random(in: 0...4, using: &generator)).map { number in
            let day = Int64.random(in: 1...30, using: &generator)
            var issuedOffer = IssuedOffer.fixture(
                number, offer: OfferId("offer\(number)"),
                issued: Bench.now.adding(milliseconds: -day * Instant.Duration.day - Int64(number)))
            issuedOffer.cost = Money(milliunits: 9_990, currency: "USD")
            return (issuedOffer, originals[Int.random(in: 0..<originals.count, using: &generator)])
        }
    }

    /// The connected parts of the graph of docs/design.md#identity, from what arrives alone.
    private static func partition(_ arrivals: [Arrival]) -> Set<Set<String>> {
        var parts: [(proven: Set<String>, all: Set<String>)] = originals.map { (["o\($0)"], ["o\($0)"]) }
        func join(_ proven: Set<String>, _ aliases: Set<String>) {
            let touched = parts.filter { !$0.proven.isDisjoint(with: proven) }
            parts.removeAll { !$0.proven.isDisjoint(with: proven) }
            let all = touched.reduce(proven) { $0.union($1.proven) }
            parts.append((all, touched.reduce(all.union(aliases)) { $0.union($1.all) }))
        }
        for arrival in arrivals {
            switch arrival {
            case .alias(.appAccountToken(let token), let original): join(["o\(original)"], ["t\(token)"])
            case .alias(.customerId(let id), let original): join(["o\(original)"], ["c\(id)"])
            case .payload(let payload):
                let (original, account, token) = names(payload)
                let isProven = payload.provenance.isProven
                join(
                    Set(["o\(original)"] + (isProven ? account.map { ["a\($0)"] } ?? [] : [])),
                    Set(token.map { ["t\($0)"] } ?? []))
            }
        }
        return Set(parts.map(\.all))
    }

    private static func names(_ payload: HistoryPayload) -> (TransactionId, AppTransactionId?, AppAccountToken?) {
        switch payload.content {
        case .transaction(let value): (value.originalTransactionId, value.appTransactionId, value.appAccountToken)
        case .renewalInfo(let value): (value.originalTransactionId, value.appTransactionId, value.appAccountToken)
        case .appTransaction: ("", nil, nil)
        }
    }
}

extension IdentityOrderTests {
    /// One app in the database, to which things arrive.
    private struct World {
        let database: KeptDatabase
        let scope: ScopeNumber

        func ingest(_ payloads: [HistoryPayload], at now: Instant) async throws {
            let scope = scope
            try await database.write { _ = try HistoryStore($0).ingest(payloads, at: now, in: scope) }
        }

        /// - Parameter round: tells the ids of its issued offers from those of other rounds.
        func issue(_ issuedOffers: [(issuedOffer: IssuedOffer, owner: TransactionId)], round: Int) async throws {
            let scope = scope
            try await database.write { transaction in
                for (number, issued) in issuedOffers.enumerated() {
                    guard
                        let customer = try CustomerStore(transaction).customer(
                            .originalTransactionId(issued.owner), in: scope)
                    else { throw StoreError.corrupt("nobody has \(issued.owner)") }
                    var issuedOffer = issued.issuedOffer
                    issuedOffer.id = .number(round * 100 + number)
                    try IssuedOfferStore(transaction).insert(
                        issuedOffer, catalogRevision: 1, for: customer, subject: [customer], in: scope)
                }
            }
        }

        func bring(_ queue: [Arrival], _ generator: inout SeededGenerator) async throws {
            let scope = scope
            var payloads: [HistoryPayload] = []
            for (number, arrival) in queue.enumerated() {
                let now = Bench.now.adding(milliseconds: Int64(number))
                if case .payload(let payload) = arrival {
                    payloads.append(payload)
                    if Bool.random(using: &generator) { continue }
                }
                try await ingest(payloads, at: now)
                payloads = []
                guard case .alias(let alias, let original) = arrival else { continue }
                try await database.write { transaction in
                    let store = CustomerStore(transaction)
                    let customers = try store.customers(proven: [.originalTransactionId(original)], in: scope)
                    try store.state([alias], of: customers, at: now, in: scope)
                }
            }
            try await ingest(payloads, at: Bench.now.adding(milliseconds: 1_000))
        }

        func outcome() async throws -> Outcome {
            let scope = scope
            return try await database.read { transaction in
                let numbers: [CustomerNumber] = try transaction.rows(
                    Statement("SELECT id FROM customer WHERE scope_id = ?1 AND merged_into IS NULL", scope)
                ).map { try $0.value(0) }
                var outcome = Outcome(customers: [], places: [:], counters: [])
                for customer in try CustomerStore(transaction).customers(numbers) {
                    let names = Set(
                        customer.originalTransactionIds.map { "o\($0)" } + customer.appTransactionIds.map { "a\($0)" }
                            + customer.appAccountTokens.map { "t\($0)" } + customer.customerIds.map { "c\($0)" })
                    outcome.customers.insert(names)
                    let issuedOffers = try transaction.rows(
                        Statement(
                            "SELECT offer_id, redemptions, places, voided_at FROM issued_offer WHERE customer_id = ?1",
                            customer.number))
                    let uses = try transaction.rows(
                        Statement(
                            """
                            SELECT r.transaction_id, r.first_evidence, r.offer_ends, i.offer_id, r.is_doubled, r.is_late
                            FROM redemption r LEFT JOIN issued_offer i ON i.id = r.issued_offer_id
                            WHERE r.customer_id = ?1
                            """, customer.number))
                    outcome.places[names] = (issuedOffers + uses).map { "\($0.values)" }.sorted()
                }
                outcome.counters =
                    (try transaction.rows(
                        Statement("SELECT offer_id, unit, amount FROM offer_counter WHERE scope_id = ?1", scope))
                    + transaction.rows(
                        Statement(
                            """
                            SELECT offer_type, offer_identifier, product_id, amount FROM redemption_counter
                            WHERE scope_id = ?1 AND amount > 0
                            """, scope))).map { "\($0.values)" }.sorted()
                return outcome
            }
        }

        /// A merge keeps every row: no issued offer is lost, nothing belongs to somebody who was merged away, and each
        /// merge has its row and its event.
        func expectWhole(issuedOffers: Int, _ comment: Comment) async throws {
            let scope = scope
            let counts = try await database.read { transaction in
                try [
                    "SELECT COUNT(*) FROM issued_offer WHERE scope_id = ?1",
                    """
                    SELECT COUNT(*) FROM customer c WHERE c.scope_id = ?1 AND c.merged_into IS NOT NULL AND (
                        EXISTS (SELECT 1 FROM issued_offer r WHERE r.customer_id = c.id)
                        OR EXISTS (SELECT 1 FROM redemption r WHERE r.customer_id = c.id)
                        OR EXISTS (SELECT 1 FROM customer_identifier r WHERE r.customer_id = c.id))
                    """,
                    "SELECT COUNT(*) FROM customer WHERE scope_id = ?1 AND merged_into IS NOT NULL",
                    "SELECT COUNT(*) FROM customer_merge WHERE scope_id = ?1",
                    "SELECT COUNT(*) FROM audit_event WHERE scope_id = ?1 AND kind = 'merge'",
                ].map { try transaction.row(Statement($0, scope))?.value(0, as: Int.self) ?? -1 }
            }
            #expect(counts[0] == issuedOffers, comment)
            #expect(counts[1] == 0, comment)
            #expect(counts[2] == counts[3] && counts[3] == counts[4], comment)
        }
    }
}
