import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Events that become due")
struct DueEventTests {
    @Test("the end of a trial is announced 48 hours before, once, though the trial is signed again")
    func trial() async throws {
        let bench = try await Bench()
        try await bench.ingest([.trial("1", 0, 7), .info(renews: true, signed: 0)])
        #expect(try await bench.nextDue() == Bench.day(5))
        #expect(try await bench.send(at: Bench.day(5).adding(milliseconds: -1)) == 0)
        #expect(try await bench.send(at: Bench.day(5)) == 1)
        let next = try await bench.nextDue()
        try await bench.ingest([.trial("1", 0, 7, signed: 5.1)], at: Bench.day(5.1))
        // What was announced is not due again.
        #expect(try await bench.nextDue() == next)
        try await bench.send(at: Bench.day(6))
        let events = try await bench.announced()
        #expect(events.map(\.type) == [.trialEnding])
        #expect(events.first?.occurredAt == Bench.day(5))
        #expect(
            events.first?.text
                == #"{"expiresAt":1800604800000,"originalTransactionId":"1","productId":"com.example.pro.monthly","#
                + #""subscriptionGroupIdentifier":"21500001","transactionId":"1","trialEndsAt":1800604800000,"#
                + #""willAutoRenew":true}"#)
        #expect(events.first?.customer?.originalTransactionIds == ["1"])
    }

    @Test("a paid introductory offer is not announced as a trial")
    func paidTrial() async throws {
        let bench = try await Bench()
        try await bench.ingest([
            .period("1", 0, 7) {
                $0.offerType = .introductory
                $0.offerDiscountType = .payAsYouGo
            }
        ])
        try await bench.send(at: Bench.day(6))
        #expect(try await bench.announced().isEmpty)
    }

