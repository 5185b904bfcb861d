import OfferAPI
import OfferApplication
import OfferSigning
import OfferStore
import OfferTestSupport
import OpenSSLCrypto
import Testing

@testable import OfferModel

@Suite("Retention")
struct RetentionTests {
    private static let day: Int64 = 24

    private func retention(_ bench: Workbench, _ terms: RetentionTerms = RetentionTerms()) -> Retention {
        Retention(
            ledger: OfferStore.Ledger(bench.database, digest: OpenSSLDigest()), terms: terms, author: .service,
            clock: { [clock = bench.clock] in clock.now })
    }

    private func bench() async throws -> Workbench {
        let bench = try await Workbench()
        try await bench.deliver(try bench.shop.delivery(.lapsed, "100"))
        return bench
    }

    private func texts(_ bench: Workbench, _ sql: String) async throws -> [String] {
        try await bench.database.read { try $0.rows(Statement(sql)).map { try $0.value(0) } }
    }

    @Test("texts stay where the digest key has changed since, and the ledger stays proven")
    func changedKey() async throws {
        let bench = try await bench()
        let before = OfferStore.Ledger(bench.database, digest: OpenSSLDigest())
        let start = bench.clock.now
        try await before.write(by: .service) { try SigningKeyLog($0).note(["app KEY": "signing"], at: start) }
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100")))
        bench.clock.advance(hours: 400 * Self.day)
        let key = try OpenSSLDigestKey(hexadecimal: Array(String(repeating: "ab", count: 32).utf8), source: "test")
        let ledger = OfferStore.Ledger(bench.database, digest: OpenSSLDigest(), key: key)
        let change = bench.clock.now
        try await ledger.write(by: .service) {
            try SigningKeyLog($0).note(
                ["app KEY": "signing", SigningKeyLog.digestMember: key.name], at: change)
        }
        let sum = try await Retention(
            ledger: ledger, terms: RetentionTerms(), author: .service, clock: { [clock = bench.clock] in clock.now }
        ).sweep(rest: .zero)
        #expect(sum.isHeld && sum.signatures == 0 && sum.refusals == 0)
        let report = try await bench.database.read {
            try LedgerVerification(digest: OpenSSLDigest(), key: key, judge: nil).verify($0)
        }
        #expect(report.rows["issued_offer"] == 1)
    }

