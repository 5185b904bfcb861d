import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import SQLiteStore
import Testing

@Suite("Limits after a restore", .onSQLite("a server's copies are made by its own tools"))
struct ForgottenUsesTests {
    /// A database that issued beyond its copy, and the application on the copy.
    private struct Restored {
        let bench: Workbench
        let database: any DatabaseDriver
        let useCases: UseCases
        let uses: ForgottenUses
        var issued: [Issued] = []

        init(customers: Range<Int>, afterCopy: Range<Int>, offers: [OfferId]) async throws {
            bench = try await Workbench(
                onFile: true,
                catalog: TestCatalog.head + TestCatalog.shared("{ count: 1, per: customer }", id: "once")
                    + TestCatalog.shared("{ count: 3 }", id: "few")
                    + TestCatalog.shared("", id: "open"))
            for number in customers { try await bench.deliver(try bench.shop.delivery(.lapsed, "\(number)")) }
            bench.clock.advance(hours: 1)
            let place = try TestStore(of: bench.directory).place
            let copy = bench.directory.path("copy.sqlite")
            try SQLiteDatabase.copy(from: place, to: copy)
            bench.clock.advance(hours: 1)
            for number in afterCopy {
                for offer in offers {
                    issued.append(Issued(number, try await bench.granted(order(offer, number)).offer))
                }
            }
            bench.clock.advance(hours: 1)
            database = try SQLiteDatabase(path: copy)
            useCases = bench.useCases(over: database)
            let clock = bench.clock
            uses = ForgottenUses(
                ledger: OfferStore.Ledger(database, digest: OpenSSLDigest()), author: AuditAuthor(actor: "tests"),
                clock: { clock.now })
        }

        func ask(_ offer: OfferId, _ number: Int) async throws -> IssueAnswer {
            try await useCases.issuing.issue(order(offer, number), caller: Workbench.client)
        }

        func refusal(_ offer: OfferId, _ number: Int) async throws -> IssueRefusal {
            try #require(try await ask(offer, number).refusal)
        }

        /// Redeems an issued offer, and tells the restored database.
        ///
        /// - Parameter transaction: the purchase's own number.
        func redeem(_ issued: Issued, as transaction: Int) async throws {
            let like = try #require(try bench.shop.delivery(.lapsed, "\(issued.customer)").signedTransactions.first)
            let use = try bench.shop.redemption(
                of: "\(issued.offer)50", "\(900_000 + transaction)", like: like, at: bench.clock.now)
            _ = try await useCases.ingestion.ingest(
                SignedDelivery(signedTransactions: [use]), aliases: CustomerIdentifiers(), caller: Workbench.client)
        }
    }

    private struct Issued {
        let id: LowercaseUUID
        let customer: Int
        let offer: OfferId
        let expiresAt: Instant

        init(_ customer: Int, _ view: IssuedOfferView) {
            (id, offer, expiresAt) = (view.id, view.offerId, view.expiresAt)
            self.customer = customer
        }
    }

    private static let day = 24 * Instant.Duration.hour

    @Test("an offer with a limit waits until 25 hours after the restore, and says until when; others are issued")
    func waits() async throws {
        let restored = try await Restored(customers: 100..<103, afterCopy: 100..<101, offers: ["once", "open"])
        let now = restored.bench.clock.now
        let end = now.adding(milliseconds: 25 * Instant.Duration.hour)
        #expect(try await restored.uses.pause(in: [Workbench.scope], issuedUntil: nil) == .paused(until: end))
        for customer in 100..<103 {
            let refusal = try await restored.refusal("once", customer)
            #expect(refusal.decision.obstacles == [.catalogPaused])
            let finding = try #require(refusal.decision[.catalogPaused])
            #expect(finding.reason == .restoredRecently)
            #expect(finding.turningPoint == .at(end))
            #expect(refusal.outlook.changesAt == end)
            #expect(try await restored.ask("open", customer).issued != nil)
        }
        restored.bench.clock.advance(milliseconds: 25 * Instant.Duration.hour - 1)
        _ = try await restored.refusal("once", 101)
        restored.bench.clock.advance(milliseconds: 1)
        #expect(try await restored.ask("once", 101).issued?.isNew == true)
        try restored.database.close()
    }