    @Test("access is lost when the last period ends and nothing follows")
    func expired() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -10, 20), .info(renews: false, signed: -10)])
        try await bench.send(at: Bench.day(20).adding(milliseconds: -1))
        #expect(try await bench.events().isEmpty)
        try await bench.send(at: Bench.day(20))
        let events = try await bench.events()
        #expect(events.map(\.type) == [.accessLost])
        #expect(events.first?.text.contains(#""accessEndedAt":1801728000000"#) == true)
        #expect(events.first?.text.contains(#""state":"expired""#) == true)
        #expect(try await bench.nextDue() == nil)
    }

    @Test("a renewal that arrives before the end moves it")
    func renewedInTime() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -29, 1), .info(renews: true, signed: -29)])
        #expect(try await bench.nextDue() == Bench.day(1))
        try await bench.ingest([.period("2", 1, 31, signed: 0.5)], at: Bench.day(0.5))
        #expect(try await bench.nextDue() == Bench.day(31))
        try await bench.send(at: Bench.day(2))
        #expect(try await bench.events().map(\.type) == [.renewed])
    }

    @Test("where it is not known whether Apple renewed it, access is lost only once Apple says so")
    func undetermined() async throws {
        let bench = try await Bench()
        try await bench.ingestInProduction([.period("1", -29, 1), .info(renews: true, signed: -29)])
        #expect(try await bench.send(at: Bench.day(1)) == 1)
        #expect(try await bench.nextDue() == nil)
        #expect(try await bench.events().isEmpty)
        try await bench.ingestInProduction(
            [
                .info(renews: true, signed: 1.2) {
                    $0.isInBillingRetryPeriod = true
                    $0.expirationIntent = .billingError
                }
            ], at: Bench.day(1.2))
        #expect(try await bench.nextDue() == Bench.day(1))
        try await bench.send(at: Bench.day(1.3))
        let events = try await bench.announced()
        #expect(events.map(\.type) == [.accessLost])
        #expect(events.first?.text.contains(#""state":"inBillingRetryPeriod""#) == true)
        // It expires: access was lost before.
        try await bench.ingestInProduction(
            [.info(renews: false, signed: 2) { $0.expirationIntent = .billingError }], at: Bench.day(2))
        try await bench.send(at: Bench.day(2))
        #expect(try await bench.announced().count == 1)
    }

    @Test("the end of grace is announced three days before, and access is lost at its end")
    func grace() async throws {
        let bench = try await Bench()
        try await bench.ingestInProduction([.period("1", -31, -1), .info(renews: true, signed: -31)])
        try await bench.ingestInProduction([
            .info(renews: true, signed: -0.5) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = Bench.day(15)
            }
        ])
        #expect(try await bench.nextDue() == Bench.day(12))
        try await bench.send(at: Bench.day(12))
        try await bench.send(at: Bench.day(15))
        let events = try await bench.announced()
        #expect(events.map(\.type) == [.graceEnding, .accessLost])
        #expect(events.first?.text.contains(#""gracePeriodExpiresAt":1801296000000"#) == true)
        #expect(events.last?.text.contains(#""accessEndedAt":1801296000000"#) == true)
    }

    @Test("a refund takes access away at once")
    func refund() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -10, 20), .info(renews: true, signed: -10)])
        try await bench.ingest([
            .period("1", -10, 20, signed: -0.1) {
                $0.revocationDate = Bench.day(-0.2)
                $0.revocationReason = 0
            }
        ])
        try await bench.send(at: Bench.now)
        let events = try await bench.events()
        #expect(events.map(\.type) == [.refunded, .accessLost])
        #expect(events.last?.text.contains(#""state":"revoked""#) == true)
    }

    @Test("access is not lost while another subscription of the group gives it")
    func otherSubscription() async throws {
        let bench = try await Bench()
        let account = { @Sendable (transaction: inout Transaction) in transaction.appTransactionId = "A" }
        try await bench.ingest([
            .period("1", -10, 1, .notification, account), .info(renews: false, signed: -10),
            .period("5", of: "5", -9, 9, .notification, account), .info(of: "5", renews: false, signed: -9),
        ])
        try await bench.send(at: Bench.day(2))
        #expect(try await bench.events().isEmpty)
        try await bench.send(at: Bench.day(9))
        let events = try await bench.events()
        #expect(events.map(\.type) == [.accessLost])
        #expect(events.first?.text.contains(#""originalTransactionId":"5""#) == true)
        #expect(events.first?.customer?.originalTransactionIds == ["1", "5"])
    }

    @Test("an import dates what is to come; what has ended is no news, unless Apple signed it within three days")
    func imported() async throws {
        let bench = try await Bench()
        try await bench.ingest([
            .trial("1", of: "1", -6, 1, .operator), .info(of: "1", renews: false, signed: -6, .operator),
            .period("2", of: "2", -31, -1, .operator), .info(of: "2", renews: false, signed: -6, .operator),
            .period("3", of: "3", -31, -1), .info(of: "3", renews: false, signed: -6),
            .period("4", of: "4", -31, -3.1), .info(of: "4", renews: false, signed: -6),
        ])
        try await bench.send(at: Bench.now)
        try await bench.send(at: Bench.day(1))
        let events = try await bench.events()
        #expect(events.map(\.type) == [.trialEnding, .accessLost, .accessLost])
        #expect(events.map { $0.customer?.originalTransactionIds } == [["1"], ["3"], ["1"]])
    }

    @Test("two processes at once keep each event once, and each customer's in order")
    func twoProcesses() async throws {
        let bench = try await Bench(.file)
        let other = try bench.reopened()
        for start in stride(from: 1, through: 600, by: 100) {
            try await bench.ingest(
                (start..<start + 100).flatMap { id -> [HistoryPayload] in
                    let id = TransactionId("\(id)")
                    return [.trial(id, of: id, -6, 1), .info(of: id, renews: false, signed: -6)]
                })
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for database in [bench.database, other] {
                group.addTask {
                    for now in [Bench.now, Bench.day(1)] {
                        var rounds = 0
                        while try await database.write({ try DueEventStore($0).send(at: now, limit: 7) }) > 0 {
                            rounds += 1
                            try #require(rounds <= 1_200, "dates that were taken are taken again")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let events = try await bench.events([.trialEnding, .accessLost], limit: 2_000)
        #expect(events.count == 1_200)
        #expect(Set(events.map(\.id)).count == 1_200)
        let byCustomer = Dictionary(grouping: events) { $0.customer?.number }
        #expect(byCustomer.count == 600)
        #expect(byCustomer.values.allSatisfy { $0.map(\.type) == [.trialEnding, .accessLost] })
        try other.close()
        try bench.database.close()
    }

    @Test("a customer whose history cannot be read holds up no other")
    func unreadable() async throws {
        let bench = try await Bench()
        try await bench.ingest([
            .trial("1", of: "1", -6, 1), .trial("2", of: "2", -6, 1),
        ])
        try await bench.database.write {
            _ = try $0.execute(Statement("UPDATE history_facts SET facts = x'FF' WHERE value = '1'", values: []))
        }
        #expect(try await bench.send(at: Bench.now) == 2)
        #expect(try await bench.announced().map { $0.customer?.originalTransactionIds } == [["2"]])
        #expect(try await bench.nextDue() == Bench.now.adding(milliseconds: Instant.Duration.hour))
    }

    @Test("an erasure takes away a customer's events and the dates of those to come")
    func erasure() async throws {
        let bench = try await Bench()
        try await bench.ingest([.period("1", -31, -1)])
        try await bench.ingest([.period("2", -1, 29), .period("5", of: "5", -10, 20)])
        let customer = try #require(try await bench.events().first?.customer)
        _ = try await bench.erase([customer.number])
        #expect(try await bench.events().isEmpty)
        #expect(try await bench.nextDue() == Bench.day(20))
    }
}
