import OfferEligibility
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

/// Random worlds of signed and unsigned data, aliases, slots and uses, brought in different orders.
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

    /// What must come out the same: nothing in it says when or in which order something became known.
    private struct Outcome: Equatable {
        /// The customers, each by everything they are known by.
        var customers: Set<Set<String>>
        /// The places that each customer's slots and uses take, by the customer's identifiers.
        var places: [Set<String>: [String]]
        /// The counters for everyone.
        var counters: [String]
    }

    @Test(
        "any order and repetition of signed data, aliases and operators' data gives the same customers, slots and limits (invariant 7)"
    )
    func order() async throws {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let arrivals = Self.arrivals(&generator)
            let slots = Self.slots(&generator)
            let names = Self.partition(arrivals)
            var expected: Outcome?
            for round in 0..<3 {
                let bench = try await Bench()
                // A slot belongs to whoever asked for it, so its owner is known before anything else.
                for original in Self.originals { try await bench.ingest([.bought(original)]) }
                try await Self.issue(slots, bench)
                var queue = arrivals
                if round > 0 {
                    queue += arrivals.filter { _ in Bool.random(using: &generator) }
                    queue.shuffle(using: &generator)
                }
                try await Self.bring(queue, bench, &generator)
                let outcome = try await Self.outcome(bench)
                #expect(outcome.customers == names, "seed \(seed), round \(round)")
                #expect(expected == nil || outcome == expected, "seed \(seed), round \(round)")
                try await Self.expectWhole(bench, slots: slots.count, "seed \(seed), round \(round)")
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
            case 0: return .alias(pick([.customerId("anna"), .appAccountToken(.number(1))]), original)
            case 1: return .payload(.renews(original, account: pick(accounts), token: pick(tokens)))
            case 2:
                // An operator's word names an Apple Account and proves nothing.
                return .payload(
                    .bought(
                        TransactionId("90\(number)"), original: original, account: pick(["A", "B"]), token: pick(tokens),
                        provenance: pick([.operator, .receipt])))
            case 3, 4: return .payload(use("80\(number)", of: original, day: number, account: pick(accounts)))
            default:
                return .payload(
                    .bought(TransactionId("70\(number)"), original: original, account: pick(accounts), token: pick(tokens)))
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

    /// Of different offers: of two open slots for one offer a merge voids the newer, whenever it happens.
    private static func slots(_ generator: inout SeededGenerator) -> [(slot: Slot, owner: TransactionId)] {
        (0..<Int.random(in: 0...4, using: &generator)).map { number in
            let day = Int64.random(in: 1...30, using: &generator)
            var slot = Slot.fixture(
                number, offer: OfferId("offer\(number)"),
                issued: Bench.now.adding(milliseconds: -day * Instant.Duration.day - Int64(number)))
            slot.cost = Money(milliunits: 9_990, currency: "USD")
            return (slot, originals[Int.random(in: 0..<originals.count, using: &generator)])
        }
    }

    private static func issue(_ slots: [(slot: Slot, owner: TransactionId)], _ bench: Bench) async throws {
        let scope = bench.scope
        for (slot, owner) in slots {
            try await bench.database.write { transaction in
                guard let customer = try CustomerStore(transaction).customer(.originalTransactionId(owner), in: scope)
                else { throw StoreError.corrupt("nobody has \(owner)") }
                try SlotStore(transaction).insert(
                    slot, catalogRevision: 1, for: customer, subject: [customer], in: scope)
            }
        }
    }

    private static func bring(_ queue: [Arrival], _ bench: Bench, _ generator: inout SeededGenerator) async throws {
        let scope = bench.scope
        var payloads: [HistoryPayload] = []
        for (number, arrival) in queue.enumerated() {
            let now = Bench.now.adding(milliseconds: Int64(number))
            if case .payload(let payload) = arrival {
                payloads.append(payload)
                if Bool.random(using: &generator) { continue }
            }
            try await bench.ingest(payloads, at: now)
            payloads = []
            guard case .alias(let alias, let original) = arrival else { continue }
            try await bench.database.write { transaction in
                let store = CustomerStore(transaction)
                let customers = try store.customers(proven: [.originalTransactionId(original)], in: scope)
                try store.attach([alias], to: customers, at: now, in: scope)
            }
        }
        try await bench.ingest(payloads, at: Bench.now.adding(milliseconds: 1_000))
    }

    /// The connected parts of the graph of DESIGN §5.6, from what arrives alone.
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

    private static func outcome(_ bench: Bench) async throws -> Outcome {
        try await bench.database.read { transaction in
            let numbers: [CustomerNumber] = try transaction.rows(
                Statement("SELECT id FROM customer WHERE merged_into IS NULL")
            ).map { try $0.value(0) }
            var outcome = Outcome(customers: [], places: [:], counters: [])
            for customer in try CustomerStore(transaction).customers(numbers) {
                let names = Set(
                    customer.originalTransactionIds.map { "o\($0)" } + customer.appTransactionIds.map { "a\($0)" }
                        + customer.appAccountTokens.map { "t\($0)" } + customer.customerIds.map { "c\($0)" })
                outcome.customers.insert(names)
                let slots = try transaction.rows(
                    Statement(
                        "SELECT id, redemptions, places, voided_at FROM issued_offer WHERE customer_id = ?1",
                        customer.number))
                let uses = try RedemptionStore(transaction).redemptions(of: customer.number).map {
                    "\($0.redemption)"
                }
                outcome.places[names] = (slots.map { "\($0.values)" } + uses).sorted()
            }
            outcome.counters =
                (try transaction.rows(Statement("SELECT offer_id, unit, amount FROM offer_counter"))
                + transaction.rows(
                    Statement(
                        "SELECT offer_type, offer_identifier, product_id, amount FROM redemption_counter WHERE amount > 0"
                    ))).map { "\($0.values)" }.sorted()
            return outcome
        }
    }

    /// A merge keeps every row: no slot is lost, nothing belongs to somebody who was merged away, and each merge has its
    /// row and its event.
    private static func expectWhole(_ bench: Bench, slots: Int, _ comment: Comment) async throws {
        let counts = try await bench.database.read { transaction in
            try [
                "SELECT COUNT(*) FROM issued_offer",
                """
                SELECT COUNT(*) FROM (
                    SELECT customer_id FROM issued_offer UNION ALL SELECT customer_id FROM redemption
                    UNION ALL SELECT customer_id FROM customer_identifier
                ) r JOIN customer c ON c.id = r.customer_id WHERE c.merged_into IS NOT NULL
                """,
                "SELECT COUNT(*) FROM customer WHERE merged_into IS NOT NULL",
                "SELECT COUNT(*) FROM customer_merge", "SELECT COUNT(*) FROM audit_event WHERE kind = 'merge'",
            ].map { try transaction.row(Statement($0))?.value(0, as: Int.self) ?? -1 }
        }
        #expect(counts[0] == slots, comment)
        #expect(counts[1] == 0, comment)
        #expect(counts[2] == counts[3] && counts[3] == counts[4], comment)
    }
}
