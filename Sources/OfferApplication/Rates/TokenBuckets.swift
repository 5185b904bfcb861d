import OfferModel

/// Token buckets under hashed keys, in bounded memory.
///
/// A bucket is the instant at which it is full again, in nanoseconds of a monotonic clock. A bucket that is full needs no
/// place.
struct TokenBuckets: Sendable {
    let limit: RateLimit
    private let capacity: Int
    private let interval: Int64
    private let depth: Int64
    private var buckets: [(key: Int, fullAt: Int64)] = []
    private var places: [Int: Int] = [:]

    /// How many buckets there are at present.
    var count: Int { buckets.count }

    init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = max(2, capacity)
        // At most 10^9 × 10^6 by the range of a limit.
        interval = 1_000_000_000 / Int64(limit.perSecond)
        depth = interval * Int64(limit.burst)
    }

    /// Takes a token from each bucket, or none from any.
    ///
    /// - Returns: 0, or for how many nanoseconds one of them has no token yet.
    mutating func take(_ keys: some Collection<Int>, at now: Int64) -> Int64 {
        var wait: Int64 = 0
        for key in keys { wait = max(wait, self.wait(for: key, at: now)) }
        guard wait == 0 else { return wait }
        for key in keys {
            let place = place(of: key, at: now)
            buckets[place].fullAt = max(buckets[place].fullAt, now) &+ interval
        }
        return 0
    }

    /// For how many nanoseconds a bucket has no token yet.
    func wait(for key: Int, at now: Int64) -> Int64 {
        guard let place = places[key] else { return 0 }
        return max(0, buckets[place].fullAt &- now &+ interval &- depth)
    }

    /// The place of a bucket, which is full where it is new. Where there is no room it replaces the fullest of eight that are
    /// picked at random: that costs the same however many there are, and an emptied bucket goes only where chance picks
    /// seven others that are at least as empty.
    private mutating func place(of key: Int, at now: Int64) -> Int {
        if let place = places[key] { return place }
        if buckets.count < capacity {
            buckets.append((key, now))
            places[key] = buckets.count - 1
            return buckets.count - 1
        }
        let random = UInt64.random(in: .min ... .max)
        var picked = Int(random & 0xFFFF_FFFF) % capacity
        let step = 1 + Int(random >> 32) % (capacity - 1)
        var place = picked
        for _ in 1..<8 {
            picked = (picked + step) % capacity
            if buckets[picked].fullAt < buckets[place].fullAt { place = picked }
        }
        places[buckets[place].key] = nil
        buckets[place] = (key, now)
        places[key] = place
        return place
    }
}
