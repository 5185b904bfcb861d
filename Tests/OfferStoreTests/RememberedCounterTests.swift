import OfferModel
import OfferTestSupport
import Testing

@testable import OfferStore

/// The cache that bodies of one commit share must hold what each of them would read.
@Suite("Counters remembered within one commit (invariant 2)")
struct RememberedCounterTests {
    private static let offer = Offer(
        id: "comeback", type: .promotional, delivery: .signature, offerIdentifier: "comeback50",
        products: ["com.example.pro.monthly"], paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1,
        limits: [])
    private static let issuedOffer = IssuedOffer.fixture(1)

    private static func counters(
        _ transaction: any StoreTransaction, _ scope: ScopeNumber, at now: Instant = Bench.now,
        group: SubscriptionGroupId = "21500001"
    ) throws -> OfferCounters {
        try CounterStore(transaction).counters(of: offer, in: group, open: [], at: now, in: scope)
    }

    private static func insert(
        _ issuedOffer: IssuedOffer, for customer: CustomerNumber, in scope: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        try IssuedOfferStore(transaction).insert(
            issuedOffer, catalogRevision: 1, for: customer, subject: [customer], in: scope)
    }

    /// Records so many uses of each issued offer, in place of those that were recorded, and has the store note them.
    private static func redeem(
        _ times: [LowercaseUUID: Int], of customer: CustomerNumber, in scope: ScopeNumber,
        _ transaction: any StoreTransaction
    ) throws {
        try transaction.execute(Statement("DELETE FROM redemption WHERE customer_id = ?1", customer))
        for (issuedOffer, count) in times {
            for _ in 0..<count {
                try transaction.execute(
                    Statement(
                        """
                        INSERT INTO redemption (
                            scope_id, sequence, customer_id, original_transaction_id, offer_type, offer_identifier,
                            subscription_group_identifier, product_id, first_evidence, provenance, issued_offer_id,
                            is_doubled, is_late, recorded_at)
                        VALUES (?1, ?2, ?3, '1', 2, 'comeback50', '21500001', 'com.example.pro.monthly', ?4, 'client',
                            ?5, 0, 0, ?4)
                        """, scope, try StoreClock(transaction).nextSequence(), customer, Bench.now, issuedOffer))
            }
        }
        try IssuedOfferStore(transaction).redeem(of: customer, at: Bench.now)
    }

    private static func used(_ id: TransactionId, group: SubscriptionGroupId = "21500001") -> HistoryPayload {
        let transaction = Transaction.fixture(id, purchased: Bench.now) {
            $0.offerType = .promotional
            $0.offerIdentifier = "comeback50"
            $0.offerPeriod = "P1M"
            $0.subscriptionGroupIdentifier = group
        }
        return HistoryPayload(.transaction(transaction), bytes: Array("used \(id) \(group)".utf8), provenance: .client)
    }

    @Test("an issued offer of the same commit has passed at the moment it stops counting")
    func passes() async throws {
        let bench = try await Bench()
        let (scope, customer) = (bench.scope, try await bench.customer())
        let places = try await bench.database.write { transaction in
            let before = try Self.counters(transaction, scope).places
            try Self.insert(Self.issuedOffer, for: customer, in: scope, transaction)
            return try [before]
                + [-1, 0].map {
                    try Self.counters(transaction, scope, at: Self.issuedOffer.countsUntil.adding(milliseconds: $0))
                        .places
                }
        }
        #expect(places == [0, 1, 0])
    }

    @Test("an issued offer whose redemption is taken back passes again, for those in the same commit too")
    func redemptionTakenBack() async throws {
        let bench = try await Bench()
        let (scope, customer) = (bench.scope, try await bench.customer())
        let ends = Self.issuedOffer.countsUntil
        try await bench.database.write { transaction in
            try Self.insert(Self.issuedOffer, for: customer, in: scope, transaction)
            try Self.redeem([Self.issuedOffer.id: 1], of: customer, in: scope, transaction)
        }
        let places = try await bench.database.write { transaction in
            let redeemed = try Self.counters(transaction, scope, at: ends).places
            try Self.redeem([:], of: customer, in: scope, transaction)
            return [redeemed, try Self.counters(transaction, scope, at: ends).places]
        }
        #expect(places == [1, 0])
    }

    @Test("a released issued offer that seemed redeemed takes no place once its redemption is taken back")
    func releasedTakenBack() async throws {
        let bench = try await Bench()
        let (scope, customer) = (bench.scope, try await bench.customer())
        let places = try await bench.database.write { transaction in
            let issuedOffers = IssuedOfferStore(transaction)
            try Self.insert(Self.issuedOffer, for: customer, in: scope, transaction)
            _ = try issuedOffers.void(Self.issuedOffer.id, reason: "mistake", release: true, at: Bench.now, in: scope)
            return try [[:], [Self.issuedOffer.id: 1], [:]].map { times in
                try Self.redeem(times, of: customer, in: scope, transaction)
                return try Self.counters(transaction, scope).places
            }
        }
        #expect(places == [0, 1, 0])
    }

    @Test("a use that becomes known in the same commit counts in its group, and in no other")
    func unmatched() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let counted = try await bench.database.write { transaction in
            var counted: [Int] = []
            for (id, group) in [("1", "21500002"), ("2", "21500001")] {
                _ = try Self.counters(transaction, scope)
                _ = try HistoryStore(transaction).ingest(
                    [Self.used(TransactionId(id), group: SubscriptionGroupId(group))], at: Bench.now, in: scope)
                counted.append(try Self.counters(transaction, scope).unmatched.values.reduce(0, +))
            }
            return counted
        }
        #expect(counted == [0, 1])
    }

    @Test("a redeemed issued offer keeps its place when what passed beside it is settled")
    func settledBeside() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let customers = [try await bench.customer("1"), try await bench.customer("2")]
        let later = Self.issuedOffer.countsUntil.adding(milliseconds: IssuedOfferStore.settlingDelay)
        let settled = try await bench.database.write { transaction in
            for (number, customer) in customers.enumerated() {
                try Self.insert(.fixture(number), for: customer, in: scope, transaction)
            }
            try Self.redeem([.number(0): 1], of: customers[0], in: scope, transaction)
            return try IssuedOfferStore(transaction).settlePassed(of: "comeback", at: later, in: scope)
        }
        #expect(settled == 1)
        let places = try await bench.database.read { try Self.counters($0, scope, at: later).places }
        #expect(places == 1)
    }

    @Test("a use dated at the very instant an issued offer is issued becomes the issued offer's")
    func usedAtIssue() async throws {
        let bench = try await Bench()
        let scope = bench.scope
        let owner = try #require(try await bench.ingest([Self.used("1")]).first?.customer)
        try await bench.database.write { transaction in
            try Self.insert(Self.issuedOffer, for: owner, in: scope, transaction)
            try RedemptionStore(transaction).matchLaterEvidence(
                of: owner, since: Bench.now, offers: [], at: Bench.now, in: scope)
        }
        let rows = try await bench.database.read { try RedemptionStore($0).redemptions(of: owner) }
        #expect(rows.map(\.redemption.issuedOfferId) == [Self.issuedOffer.id])
    }
}
