import OfferModel
import Testing

@testable import OfferApplication

@Suite("Token buckets")
struct TokenBucketTests {
    private static let second: Int64 = 1_000_000_000

    @Test("a burst passes at once, then one request per interval, and a rest brings back one burst and no more")
    func rate() {
        var buckets = TokenBuckets(RateLimit(perSecond: 4, burst: 3), capacity: 10)
        func taken(at now: Int64) -> Int { (0..<10).prefix { _ in buckets.take([1], at: now) == 0 }.count }
        #expect(taken(at: 0) == 3)
        #expect(buckets.take([1], at: 0) == Self.second / 4)
        #expect(buckets.take([1], at: Self.second / 4 - 1) == 1)
        #expect(taken(at: Self.second / 4) == 1)
        #expect(taken(at: 1_000 * Self.second) == 3)
    }

    @Test("a request of several tokens waits for all of them, and what is given back is there again")
    func weighted() {
        var buckets = TokenBuckets(RateLimit(perSecond: 10, burst: 8), capacity: 10)
        #expect(buckets.take([1], 5, at: 0) == 0)
        #expect(buckets.take([1], 5, at: 0) == Self.second / 5, "two are missing")
        #expect(buckets.take([1], 3, at: 0) == 0)
        buckets.give(1, 3, at: 0)
        #expect(buckets.take([1], 3, at: 0) == 0)
        buckets.give(1, 100, at: 0)
        #expect(buckets.take([1], 9, at: 0) == 0, "more than a burst takes the whole burst")
        #expect(buckets.take([1], at: 0) == Self.second / 10)
        buckets.give(2, 5, at: 0)
        #expect(buckets.take([2], 8, at: 0) == 0 && buckets.take([2], at: 0) > 0, "no bucket holds more than a burst")
    }

    @Test("a request of several buckets takes from each of them or from none")
    func several() {
        var buckets = TokenBuckets(RateLimit(perSecond: 1, burst: 2), capacity: 10)
        #expect(buckets.take([1, 2], at: 0) == 0)
        #expect(buckets.take([1], at: 0) == 0)
        #expect(buckets.take([1, 2], at: 0) == Self.second)
        #expect(buckets.take([2], at: 0) == 0, "what was rejected took nothing")
        #expect(buckets.take([2], at: 0) == Self.second)
    }

    @Test("a million fresh keys grow no memory and do not reset an emptied bucket (attack: flushing the buckets)")
    func flushed() {
        let capacity = 1_000
        var buckets = TokenBuckets(RateLimit(perSecond: 10, burst: 50), capacity: capacity)
        for _ in 0..<50 { #expect(buckets.take([-1], at: 0) == 0) }
        for key in 0..<1_000_000 {
            #expect(buckets.take([key], at: 0) == 0)
            #expect(buckets.count <= capacity)
        }
        #expect(buckets.take([-1], at: 0) == Self.second / 10)
    }

    @Test("a full bucket makes room for a new one, which is full itself, and the others stay as they are")
    func idle() {
        for _ in 0..<100 {
            var buckets = TokenBuckets(RateLimit(perSecond: 1, burst: 2), capacity: 2)
            #expect(buckets.take([1], at: 0) == 0)
            for _ in 0..<2 { #expect(buckets.take([2], at: Self.second) == 0) }
            for _ in 0..<2 { #expect(buckets.take([3], at: Self.second) == 0) }
            #expect(buckets.count == 2)
            #expect(buckets.take([2], at: Self.second) == Self.second)
            #expect(buckets.take([3], at: Self.second) == Self.second)
        }
    }

    @Test(
        "the largest and smallest limits neither trap nor wrap, at any time",
        arguments: [(1, 1), (1, 1_000_000), (1_000_000, 1), (1_000_000, 1_000_000), (Int.max, Int.min), (0, -1)])
    func extremes(perSecond: Int, burst: Int) {
        let limit = RateLimit(perSecond: perSecond, burst: burst)
        #expect(RateLimit.range.contains(limit.perSecond) && RateLimit.range.contains(limit.burst))
        #expect(limit.window >= 1)
        for now in [Int64.min, -1, 0, Int64.max / 2, Int64.max] {
            var buckets = TokenBuckets(limit, capacity: 2)
            #expect(buckets.take([1, 2, 3], at: now) == 0)
            _ = buckets.take([1], at: now)
            _ = buckets.wait(for: 1, at: 0)
        }
    }
}
