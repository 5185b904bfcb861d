import Foundation
import OfferAPI
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import Testing

@testable import OfferApplication

@Suite("Taking notifications in")
struct NotificationIngestionTests {
    private static let caller = Workbench.caller(.client, scope: Workbench.sandbox)
    private static var transaction: [String: Any] {
        [
            "transactionId": "1001", "originalTransactionId": "1001", "bundleId": "com.example.pro",
            "productId": "monthly", "subscriptionGroupIdentifier": "21500001", "type": "Auto-Renewable Subscription",
            "inAppOwnershipType": "PURCHASED", "environment": "Sandbox", "appTransactionId": "app-1",
            "appAccountToken": "0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b",
        ]
    }

    /// A purchase of now as a notification, with members of the transaction changed.
    private func subscribed(
        _ bench: Workbench, uuid: String = "00000000-0000-4000-8000-000000000001", _ changes: [String: Any] = [:]
    ) throws -> String {
        let now = bench.clock.now
        let dates: [String: Any] = [
            "purchaseDate": now.milliseconds, "expiresDate": now.adding(months: 1).milliseconds,
            "signedDate": now.milliseconds,
        ]
        let payload = Self.transaction.merging(dates) { $1 }.merging(changes) { $1 }
        return try bench.shop.notification(
            "SUBSCRIBED", "INITIAL_BUY", uuid: uuid, with: ["signedTransactionInfo": try bench.shop.signed(payload)])
    }

    private func rows(_ bench: Workbench, _ sql: String) async throws -> [[StoredValue]] {
        try await bench.database.read { try $0.rows(Statement(sql)).map(\.values) }
    }

    private func refused(_ bench: Workbench, _ jws: String, of scope: Scope = Workbench.sandbox) async throws
        -> RefusedData
    {
        do {
            try await bench.notify(jws, of: scope)
        } catch RequestError.signedDataRefused(let refused) {
            #expect(refused.count == 1)
            return try #require(refused.first)
        }
        throw StoreError.corrupt("nothing was refused")
    }

    @Test("one that is fetched does not bring back a tester who was reset after it was signed")
    func notBroughtBack() async throws {
        let bench = try await Workbench(catalog: nil)
        let missed = try subscribed(bench, uuid: "00000000-0000-4000-8000-000000000002")
        func fetch(_ jws: String) async throws -> Bool {
            try await bench.useCases.notifications.ingest(
                jws, of: Workbench.sandbox, source: .fetched, author: AuditAuthor(actor: "offerd recheck")
            ).repeated
        }
        try await bench.notify(try subscribed(bench))
        bench.clock.advance(hours: 1)
        let reset = try await bench.useCases.changes.reset(
            CustomerIdentifiers(originalTransactionId: "1001"), reason: "a test",
            caller: Workbench.caller(.support, scope: Workbench.sandbox))
        #expect(reset?.customers == 1)
        #expect(try await fetch(missed))
        #expect(try await bench.count("history_transaction") == 0)
        bench.clock.advance(hours: 1)
        #expect(try await !fetch(subscribed(bench, uuid: "00000000-0000-4000-8000-000000000003")))
        #expect(try await bench.count("history_transaction") == 1)
    }

