import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Events of subscriptions whose data arrives at once")
struct SubscriptionEventsInOneDeliveryTests {
    @Test("a new subscription that arrives with a merge has its events and its dates", arguments: [true, false])
    func merge(endsWithRenewalInfo: Bool) async throws {
        let bench = try await Bench()
        let end = Bench.now.adding(milliseconds: 10 * Instant.Duration.day)
        _ = try await bench.customer("5")
        try await bench.ingest([.installed("A", created: Bench.now)])
        // The second makes one customer of two; the third adds renewal info to the first, or no fact.
        try await bench.ingest([
            Self.period("1", of: "1", until: end), Self.period("6", of: "5", until: end) { $0.appTransactionId = "A" },
            endsWithRenewalInfo
                ? .renews("1") : Self.period("1", of: "1", until: end) { $0.signedDate = $0.purchaseDate },
        ])
        let renewed = try await bench.database.read { try EventStore($0).page(after: 0, types: [.renewed], limit: 10) }
        #expect(renewed.map { $0.customer?.originalTransactionIds } == [["1"]])
        #expect(try await bench.dates(of: .accessLost) == ["1", "5"])
    }

    @Test("a subscription whose transactions name two groups loses access once, at the later end")
    func twoGroups() async throws {
        let bench = try await Bench()
        let first = Bench.now.adding(milliseconds: Instant.Duration.day)
        let last = Bench.now.adding(milliseconds: 2 * Instant.Duration.day)
        for (first, last) in [(first, last), (last, first)] {
            let id = TransactionId(first < last ? "1" : "5")
            try await bench.ingest([
                Self.period("\(id)1", of: id, group: "21500001", until: first),
                Self.period("\(id)2", of: id, group: "21500002", until: last),
            ])
        }
        #expect(try await bench.dates(of: .accessLost) == ["1", "5"])
        #expect(try await bench.database.read { try DueEventStore($0).next() } == last)
    }

    private static func period(
        _ id: String, of original: TransactionId, group: SubscriptionGroupId = "21500001", until end: Instant,
        _ change: (inout Transaction) -> Void = { _ in }
    ) -> HistoryPayload {
        let transaction = Transaction.fixture(
            TransactionId(id), original: original, group: group,
            purchased: Bench.now.adding(milliseconds: -Instant.Duration.day), expires: end
        ) {
            $0.transactionReason = .renewal
            change(&$0)
        }
        return HistoryPayload(.transaction(transaction), bytes: Array("\(transaction)".utf8), provenance: .notification)
    }
}

extension Bench {
    /// The subscriptions with a date of an event to come.
    fileprivate func dates(of type: EventType) async throws -> [String] {
        try await database.read {
            try $0.rows(
                Statement("SELECT original_transaction_id FROM due_event WHERE type = ?1 ORDER BY 1", type.rawValue)
            ).map { try $0.value(0) }
        }
    }
}
