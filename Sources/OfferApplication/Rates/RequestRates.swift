import OfferAPI
public import OfferModel
import OfferStore
import Synchronization

/// Limits how fast requests come: by API key, by customer, and by address with `app` keys and failed authentication
/// (docs/decisions/0043, 0056).
///
/// Each process counts for itself, in memory: a rejected request costs no write.
public final class RequestRates: Sendable {
    /// What one bucket is for. Buckets are kept under its hash, which is keyed at random in each process: no caller can
    /// choose another's bucket.
    private enum Bucket: Hashable {
        case key(String)
        case proven(ProvenIdentifier, Scope, Role)
        case alias(CustomerAlias, Scope, Role)
        case customer(CustomerNumber, Role)
        case address(PeerAddress)
        case app(PeerAddress)
        case refusals(CustomerNumber?)
    }

    /// Buckets of each kind: some 7 MB where all are in use.
    private static let capacity = 131_072

    private let keys: Mutex<TokenBuckets?>
    private let customers: Mutex<TokenBuckets?>
    private let addresses: Mutex<TokenBuckets?>
    private let apps: Mutex<TokenBuckets?>
    private let refusals: Mutex<TokenBuckets?>
    private let limits: Mutex<RateLimits>
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: nanoseconds of a clock that never goes back.
    public init(_ limits: RateLimits, clock: @escaping @Sendable () -> Int64 = MonotonicClock.nanoseconds) {
        keys = Mutex(Self.buckets(limits.key))
        customers = Mutex(Self.buckets(limits.customer))
        addresses = Mutex(Self.buckets(limits.failedAuthentication))
        apps = Mutex(Self.buckets(limits.address))
        refusals = Mutex(Self.buckets(limits.refusals))
        self.limits = Mutex(limits)
        self.clock = clock
    }

    private static func buckets(_ limit: RateLimit?) -> TokenBuckets? {
        limit.map { TokenBuckets($0, capacity: capacity) }
    }

    /// Applies other limits. Where a limit changes, its buckets begin full.
    public func replace(with new: RateLimits) {
        limits.withLock { former in
            if new.key != former.key { keys.withLock { $0 = Self.buckets(new.key) } }
            if new.customer != former.customer { customers.withLock { $0 = Self.buckets(new.customer) } }
            if new.failedAuthentication != former.failedAuthentication {
                addresses.withLock { $0 = Self.buckets(new.failedAuthentication) }
            }
            if new.address != former.address { apps.withLock { $0 = Self.buckets(new.address) } }
            if new.refusals != former.refusals { refusals.withLock { $0 = Self.buckets(new.refusals) } }
            former = new
        }
    }

    var now: Int64 { clock() }

    /// Takes a token of a key that is known to be genuine. With an `app` key the address is asked first: all copies of
    /// the app share the key, and one of them must not use up what the others need.
    ///
    /// - Parameter address: `nil` if it is unknown; all such callers share a bucket.
    /// - Throws: `rateLimited`.
    func take(key id: String, _ role: Role, from address: IPAddress?) throws {
        if role == .app {
            try take(.address, CollectionOfOne(Bucket.app(PeerAddress(address)).hashValue), from: apps)
        }
        try take(.key, CollectionOfOne(Bucket.key(id).hashValue), from: keys)
    }

    /// Takes a token of the customers of a refusal that no recorded one equals, before it is recorded. Only with an `app`
    /// key: what everyone can state must not fill the disk.
    ///
    /// - Throws: `rateLimited`.
    func take(newRefusalOf customers: [CustomerNumber], by caller: Caller) throws {
        guard caller.role == .app else { return }
        let owners: [CustomerNumber?] = customers.isEmpty ? [nil] : customers
        try take(.refusals, owners.map { Bucket.refusals($0).hashValue }, from: refusals)
    }

    /// Rejects a request that names a key without a token left, before anything is looked up. Takes nothing: the caller
    /// has not proven to hold the key.
    ///
    /// - Throws: `rateLimited`.
    func requireToken(ofKey id: String) throws {
        let now = clock()
        let rejected = keys.withLock { buckets in
            buckets.flatMap { buckets in
                RateLimited(.key, buckets.limit, wait: buckets.wait(for: Bucket.key(id).hashValue, at: now))
            }
        }
        if let rejected { throw RequestError.rateLimited(rejected) }
    }

    /// Takes a token of each identifier that a request names, before anything is verified or read. An `app` key takes
    /// none: everyone has it, and could keep a customer from asking by naming them.
    ///
    /// - Throws: `rateLimited`.
    func take(_ identifiers: CustomerIdentifiers, by caller: Caller) throws {
        try take([identifiers], by: caller)
    }

