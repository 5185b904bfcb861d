import OfferAPI
import OfferApplication
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("An Apple Account that comes back after it was erased")
struct ReturningAccountTests {
    /// How Apple's data names the account again.
    enum Way: CaseIterable {
        case samePurchase
        /// A subscription that was never seen before, by the same account.
        case otherPurchase
        /// A customer who was stored before the erased one, or after, and turns out to be the same account.
        case elder, younger
    }

    private static let words = "already used (limit: once per customer)"

    @Test(
        "a once-only offer that it has used is refused, and the finding says why (invariants 2 and 4)",
        arguments: [true, false], Way.allCases)
    func refused(isIssued: Bool, way: Way) async throws {
        let erasing = try await ErasingBench()
        let bench = erasing.bench
        let other = try bench.shop.anonymous("200")
        if way == .elder { try await bench.deliver(other) }
        let delivery = try bench.shop.delivery(.lapsed, "100")
        try await bench.deliver(delivery)
        if way == .younger { try await bench.deliver(other) }
        if isIssued { _ = try await bench.granted(.of("comeback", delivery)) }
        bench.clock.advance(hours: 1)
        let use = try bench.shop.redemption(
            of: "comeback50", "100900", like: try #require(delivery.signedTransactions.first), at: bench.clock.now)
        try await bench.deliver(SignedDelivery(signedTransactions: [use]))
        bench.clock.advance(hours: 24 * 40)
        #expect(try await bench.dryRun(named("100"), "comeback")[.limitCustomer]?.message == Self.words)

        try await erasing.erase(named("100"))
        // Whoever names the account without a proof is somebody unknown, to whom nothing is signed.
        let unknown = try await decided("100", erasing)
        #expect(unknown.outcome == .undetermined)
        #expect(unknown[.limitCustomer]?.verdict == .satisfied)

        let id = try await comeBack(way, delivery, other, erasing)
        let finding = try #require(try await decided(id, erasing)[.limitCustomer])
        #expect(finding.verdict == .violated)
        #expect(finding.reason == .limitReached)
        #expect(finding.message == Self.words)
        let answer = try await erasing.ask(IssueRequest(offerId: "comeback", customer: named(id)))
        #expect(answer.refusal?.decision[.limitCustomer] == finding)
        try await erasing.verify()
    }

    /// - Returns: the subscription that names the account now.
    private func comeBack(
        _ way: Way, _ delivery: SignedDelivery, _ other: SignedDelivery, _ erasing: ErasingBench
    ) async throws -> String {
        let shop = erasing.bench.shop
        switch way {
        case .samePurchase:
            try await erasing.deliver(delivery)
            return "100"
        case .otherPurchase:
            try await erasing.deliver(try shop.proof(try shop.delivery(.lapsed, "300"), of: "app-100"))
            return "300"
        case .elder, .younger:
            try await erasing.deliver(try shop.proof(other, of: "app-100"))
            return "200"
        }
    }

    private func decided(_ id: String, _ erasing: ErasingBench) async throws -> Decision {
        let answer = try await erasing.useCases.decisions.decide(
            Inquiry(customer: named(id), offerIds: ["comeback"]), caller: Workbench.support)
        return try #require(answer.decisions.first).decision
    }

    @Test("as long as nobody was erased, an offer to somebody known runs no statement for it")
    func noCost() async throws {
        let bench = try await Workbench()
        for id in ["100", "200"] { try await bench.deliver(try bench.shop.delivery(.lapsed, id)) }
        let statements = RecordedStatements()
        let useCases = bench.useCases(over: RecordingDatabase(bench.database, statements))
        let issued = try await useCases.issuing.issue(
            IssueRequest(offerId: "comeback", customer: named("100")), caller: Workbench.client)
        #expect(issued.issued?.isNew == true)
        let refused = try await useCases.issuing.issue(
            IssueRequest(offerId: "engaged", customer: named("200"), signals: ["interactions": .number(1)]),
            caller: Workbench.client)
        #expect(refused.refusal != nil)
        #expect(statements.all.count > 15)
        for statement in statements.all {
            for table in ["erased_identifier", "kept_evidence", "FROM erasure", "erasure_sequence >"] {
                #expect(!statement.sql.contains(table), "\(statement.sql)")
            }
        }
    }
}
