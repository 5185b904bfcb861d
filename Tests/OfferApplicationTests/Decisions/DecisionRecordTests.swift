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

    private static func part(of text: String, _ place: Range<Int>) -> String {
        String(decoding: Array(text.utf8).dropFirst(place.lowerBound).prefix(place.count), as: UTF8.self)
    }

    @Test("a record is written byte for byte as its coder says (invariant 5)", arguments: [1, 77, 20_261_121])
    func asTheCoderSays(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let record = try DecisionRecord.random(&generator, isFull: false)
            let (written, coded) = (try record.text(), try Self.foundation(record))
            let same = zip(written.utf8, coded.utf8).prefix { $0 == $1 }.count
            let place = max(same - 40, 0)..<(same + 40)
            try #require(
                written == coded,
                "seed \(seed): \(Self.part(of: written, place)) is not \(Self.part(of: coded, place))")
        }
    }

    @Test("every member is among those that are compared, also one that a later version adds")
    func everyMember() throws {
        var generator = SeededGenerator(seed: 5)
        let record = try DecisionRecord.random(&generator, isFull: true)
        let kept = try #require(record.keptEvidence?.first)
        let values: [Any] = [
            record, record.order, record.slots[0], record.signatures[0], record.decision.findings[0], kept,
        ]
        for value in values {
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
        for _ in 0..<60 {
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
