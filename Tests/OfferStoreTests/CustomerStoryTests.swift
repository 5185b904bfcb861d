import OfferModel
import OfferStore
import OpenSSLCrypto
import Testing

@Suite("Where identifiers came from, merges and refusals, for support")
struct CustomerStoryTests {
    @Test("each identifier tells since when and by whose word it is known", arguments: Driver.allCases)
    func origins(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let customer = try #require(
            try await bench.ingest([.bought("10", original: "1", account: "A", token: .number(1))]).first?.customer)
        let later = Bench.now.adding(milliseconds: 5)
        let request = LowercaseUUID.number(9)
        let ledger = Ledger(bench.database.base, digest: OpenSSLDigest())
        _ = try await ledger.write(by: AuditAuthor(actor: "k", requestId: request)) { transaction in
            try CustomerStore(transaction).state(
                [.customerId("anna"), .appAccountToken(.number(2))], of: [customer], at: later, in: scope)
        }
        let read = {
            try await bench.database.read { try CustomerStore($0).sourcedIdentifiers(of: [customer]) }
        }
        let found = try await read()
        #expect(
            found.map(\.kind) == [
                .originalTransactionId, .appTransactionId, .appAccountToken, .appAccountToken, .customerId,
            ])
        #expect(found.map(\.since) == [Bench.now, Bench.now, Bench.now, later, later])
        #expect(found.map(\.provenance) == [.client, .client, .client, .caller, .caller])
        #expect(found.map(\.transactionId) == ["10", "10", "10", nil, nil])
        #expect(found.map(\.requestId) == [nil, nil, nil, request, request])
        // Once Apple's data names the stated account, that is why it is known.
        try await bench.ingest([.renews("1", token: .number(2), provenance: .notification)])
        let proven = try #require(try await read().first { $0.value == LowercaseUUID.number(2).description })
        #expect(proven.since == later)
        #expect(proven.provenance == .notification)
        #expect(proven.transactionId == "1")
        #expect(proven.requestId == nil)
    }

    @Test(
        "an identifier that an operator brought is the signed data's once that proves it",
        arguments: Driver.allCases)
    func upgraded(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let customer = try #require(
            try await bench.ingest([.bought("10", original: "1", account: "A", provenance: .operator)]).first?.customer)
        let read = {
            try await bench.database.read {
                try CustomerStore($0).sourcedIdentifiers(of: [customer]).map {
                    "\($0.value) \($0.provenance.rawValue)"
                }
            }
        }
        #expect(try await read() == ["1 operator"])
        try await bench.ingest([.bought("11", original: "1", account: "A", provenance: .serverAPI)])
        #expect(try await read() == ["1 serverAPI", "A serverAPI"])
    }

    @Test(
        "a merge tells who was merged, as what they were known, and which payload proved it", arguments: Driver.allCases
    )
    func merges(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let first = try await bench.customer("1")
        let second = try await bench.customer("2")
        let third = try await bench.customer("3")
        _ = try await bench.database.write {
            try CustomerStore($0).state([.customerId("anna")], of: [third], at: Bench.now, in: scope)
        }
        // The third becomes the second, and then the second the first.
        try await bench.ingest([.installed("A"), .bought("20", original: "2", account: "A")])
        try await bench.ingest([.bought("30", original: "3", account: "A", provenance: .notification)])
        let later = Bench.now.adding(milliseconds: 7)
        try await bench.ingest([.renews("1", account: "A")], at: later)
        let merges = try await bench.database.read { try CustomerStore($0).merges(into: [first]) }
        #expect(merges.map(\.storedUnder) == ["A", "3", "2"])
        #expect(merges.map(\.aliases) == [[], [.customerId("anna")], [.customerId("anna")]])
        #expect(merges.map(\.mergedAt) == [Bench.now, Bench.now, later])
        #expect(merges.map(\.proof?.transactionId) == ["20", "30", "1"])
        #expect(merges.map(\.proof?.provenance) == [.client, .notification, .client])
        #expect(merges.last?.proof?.identifiers == [.originalTransactionId("1"), .appTransactionId("A")])
        #expect(second != first)
    }

    @Test(
        "of an alias that both customers of a merge have, Apple's data stays the source, and the earlier moment the first",
        arguments: Driver.allCases, [true, false])
    func mergedAlias(driver: Driver, isStatedOfSurvivor: Bool) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        @Sendable func at(_ seconds: Int64) -> Instant { Bench.now.adding(milliseconds: seconds * 1_000) }
        let (stated, proven): (TransactionId, TransactionId) = isStatedOfSurvivor ? ("1", "2") : ("2", "1")
        let one = try await bench.customer("1")
        _ = try await bench.customer("2")
        let known = try await bench.database.read {
            try CustomerStore($0).customer(.originalTransactionId(stated), in: scope)
        }
        let customer = try #require(known)
        _ = try await bench.database.write {
            try CustomerStore($0).state([.appAccountToken(.number(1))], of: [customer], at: at(5), in: scope)
        }
        try await bench.ingest([.renews(proven, token: .number(1), provenance: .notification)], at: at(6))
        try await bench.ingest([.bought("3", original: "1", account: "A")], at: at(7))
        try await bench.ingest([.bought("4", original: "2", account: "A")], at: at(8))
        let alias = try await bench.database.read {
            try CustomerStore($0).sourcedIdentifiers(of: [one]).filter { $0.kind == .appAccountToken }
        }
        #expect(alias.map(\.provenance) == [.notification])
        #expect(alias.map(\.transactionId) == [proven])
        #expect(alias.map(\.since) == [at(5)])
    }

    @Test("refusals are told by day, offer and answer, also those from before a merge", arguments: Driver.allCases)
    func refusals(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let scope = bench.scope
        let first = try await bench.customer("1")
        let second = try await bench.customer("2")
        let day = Instant.Duration.day
        let midnight = Bench.now.adding(milliseconds: -(Bench.now.milliseconds % day))
        func refusal(_ number: Int, _ customer: CustomerNumber, at milliseconds: Int64) -> Refusal {
            var refusal = Refusal.fixture(number, customer: customer)
            refusal.decidedAt = midnight.adding(milliseconds: milliseconds)
            refusal.record = Array("record \(number)".utf8)
            return refusal
        }
        let refusals = [
            refusal(1, first, at: -1), refusal(2, first, at: 0), refusal(3, second, at: 10),
            refusal(4, first, at: day - 1),
            refusal(5, first, at: day),
        ]
        try await bench.database.write { transaction in
            for refusal in refusals { try RefusalStore(transaction).insert(refusal, in: scope) }
        }
        try await bench.ingest([.bought("3", original: "1", account: "A"), .bought("4", original: "2", account: "A")])
        func days(until latest: Instant = .distantFuture, limit: Int = 10) async throws -> [String] {
            try await bench.database.read { transaction in
                try RefusalStore(transaction).days(of: [first], until: latest, limit: limit).map { found in
                    "\(found.count) from \(found.first.milliseconds(since: midnight)) to "
                        + "\(found.last.milliseconds(since: midnight)): "
                        + String(decoding: found.record ?? [], as: UTF8.self)
                }
            }
        }
        let all = [
            "1 from \(day) to \(day): record 5", "3 from 0 to \(day - 1): record 4", "1 from -1 to -1: record 1",
        ]
        #expect(try await days() == all)
        #expect(try await days(limit: 1) == [all[0]])
        // A day of which a later refusal was shown is not shown again.
        #expect(try await days(until: midnight.adding(milliseconds: 5)) == [all[2]])
    }
}