    @Test("a refusal of that time still says until when offers with a limit waited, long after")
    func recorded() async throws {
        let restored = try await Restored(customers: 100..<101, afterCopy: 100..<101, offers: ["once"])
        _ = try await restored.uses.pause(in: [Workbench.scope], issuedUntil: nil)
        let refusal = try await restored.refusal("once", 100)
        restored.bench.clock.advance(hours: 48)
        let recorded = try await restored.useCases.replay.refusal(refusal.decisionId, caller: Workbench.support)
        let rule = RuleId.catalogPaused.rawValue
        let finding = try #require(recorded.decision.findings.first { $0.rule == rule })
        #expect(finding.message == refusal.decision[.catalogPaused]?.message)
        try restored.database.close()
    }

    @Test(
        "whatever the former database issued, no limit is exceeded by signatures that live or were redeemed (invariant 2)",
        arguments: 1...12 as ClosedRange<UInt64>)
    func exact(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let lost = 100..<(100 + Int.random(in: 0...3, using: &generator))
        var restored = try await Restored(customers: 100..<108, afterCopy: lost, offers: ["once", "few", "open"])
        _ = try await restored.uses.pause(in: [Workbench.scope], issuedUntil: nil)
        var redeemed: Set<LowercaseUUID> = []
        for _ in 0..<60 {
            restored.bench.clock.advance(milliseconds: .random(in: 0...2 * Instant.Duration.hour, using: &generator))
            let now = restored.bench.clock.now
            if let use = restored.issued.filter({ $0.offer != "open" }).randomElement(using: &generator),
                now < use.expiresAt, redeemed.insert(use.id).inserted
            {
                try await restored.redeem(use, as: redeemed.count)
            }
            let (customer, offer) = (
                Int.random(in: 100..<108, using: &generator),
                ["once", "few"].randomElement(using: &generator) ?? "once"
            )
            if let answer = try await restored.ask(OfferId(offer), customer).issued, answer.isNew {
                restored.issued.append(Issued(customer, answer.offer))
            }
            let living = restored.issued.filter {
                now < $0.expiresAt || redeemed.contains($0.id)
            }
            for customer in 100..<108 {
                #expect(living.count { $0.offer == "once" && $0.customer == customer } <= 1, "seed \(seed)")
            }
            #expect(living.count { $0.offer == "few" } <= 3, "seed \(seed)")
        }
        try restored.database.close()
    }

