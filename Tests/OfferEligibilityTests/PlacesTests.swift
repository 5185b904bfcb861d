import OfferTestSupport
import Testing

@testable import OfferEligibility

@Suite("the places of keys")
struct PlacesTests {
    @Test("few and many keys have the place at which they were first met", arguments: [1, 8, 9, 10, 40])
    func places(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        var (places, met) = (Places<String>(), [String]())
        for _ in 0..<count * 10 {
            let key = "key\(Int.random(in: 0..<count, using: &generator))"
            if !met.contains(key) { met.append(key) }
            #expect(places.place(of: key) == met.firstIndex(of: key))
        }
        #expect(places.keys == met)
    }
}
