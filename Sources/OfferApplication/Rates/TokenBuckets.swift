import OfferModel

/// Token buckets under hashed keys, in bounded memory.
///
/// A bucket is the instant at which it is full again, in nanoseconds of a monotonic clock. A bucket that is full needs no
/// entry.
struct TokenBuckets: Sendable {
    let limit: RateLimit
    private let capacity: Int
    private let interval: Int64
    private let depth: Int64
    private var fullAt: [Int: Int64] = [:]

    /// How many buckets there are at present.
    var count: Int { fullAt.count }

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
            if fullAt[key] == nil, fullAt.count >= capacity { makeRoom(at: now) }
            fullAt[key] = max(fullAt[key] ?? now, now) &+ interval
        }
        return 0
    }

    /// For how many nanoseconds a bucket has no token yet.
    func wait(for key: Int, at now: Int64) -> Int64 {
        guard let full = fullAt[key] else { return 0 }
        return max(0, full &- now &+ interval &- depth)
    }

    /// Drops the full buckets; if they are few, also the fuller half of the others. An empty bucket goes last, so the price
    /// of resetting one is to empty half as many others as there is room for.
    private mutating func makeRoom(at now: Int64) {
        fullAt = fullAt.filter { $0.value > now }
        guard fullAt.count > capacity / 2 else { return }
        let emptiest = fullAt.sorted { $0.value > $1.value }.prefix(capacity / 2)
        fullAt = Dictionary(emptiest.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
