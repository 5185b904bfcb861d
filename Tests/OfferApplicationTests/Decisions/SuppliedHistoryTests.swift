import Foundation
import OfferAPI
import OfferApplication
import OfferModel
import OfferSigning
import OfferStore
import OfferTestSupport
import Testing

@Suite("Deciding a supplied history")
struct SuppliedHistoryTests {
    private static func payload(_ jws: String) throws -> [UInt8] { try CompactJWS(parsing: jws).payload }

    /// The same data without its signatures.
    private static func supplied(_ delivery: SignedDelivery) throws -> SuppliedHistory {
        var history = SuppliedHistory()
        history.transactions = try delivery.signedTransactions.map(payload)
        history.renewalInfos = try delivery.signedRenewalInfo.map(payload)
        history.appTransaction = try delivery.signedAppTransaction.map(payload)
        history.isComplete = delivery.historyComplete
        return history
    }

    private static func decide(
        _ customer: CustomerIdentifiers, _ history: SuppliedHistory? = nil, _ bench: Workbench
    ) async throws -> [Decision] {
        try await bench.useCases.decisions.decide(
            Inquiry(customer: customer, history: history), caller: Workbench.caller(.support)
        ).decisions.map(\.decision)
    }

    /// Whose word the evidence is, is all that may differ.
    private static func unattributed(_ decisions: [Decision]) -> [Decision] {
        func stripped(_ finding: Finding) -> Finding {
            var finding = finding
            for place in finding.evidence.indices { finding.evidence[place].provenance = nil }
            finding.children = finding.children?.map(stripped)
            return finding
        }
        return decisions.map { decision in
            var decision = decision
            decision.findings = decision.findings.map(stripped)
            return decision
        }
    }

    @Test(
        "it is decided as the same data is that Apple signed, and evidence says that an operator stated it (invariant 4)",
        arguments: Scene.allCases, [true, false])
    func asSigned(scene: Scene, complete: Bool) async throws {
        let bench = try await Workbench()
        let delivery = try bench.shop.delivery(scene, "100", complete: complete)
        let supplied = try Self.supplied(delivery)
        let supposed = try await Self.decide(CustomerIdentifiers(), supplied, bench)
        #expect(try await bench.count("customer") == 0)
        try await bench.deliver(delivery)
        let signed = try await Self.decide(CustomerIdentifiers(appTransactionId: "app-100"), nil, bench)
        #expect(Self.unattributed(supposed) == Self.unattributed(signed))
        let provenances = Set(supposed.flatMap(\.findings).flatMap(\.evidence).compactMap(\.provenance))
        #expect(provenances.isSubset(of: [.operator]))
        #expect(scene == .newcomer || !provenances.isEmpty)
    }

    @Test("an older renewal info that showed an offer pending is a use in it too")
    func pendingOffer() async throws {
        let bench = try await Workbench()
        var delivery = try bench.shop.delivery(.subscriber, "100")
        let info = try #require(delivery.signedRenewalInfo.first)
        let now = bench.clock.now.milliseconds
        delivery.signedRenewalInfo = [
            try bench.shop.edited(info) { info in
                info["offerType"] = 2
                info["offerIdentifier"] = "comeback50"
                info["signedDate"] = now - 5_000
            },
            try bench.shop.edited(info) { $0["signedDate"] = now - 1_000 },
        ]
        let supplied = try Self.supplied(delivery)
        let supposed = try await Self.decide(CustomerIdentifiers(), supplied, bench)
        #expect(supposed.first?[.limitCustomer]?.evidence.first?.observed == .value(.number(1)))
        try await bench.deliver(delivery)
        let signed = try await Self.decide(named("100"), nil, bench)
        #expect(Self.unattributed(supposed) == Self.unattributed(signed))
    }

    @Test("the request's statements about the device are recorded with the decision (invariant 5)")
    func deviceIsRecorded() async throws {
        let bench = try await Workbench()
        let device = DeviceRequest(appVersion: "3.2.1", osVersion: "26.1", locale: "de-AT")
        var order = IssueRequest.of("comeback", try bench.shop.delivery(.lapsed, "100"))
        order.device = device
        let id = try await bench.granted(order).offer.decisionId
        let other = try await bench.refused(IssueRequest(offerId: "sketch", customer: named("100"))).decisionId
        #expect(try await bench.record(of: id).request == device)
        #expect(try await bench.record(of: other).request == DeviceRequest())
    }
}