    @Test("its signed data is history of its own provenance, and it is on its customer's timeline")
    func kept() async throws {
        let bench = try await Workbench(catalog: nil)
        let jws = try subscribed(bench)
        let receipt = try await bench.notify(jws)
        #expect(
            receipt
                == NotificationBody { body in
                    body.notificationUUID = "00000000-0000-4000-8000-000000000001"
                    (body.notificationType, body.subtype, body.outcome) = (.subscribed, .initialBuy, .added)
                })
        let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        for customer in [
            CustomerIdentifiers(originalTransactionId: "1001"), CustomerIdentifiers(appTransactionId: "app-1"),
            CustomerIdentifiers(appAccountToken: token),
        ] {
            let story = try await bench.known(customer, caller: Self.caller)
            #expect(story.history.transactions.map(\.payload.transactionId) == ["1001"])
            #expect(story.history.transactions.map(\.provenance) == [.notification])
            #expect(story.history.coverage.level == .partial, "a notification is not the whole history")
        }
        let timeline = try await bench.database.read { transaction in
            let scope = try #require(try ScopeStore(transaction).number(of: Workbench.sandbox))
            let customer = try #require(
                try CustomerStore(transaction).customer(.originalTransactionId("1001"), in: scope))
            return try NotificationStore(transaction).notifications(of: [customer], limit: 10)
        }
        #expect(timeline.map(\.type) == [.subscribed] && timeline.map(\.subtype) == [.initialBuy])
        #expect(timeline.map(\.transactionId) == ["1001"] && timeline.map(\.productId) == ["monthly"])
        #expect(timeline.map(\.signedDate) == [bench.clock.now] && timeline.map(\.receivedAt) == [bench.clock.now])
        #expect(try await rows(bench, "SELECT payload FROM notification") == [[.text(jws)]])
        let authors = try await rows(bench, "SELECT DISTINCT actor FROM audit_event")
        #expect(authors.isEmpty, "nothing of the ledger was changed")
    }

    @Test("the same notification again is a repeat and writes nothing, also from Apple's history (invariant 7)")
    func repeated() async throws {
        let bench = try await Workbench(catalog: nil)
        let jws = try subscribed(bench)
        let first = try await bench.notify(jws)
        let before = try await bench.ledger()
        bench.clock.advance(hours: 30)
        for source in NotificationSource.allCases {
            var again = first
            again.repeated = true
            #expect(try await bench.notify(jws, source: source) == again)
        }
        let after = try await bench.ledger()
        #expect(after.sequence == before.sequence && after.lastInstant == before.lastInstant)
        #expect(try await bench.count("notification") == 1)
    }

    @Test("a repeat is answered as one although the clock is behind, and a new one waits for the clock")
    func clockBehind() async throws {
        let bench = try await Workbench(catalog: nil)
        let jws = try subscribed(bench)
        bench.clock.advance(milliseconds: 120_000)
        try await bench.notify(jws)
        bench.clock.advance(milliseconds: -60_001)
        #expect(try await bench.notify(jws).repeated)
        let other = try subscribed(bench, uuid: "00000000-0000-4000-8000-000000000002", ["transactionId": "1002"])
        do {
            try await bench.notify(other)
            Issue.record("written although the clock is behind")
        } catch RequestError.clockBehind(let lag) {
            #expect(lag.mark == .lastInstant && lag.milliseconds == 60_001)
        }
        #expect(try await bench.count("notification") == 1)
    }

    @Test("data that Apple signed again under the same UUID counts in either order, in one row (invariant 7)")
    func signedAnew() async throws {
        let shop = try Shop(clock: TestClock(Workbench.start))
        let first = try await Workbench(shop: shop, catalog: nil)
        let now = first.clock.now.milliseconds
        let plain = try subscribed(first)
        let refunded = try subscribed(first, ["signedDate": now + 1, "revocationDate": now, "revocationReason": 0])
        let second = try await Workbench(shop: shop, catalog: nil)
        for (bench, order) in [(first, [plain, refunded, plain]), (second, [refunded, plain, refunded])] {
            for jws in order { try await bench.notify(jws) }
            #expect(try await bench.count("notification") == 1)
            let story = try await bench.known(
                CustomerIdentifiers(originalTransactionId: "1001"), caller: Self.caller)
            #expect(story.history.subscriptionStates(at: story.now).map(\.name) == [.revoked])
        }
        #expect(try await first.payloads() == second.payloads())
    }

    @Test("erased data does not come back with a repeat, delivered or fetched")
    func erased() async throws {
        let bench = try await Workbench(catalog: nil)
        let jws = try subscribed(bench)
        try await bench.notify(jws)
        let now = bench.clock.now
        let erased = try await bench.write { transaction, _ in
            let scope = try #require(try ScopeStore(transaction).number(of: Workbench.sandbox))
            let customer = try #require(
                try CustomerStore(transaction).customer(.originalTransactionId("1001"), in: scope))
            let count = try NotificationStore(transaction).erase(of: [customer], at: now)
            try transaction.execute(Statement("DELETE FROM history_transaction"))
            return count
        }
        #expect(erased == 1)
        for source in NotificationSource.allCases {
            #expect(try await bench.notify(jws, source: source).repeated)
        }
        #expect(try await bench.payloads().isEmpty)
        #expect(
            try await rows(
                bench, "SELECT payload, identifier_kind, identifier, transaction_id, uuid FROM notification")
                == [[.null, .null, .null, .null, .text("00000000-0000-4000-8000-000000000001")]])
    }

    @Test(
        "one text inside that is of another app or environment, or not signed as it should be, refuses all (invariant 6)"
    )
    func inside() async throws {
        let bench = try await Workbench(catalog: nil)
        let place = "in `data.signedTransactionInfo`: "
        let app = try await refused(bench, try subscribed(bench, ["bundleId": "com.example.other"]))
        #expect(app.pointer == "/signedPayload" && app.refusal.code == .wrongBundleId)
        #expect(app.refusal.detail == place + "`bundleId` is `com.example.other`, expected `com.example.pro`")
        let environment = try await refused(bench, try subscribed(bench, ["environment": "Production"]))
        #expect(environment.refusal.code == .wrongEnvironment)
        #expect(environment.refusal.detail == place + "`environment` is `Production`, expected `Sandbox`")
        let stranger = try Shop(clock: bench.clock)
        let foreign = try stranger.signed(Self.transaction)
        #expect(
            try await refused(bench, try bench.shop.notification("REFUND", with: ["signedTransactionInfo": foreign]))
                .refusal.code == .missingSignedDate)
        let dated = try stranger.signed(Self.transaction.merging(["signedDate": 1, "purchaseDate": 1]) { $1 })
        for member in ["signedTransactionInfo", "signedRenewalInfo"] {
            let refusal = try await refused(bench, try bench.shop.notification("REFUND", with: [member: dated])).refusal
            #expect(
                refusal.code == (member == "signedTransactionInfo" ? .untrustedRoot : .malformedPayload),
                "a transaction is no renewal info")
            #expect(refusal.member?.hasPrefix("data.\(member)") == true)
        }
        #expect(try await bench.count("notification") == 0)
        #expect(try await bench.payloads().isEmpty)
    }

    @Test("the environment and the app are the path's word; what names others is refused (invariant 6)")
    func outside() async throws {
        let bench = try await Workbench(catalog: nil)
        let jws = try subscribed(bench)
        #expect(try await refused(bench, jws, of: Workbench.scope).refusal.code == .wrongEnvironment)
        // Production trusts Apple's root alone, so nothing of this shop gets so far as its environment.
        let production = Scope(bundleId: "com.example.pro", environment: .production)
        #expect(try await refused(bench, jws, of: production).refusal.code == .untrustedRoot)
        for scope in [
            Scope(bundleId: "com.example.other", environment: .sandbox),
            Scope(bundleId: "com.example.pro", environment: .xcode),
        ] {
            do {
                try await bench.notify(jws, of: scope)
                Issue.record("\(scope) is served")
            } catch RequestError.notReady(let detail, _) {
                #expect(detail.contains("`\(scope.bundleId)` in `\(scope.environment.rawValue)`"))
            }
        }
        #expect(try await bench.count("notification") == 0)
    }

    @Test("of one from the future it is the clock that is wrong, if it is known to be behind")
    func future() async throws {
        let bench = try await Workbench(catalog: nil)
        try await bench.notify(try subscribed(bench))
        let ahead = bench.clock.now.milliseconds + 60_001
        let jws = try bench.shop.notification(
            "TEST", uuid: "00000000-0000-4000-8000-000000000002", changes: ["signedDate": ahead])
        #expect(try await refused(bench, jws).refusal.code == .signedInFuture)
        bench.clock.advance(milliseconds: -60_001)
        await #expect(throws: RequestError.self) { try await bench.notify(jws) }
        bench.clock.advance(milliseconds: 60_002)
        #expect(try await bench.notify(jws).outcome == .noHistory)
    }

    @Test("Apple's date of a notification, and of what is in it, shows when the clock is behind")
    func datesOfApple() async throws {
        let bench = try await Workbench(catalog: nil, vouchedByApple: true)
        let now = bench.clock.now.milliseconds
        let jws = try bench.shop.notification(
            "REFUND",
            with: [
                "signedTransactionInfo": try bench.shop.signed(
                    Self.transaction.merging(["signedDate": now + 5, "purchaseDate": now]) { $1 })
            ], changes: ["signedDate": now + 2])
        try await bench.notify(jws)
        let marks = try await bench.database.read { try StoreClock($0).marks() }
        #expect(marks.newestSignedDate?.milliseconds == now + 5)
    }

    @Test("one notification delivered a hundred times at once is one row and one history (invariant 7)")
    func together() async throws {
        let bench = try await Workbench(onFile: true, catalog: nil)
        let jws = try subscribed(bench)
        let receipts = try await withThrowingTaskGroup(of: NotificationBody.self) { group in
            for _ in 0..<100 { group.addTask { try await bench.notify(jws) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.count == 100 && receipts.count { !$0.repeated } == 1)
        #expect(Set(receipts.map(\.outcome)) == [.added])
        #expect(try await bench.count("notification") == 1)
        #expect(try await bench.payloads().count == 1)
    }

    @Test("an app transaction that names nobody is no history, and the notification is kept")
    func namesNobody() async throws {
        let bench = try await Workbench(catalog: nil)
        let jws = try bench.shop.notification(
            "RESCIND_CONSENT", part: "appData",
            with: [
                "signedAppTransactionInfo": try bench.shop.signed([
                    "bundleId": "com.example.pro", "receiptType": "Sandbox",
                    "receiptCreationDate": bench.clock.now.milliseconds,
                ])
            ])
        #expect(try await bench.notify(jws).outcome == .noHistory)
        #expect(
            try await rows(bench, "SELECT type, identifier FROM notification") == [[.text("RESCIND_CONSENT"), .null]])
        #expect(try await bench.payloads().isEmpty)
    }
}
