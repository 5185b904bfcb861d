import OfferModel
import Testing

@testable import OfferApplication

@Suite("The memory of refusals")
struct RecordedRefusalsTests {
    @Test("it is bounded, and what is asked for again stays (attack: a new customer in every request)")
    func bounded() throws {
        let refusals = RecordedRefusals()
        func fingerprint(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        func entry(_ number: Int) throws -> RecordedRefusals.Entry {
            RecordedRefusals.Entry(
                decisionId: try #require(LowercaseUUID("00000000-0000-4000-8000-000000000000")),
                decidedAt: Instant(milliseconds: Int64(number)))
        }
        refusals.remember(try entry(-1), fingerprint(-1))
        for number in 0..<100_000 {
            refusals.remember(try entry(number), fingerprint(number))
            #expect(refusals.entry(fingerprint(-1))?.decidedAt.milliseconds == -1)
        }
        #expect(refusals.count <= 2 * RecordedRefusals.generationSize)
        #expect(refusals.entry(fingerprint(0)) == nil)
        #expect(refusals.entry(fingerprint(99_999)) != nil)
    }
}