    @Test("nothing waits once nothing that was issued since can be redeemed, to the millisecond")
    func ended() async throws {
        let restored = try await Restored(customers: 100..<101, afterCopy: 100..<100, offers: [])
        let now = restored.bench.clock.now
        let last = now.adding(milliseconds: -25 * Instant.Duration.hour)
        #expect(try await restored.uses.pause(in: [Workbench.scope], issuedUntil: last) == .none)
        #expect(try await restored.ask("once", 100).issued != nil)
        let later = last.adding(milliseconds: 1)
        #expect(
            try await restored.uses.pause(in: [Workbench.scope], issuedUntil: later)
                == .paused(until: now.adding(milliseconds: 1)))
        try restored.database.close()
    }

    @Test("offers wait although the restored server has issued meanwhile, and although its clock is behind the copy's")
    func whenever() async throws {
        let restored = try await Restored(customers: 100..<102, afterCopy: 100..<101, offers: ["once"])
        let last = restored.bench.clock.now
        restored.bench.clock.advance(hours: 1)
        #expect(try await restored.ask("open", 101).issued != nil)
        restored.bench.clock.advance(milliseconds: -30_000)
        #expect(
            try await restored.uses.pause(in: [Workbench.scope], issuedUntil: last)
                == .paused(until: last.adding(milliseconds: 25 * Instant.Duration.hour)))
        #expect(try await restored.refusal("once", 100).decision.obstacles == [.catalogPaused])
        try restored.database.close()
    }

    @Test("a scope waits that the database has, whether or not it is asked for")
    func everyScope() async throws {
        let restored = try await Restored(customers: 100..<101, afterCopy: 100..<101, offers: ["once"])
        let other = Scope(bundleId: "com.example.other", environment: .sandbox)
        _ = try await restored.uses.pause(in: [other], issuedUntil: nil)
        #expect(try await restored.refusal("once", 100).decision.obstacles == [.catalogPaused])
        #expect(try await restored.uses.resume() == [Workbench.scope, other])
        try restored.database.close()
    }

    @Test("of two pauses the longer is in force, as one; one that was begun with a wrong clock is cut with the clock")
    func longer() async throws {
        let restored = try await Restored(customers: 100..<101, afterCopy: 100..<100, offers: [])
        let now = restored.bench.clock.now
        let end = now.adding(milliseconds: 25 * Instant.Duration.hour)
        func pause(until last: Instant?, unlessPaused: Bool = false) async throws -> ForgottenUses.Outcome {
            try await restored.uses.pause(
                in: [Workbench.scope], issuedUntil: last, unlessPaused: unlessPaused)
        }
        func active() async throws -> [Instant?] {
            try await restored.database.read { transaction in
                let number = try #require(try ScopeStore(transaction).number(of: Workbench.scope))
                return try PauseStore(transaction).active(in: number).map(\.endsAt)
            }
        }
        let earlier = now.adding(milliseconds: -Instant.Duration.hour)
        #expect(try await pause(until: earlier) == .paused(until: end.adding(milliseconds: -Instant.Duration.hour)))
        #expect(
            try await pause(until: nil, unlessPaused: true)
                == .paused(until: end.adding(milliseconds: -Instant.Duration.hour)))
        #expect(try await pause(until: nil) == .paused(until: end))
        #expect(try await pause(until: earlier) == .paused(until: end))
        #expect(try await active() == [end])

        restored.bench.clock.advance(hours: 24 * 365)
        _ = try await pause(until: nil)
        restored.bench.clock.advance(hours: -24 * 365)
        let clock = restored.bench.clock
        let reset = ClockReset(
            ledger: OfferStore.Ledger(restored.database, digest: OpenSSLDigest()), author: AuditAuthor(actor: "tests"),
            clock: { clock.now })
        _ = try await reset.run()
        #expect(try await active() == [end])
        try restored.database.close()
    }

    @Test("the pause ends early when asked, once, and is a record of the ledger; so is its end by itself")
    func resumed() async throws {
        let restored = try await Restored(customers: 100..<101, afterCopy: 100..<100, offers: [])
        _ = try await restored.uses.pause(in: [Workbench.scope], issuedUntil: nil)
        #expect(try await restored.uses.resume() == [Workbench.scope])
        #expect(try await restored.uses.resume().isEmpty)
        #expect(try await restored.ask("once", 100).issued != nil)
        _ = try await restored.uses.pause(in: [Workbench.scope], issuedUntil: nil)
        restored.bench.clock.advance(hours: 26)
        let clock = restored.bench.clock
        _ = try await Retention(
            ledger: OfferStore.Ledger(restored.database, digest: OpenSSLDigest()), terms: .standard,
            author: AuditAuthor(actor: "tests"), clock: { clock.now }
        ).sweep()
        let (report, isPaused) = try await restored.database.read { transaction in
            (
                try LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil).verify(transaction),
                try ScopeStore(transaction).presentState(around: Workbench.scope).scope?.hasPauses
            )
        }
        #expect(report.rows["pause"] == 2)
        #expect(isPaused == false)
        try restored.database.close()
    }

    @Test("the kill switch and the pause after a restore are independent of each other")
    func independent() async throws {
        let restored = try await Restored(customers: 100..<101, afterCopy: 100..<100, offers: [])
        _ = try await restored.uses.pause(in: [Workbench.scope], issuedUntil: nil)
        let caller = Workbench.caller(.support)
        let pauses = restored.useCases.switches
        let resumed = try await pauses.set(nil, paused: false, caller: caller)
        #expect(!resumed.changed)
        #expect(try await restored.refusal("once", 100).decision[.catalogPaused]?.reason == .restoredRecently)
        let paused = try await pauses.set(nil, paused: true, caller: caller)
        #expect(paused.changed && paused.everyOfferPaused)
        #expect(try await restored.refusal("once", 100).decision[.catalogPaused]?.reason == .everyOfferPaused)
        #expect(try await pauses.set(nil, paused: false, caller: caller).changed)
        #expect(try await restored.refusal("once", 100).decision[.catalogPaused]?.reason == .restoredRecently)
        try restored.database.close()
    }
}

private func order(_ offer: OfferId, _ number: Int) -> IssueRequest {
    IssueRequest(offerId: offer, customer: CustomerIdentifiers(originalTransactionId: TransactionId("\(number)")))
}