    @Test(
        "after 90 days the text of a signature is gone, but for its digest; its nonce, issued offer and limit stay (invariants 2, 8)"
    )
    func signatures() async throws {
        let bench = try await bench()
        let order = IssueRequest(offerId: "comeback", customer: named("100"))
        let issued = try await bench.granted(order).offer
        let nonces = try await bench.ledger().nonces
        let artefacts = try await bench.ledger().artefacts

        bench.clock.advance(hours: 90 * Self.day, milliseconds: -1)
        #expect(try await retention(bench).sweep(rest: .zero).isEmpty)
        bench.clock.advance(milliseconds: 1)
        #expect(try await retention(bench).sweep(rest: .zero).signatures == 1)
        #expect(try await retention(bench).sweep(rest: .zero).isEmpty, "nothing twice")

        let remains = try await bench.ledger().artefacts
        #expect(
            remains.count == artefacts.count && remains.allSatisfy { $0.count == 76 && $0.hasPrefix("hmac-sha256:") })
        let report = try await bench.database.read {
            try LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil).verify($0)
        }
        #expect(report.rows["issued_offer"] == Int64(artefacts.count), "the audit knows each row by what remains of it")
        #expect(try await bench.ledger().nonces == nonces)
        let shown = try await bench.useCases.customers.issuedOffer(issued.id, caller: Workbench.client)
        #expect(shown.v1 == nil && shown.v2 == nil)
        #expect(shown.keyId == issued.keyId && shown.productId == "monthly" && shown.issuedAt == issued.issuedAt)
        let listed = try await bench.useCases.customers.issuedOffers(
            CustomerIdentifiers(), offerId: nil, limit: 10, before: nil, caller: Workbench.client)
        #expect(listed.items.map(\.id) == [issued.id])
    }

    @Test(
        "an offer that was redeemed is still used up, and replay of its decision differs in nothing (invariants 2, 5)")
    func redeemed() async throws {
        let bench = try await bench()
        let delivery = try bench.shop.delivery(.lapsed, "100")
        let issued = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100"))).offer
        bench.clock.advance(hours: 1)
        let bought = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(delivery.signedTransactions.last), at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [bought]))
        bench.clock.advance(hours: 400 * Self.day)
        #expect(try await retention(bench).sweep(rest: .zero).signatures == 1)
        let decision = try await bench.dryRun(named("100"), "comeback")
        #expect(decision[.limitCustomer]?.verdict == .violated)
        let replay = try await bench.useCases.replay.replay(issued.id, catalogRevision: nil, caller: Workbench.client)
        #expect(replay.differences.isEmpty)
    }

    @Test("an issued offer that counts keeps its signatures however short the terms are, and hands them out again")
    func counting() async throws {
        let bench = try await bench()
        let order = IssueRequest(offerId: "comeback", customer: named("100"))
        let issued = try await bench.granted(order).offer
        let terms = RetentionTerms(signatures: 1, refusals: 1)
        bench.clock.advance(hours: 22)
        #expect(try await retention(bench, terms).sweep(rest: .zero).signatures == 0)
        let again = try await bench.granted(order)
        #expect(!again.isNew && again.offer.v2?.jws == issued.v2?.jws && again.offer.v1 == issued.v1)
        bench.clock.advance(hours: 3, milliseconds: -1)
        #expect(try await retention(bench, terms).sweep(rest: .zero).signatures == 0)
        bench.clock.advance(milliseconds: 1)
        #expect(try await retention(bench, terms).sweep(rest: .zero).signatures == 1)
    }

    @Test("a refusal keeps its row and loses what it depended on; the decisions behind offers keep everything")
    func refusals() async throws {
        let bench = try await bench()
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100")))
        _ = try await bench.refused(IssueRequest(offerId: "sketch", customer: named("100")))
        let issuing = try await texts(bench, "SELECT hex(record) FROM decision WHERE kind = 'issue'")
        let ids = try await texts(bench, "SELECT id FROM decision ORDER BY sequence")
        bench.clock.advance(hours: 365 * Self.day)
        let sum = try await retention(bench).sweep(rest: .zero)
        #expect(sum.refusals == 1)
        #expect(try await texts(bench, "SELECT hex(record) FROM decision WHERE kind = 'issue'") == issuing)
        #expect(
            try await bench.database.read { transaction in
                try transaction.rows(Statement("SELECT record FROM refusal")).flatMap(\.values).allSatisfy(\.isRemoved)
            })
        #expect(try await texts(bench, "SELECT id FROM decision ORDER BY sequence") == ids)
    }

    @Test("kept answers go after a day and never before, whatever the terms say")
    func answers() async throws {
        let bench = try await bench()
        let token = try await bench.useCases.apiKeys.create(scope: Workbench.scope, role: .client)
        let caller = Caller(apiKeyId: token.id, scope: Workbench.scope, role: .client)
        let write: @Sendable (IssueAnswer) -> WrittenAnswer = { _ in
            WrittenAnswer(status: 201, contentType: "application/json", body: [1])
        }
        let request = IdempotentRequest(key: "once", route: "r", body: [7])
        let order = IssueRequest(offerId: "comeback", customer: named("100"))
        _ = try await bench.useCases.issuing.issue(order, caller: caller, as: request, write: write)
        bench.clock.advance(hours: 24, milliseconds: -1)
        #expect(try await retention(bench, RetentionTerms(answers: 1)).sweep(rest: .zero).answers == 0)
        let replayed = try await bench.useCases.issuing.issue(order, caller: caller, as: request, write: write)
        #expect(replayed.isReplayed)
        bench.clock.advance(milliseconds: 1)
        #expect(try await retention(bench, RetentionTerms(answers: nil)).sweep(rest: .zero).answers == 0)
        #expect(try await retention(bench).sweep(rest: .zero).answers == 1)
        #expect(try await bench.count("kept_answer") == 0)
    }

    @Test("of a notification the signed text goes after 90 days, and its row still tells a repeat")
    func notifications() async throws {
        let bench = try await bench()
        let jws = try bench.shop.notification("TEST")
        try await bench.notify(jws)
        let text = "SELECT coalesce(payload, 'gone ' || payload_removed_at) FROM notification"
        bench.clock.advance(hours: 90 * Self.day, milliseconds: -1)
        #expect(try await retention(bench).sweep(rest: .zero).notifications == 0)
        #expect(try await texts(bench, text) == [jws])
        bench.clock.advance(milliseconds: 1)
        #expect(try await retention(bench, RetentionTerms(notifications: nil)).sweep(rest: .zero).notifications == 0)
        #expect(try await retention(bench).sweep(rest: .zero).notifications == 1)
        #expect(try await retention(bench).sweep(rest: .zero).isEmpty, "nothing twice")
        #expect(try await texts(bench, text) == ["gone \(bench.clock.now.milliseconds)"])
        #expect(try await bench.notify(jws).repeated)
    }

    @Test("many rows are removed in many small transactions, all of them and each once")
    func steps() async throws {
        let bench = try await bench()
        for number in 0..<450 {
            // Identical refusals are one record.
            let order = IssueRequest(
                offerId: "sketch", customer: named("100"), signals: ["interactions": .number(Double(number))])
            _ = try await bench.useCases.issuing.issue(order, caller: Workbench.client)
        }
        bench.clock.advance(hours: 365 * Self.day)
        let commits = Counter()
        let counted = InterposedDatabase(real: bench.database, insideWrite: { commits.next() })
        let sum = try await Retention(
            ledger: OfferStore.Ledger(counted, digest: OpenSSLDigest()), terms: RetentionTerms(), author: .service,
            clock: { [clock = bench.clock] in clock.now }
        ).sweep(rest: .zero)
        #expect(sum.refusals == 450)
        #expect(commits.next() == 4, "three steps of at most 200")
    }

    @Test(
        "passed issued offers of an offer that nobody is issued any more are settled, and nothing that anybody reads changes"
    )
    func settling() async throws {
        let bench = try await bench()
        _ = try await bench.granted(IssueRequest(offerId: "comeback", customer: named("100")))
        func unsettled() async throws -> [Int64] {
            try await bench.database.read {
                try $0.rows(Statement("SELECT places FROM issued_offer WHERE settled_at IS NULL")).map {
                    try $0.value(0)
                }
            }
        }
        bench.clock.advance(hours: 25, milliseconds: 59_999)
        #expect(try await retention(bench).sweep(rest: .zero).settled == 0, "requests of a minute ago count it still")
        #expect(try await unsettled() == [1])
        let before = try await bench.dryRun(named("100"), "comeback")
        bench.clock.advance(milliseconds: 1)
        let sum = try await retention(bench).sweep(rest: .zero)
        #expect(sum.settled == 1 && sum.isEmpty)
        #expect(try await unsettled().isEmpty)
        #expect(try await bench.dryRun(named("100"), "comeback").outcome == before.outcome)
        #expect(try await retention(bench).sweep(rest: .zero).settled == 0)
        let report = try await bench.database.read {
            try LedgerVerification(digest: OpenSSLDigest(), key: nil, judge: nil).verify($0)
        }
        #expect(report.rows["issued_offer"] == 1, "the audit knows the issued offer as it is now")
    }

    @Test("a clock that is behind removes nothing")
    func behind() async throws {
        let bench = try await bench()
        bench.clock.advance(hours: -1)
        await #expect(throws: RequestError.self) { try await retention(bench).sweep(rest: .zero) }
    }
}
