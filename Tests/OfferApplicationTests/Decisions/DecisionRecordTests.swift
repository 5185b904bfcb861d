import Foundation
import OfferEligibility
import OfferModel
import OfferStore
import OfferTestSupport
import SQLiteStore
import Testing

@testable import OfferApplication

@Suite("Decision records")
struct DecisionRecordTests {
    private static func foundation(_ record: DecisionRecord) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(record), as: UTF8.self)
    }

    @Test("a record is written byte for byte as its coder says (invariant 5)", arguments: [1, 77, 20_261_121])
    func asTheCoderSays(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let record = try DecisionRecord.random(&generator, isFull: false)
            #expect(try record.text() == Self.foundation(record), "seed \(seed)")
        }
    }

    @Test("every member is among those that are compared, also one that a later version adds")
    func everyMember() throws {
        var generator = SeededGenerator(seed: 5)
        let record = try DecisionRecord.random(&generator, isFull: true)
        for value in [record, record.order, record.slots[0], record.signatures[0], record.decision.findings[0]] as [Any]
        {
            for (name, member) in Mirror(reflecting: value).children {
                let isThere = "\(member)" != "nil"
                #expect(isThere, "\(name ?? "") of \(type(of: value))")
            }
        }
        #expect(try record.text() == Self.foundation(record))
    }

    @Test("what issuing and refusing have stored reads and writes the same", arguments: [3, 9_001] as [UInt64])
    func stored(seed: UInt64) async throws {
        let bench = try await Workbench()
        bench.tolerateOverrun()
        var generator = SeededGenerator(seed: seed)
        var world = World(bench: bench)
        for _ in 0..<16 {
            _ = try await world.step(&generator)
            bench.clock.advance(hours: Int64.random(in: 0...40, using: &generator))
        }
        let bodies = try await bench.database.read { transaction in
            try transaction.rows(Statement("SELECT body FROM decision")).map { try $0.value(0, as: String.self) }
        }
        #expect(bodies.count >= 4, "seed \(seed)")
        for body in bodies {
            let record = try DecisionRecord(text: body)
            #expect(try Self.foundation(record) == body)
            #expect(try record.text() == body)
        }
    }
}
