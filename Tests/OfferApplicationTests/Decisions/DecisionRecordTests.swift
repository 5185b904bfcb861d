import Foundation
import LocalAppStore
import OfferAPI
import OfferApplication
import OfferDocuments
import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("Decision records")
struct DecisionRecordTests {
    @Test("the record of the benchmarks' offer, for their customer with twelve transactions, has at most 700 bytes")
    func size() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Benchmarks/Service").standardizedFileURL
        let bench = try await Workbench(
            catalog: String(contentsOf: folder.appending(path: "catalog.yaml"), encoding: .utf8))
        let scenario = try ScenarioReader.read(Array(Data(contentsOf: folder.appending(path: "scenario.yaml")))).value
        let signed = try LocalAppStore(root: bench.shop.root).sign(scenario, now: bench.clock.now)
        #expect(signed.signedTransactions.count == 12)
        let delivery = SignedDelivery(
            signedTransactions: signed.signedTransactions, signedRenewalInfo: signed.signedRenewalInfo,
            signedAppTransaction: signed.signedAppTransaction, historyComplete: true)
        var order = IssueRequest(
            offerId: "comeback", customer: CustomerIdentifiers(customerId: "user-4711"), formats: [.v2],
            signals: ["interactions": .number(60)], delivery: delivery)
        let issued = try await bench.granted(order).offer
        let record = try await bench.record(of: issued.decisionId)
        #expect(record.findings.count >= 10)
        let bytes = try record.packed().count
        #expect(bytes <= 700, "\(bytes)")
        bench.clock.advance(hours: 24 * 200)
        order.delivery = SignedDelivery()
        let refused = try await bench.refused(order)
        #expect(try await bench.record(of: refused.decisionId).packed().count <= 700)
    }

    @Test("records of issuing and refusing read and write the same", arguments: [3, 9_001] as [UInt64])
    func stored(seed: UInt64) async throws {
        let bench = try await Workbench()
        bench.tolerateOverrun()
        var generator = SeededGenerator(seed: seed)
        var world = World(bench: bench)
        for _ in 0..<60 {
            _ = try await world.step(&generator)
            bench.clock.advance(hours: Int64.random(in: 0...40, using: &generator))
        }
        let stored = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT record FROM decision")).map { try $0.value(0, as: [UInt8].self) }
        }
        #expect(stored.count >= 4, "seed \(seed)")
        for bytes in stored { #expect(try DecisionRecord(stored: bytes).packed() == bytes, "seed \(seed)") }
    }
}