    /// The same for every customer of a request, once each; none is taken if one is missing.
    func take(_ named: [CustomerIdentifiers], by caller: Caller) throws {
        guard caller.role != .app else { return }
        try take(.customer, Set(named.flatMap { Self.hashes(of: $0, caller) }), from: customers)
    }

    private static func hashes(of identifiers: CustomerIdentifiers, _ caller: Caller) -> [Int] {
        identifiers.proven.map { Bucket.proven($0, caller.scope, caller.role).hashValue }
            + identifiers.aliases.map { Bucket.alias($0, caller.scope, caller.role).hashValue }
    }

    /// Takes a token of each customer that a request was found to name, before anything is decided or written: other
    /// identifiers of the same customer do not multiply the rate.
    ///
    /// - Throws: `rateLimited`.
    func take(_ found: [CustomerNumber], by caller: Caller) throws {
        try take(.customer, Set(found.map { Bucket.customer($0, caller.role).hashValue }), from: customers)
    }

    /// Notes a failed authentication.
    ///
    /// - Throws: `rateLimited` if there were too many from the address.
    func noteFailure(from address: IPAddress?) throws {
        try take(.authentication, CollectionOfOne(Bucket.address(PeerAddress(address)).hashValue), from: addresses)
    }

    func hasTooManyFailures(_ address: IPAddress?) -> Bool {
        let now = clock()
        return addresses.withLock { ($0?.wait(for: Bucket.address(PeerAddress(address)).hashValue, at: now) ?? 0) > 0 }
    }

    private func take(
        _ policy: RateLimited.Policy, _ keys: some Collection<Int>, from all: borrowing Mutex<TokenBuckets?>
    ) throws {
        guard !keys.isEmpty else { return }
        let now = clock()
        let rejected = all.withLock { buckets -> RateLimited? in
            guard let limit = buckets?.limit, let wait = buckets?.take(keys, at: now) else { return nil }
            return RateLimited(policy, limit, wait: wait)
        }
        if let rejected { throw RequestError.rateLimited(rejected) }
    }
}

/// Why a request was rejected for its rate, and when the next will not be.
public struct RateLimited: Sendable, Hashable {
    public enum Policy: String, Sendable, Hashable {
        case key
        case customer
        case address
        case authentication
        case refusals
    }

    public let policy: Policy
    public let limit: RateLimit
    /// Seconds until there is a token again; at least 1.
    public let secondsToWait: Int

    /// `nil` if there is nothing to wait for.
    init?(_ policy: Policy, _ limit: RateLimit, wait nanoseconds: Int64) {
        guard nanoseconds > 0 else { return nil }
        self.policy = policy
        self.limit = limit
        secondsToWait = Int(clamping: (nanoseconds - 1) / 1_000_000_000) + 1
    }
}

/// The system's clock that never goes back.
public enum MonotonicClock {
    private static let start = ContinuousClock.now

    /// Nanoseconds since the first reading in this process.
    @Sendable public static func nanoseconds() -> Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}

/// The address that a request comes from, as far as failed authentication is counted together: an IPv4 address, or
/// the /64 of an IPv6 address, because one host can use all of that.
public struct PeerAddress: Sendable, Hashable {
    private let network: IPAddress?

    /// - Parameter address: `nil` if it is unknown; all such callers count together.
    public init(_ address: IPAddress?) {
        network = address.map { $0.isIPv4 ? $0 : $0.keeping(64) }
    }
}

/// Token buckets under hashed keys, in bounded memory.
///
/// A bucket is the instant at which it is full again, in nanoseconds of a monotonic clock. A bucket that is full needs
/// no place.
struct TokenBuckets: Sendable {
    let limit: RateLimit
    private let capacity: Int
    private let interval: Int64
    private let depth: Int64
    private var buckets: [(key: Int, fullAt: Int64)] = []
    private var places: [Int: Int] = [:]

    var count: Int { buckets.count }

    init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = max(2, capacity)
        // At most 10^9 × 3,600 × 10^6 by the range of a limit, which is below 2⁶³.
        interval = 1_000_000_000 * Int64(limit.slowness) / Int64(limit.perSecond)
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

    /// The place of a bucket, which is full where it is new. Where there is no room it replaces the fullest of eight
    /// that are picked at random: that costs the same however many there are, and an emptied bucket goes only where
    /// chance picks seven others that are at least as empty.
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
