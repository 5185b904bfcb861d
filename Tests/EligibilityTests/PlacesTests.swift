import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("the places of keys")
struct PlacesTests {
    @Test("few and many keys have the place at which they were first met", arguments: [1, 8, 9, 10, 40])
    func places(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        var (places, met) = (IndexMap<String>(), [String]())
        for _ in 0..<count * 10 {
            let key = "key\(Int.random(in: 0..<count, using: &generator))"
            if !met.contains(key) { met.append(key) }
            #expect(places.place(of: key) == met.firstIndex(of: key))
        }
        #expect(places.keys == met)
    }

    @Test(
        "identifiers of any length have the place at which they were first met, two spellings of one accent two of them",
        arguments: [0, 1, 2, 40, 400])
    func identifiers(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let known = (0..<count).map { TransactionId(String(repeating: "7", count: $0 % 19) + "\($0)") }
        let spelled: [TransactionId] = ["", "caf\u{E9}", "cafe\u{301}"]
        let asked = ((known + known).shuffled(using: &generator) + spelled + spelled)
        var (places, met) = (IdentifierIndexMap<IdentifierKind.Transaction>(capacity: count + 3), [TransactionId]())
        for identifier in asked {
            if !met.contains(identifier) { met.append(identifier) }
            #expect(places.place(of: identifier) == met.firstIndex(of: identifier))
        }
        #expect(met.count == count + 3)
    }

    @Test(
        "instants are sorted, each once",
        arguments: [([], []), ([5], [5]), ([5, 5], [5]), ([5, 1, 5, 3, 1], [1, 3, 5])] as [([Int64], [Int64])])
    func instants(given: [Int64], sorted: [Int64]) {
        var instants = given.map(Instant.init(milliseconds:))
        instants.sortOnce()
        #expect(instants.map(\.milliseconds) == sorted)
    }
}
