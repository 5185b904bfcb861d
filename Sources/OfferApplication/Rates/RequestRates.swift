import OfferAPI
public import OfferModel
import OfferStore
import Synchronization

/// Limits how fast requests come: by API key, by customer, and by address with `app` keys and failed authentication
/// (docs/decisions/0043, 0056).
///
/// Each process counts for itself, in memory: a rejected request costs no write.
public final class RequestRates: Sendable {
    /// The purpose of a bucket. Buckets are kept under its hash, which is keyed at random in each process: no caller
    /// can choose another's bucket.
    private enum Bucket: Hashable {
        case key(String)
        case proven(ProvenIdentifier, Scope, Role)
        case alias(CustomerAlias, Scope, Role)
        case customer(CustomerNumber, Role)
        case address(PeerAddress)
        case app(PeerAddress)
        case stranger(PeerAddress)
        case strangers
        case refusals(CustomerNumber?)
    }

    /// Buckets of each kind: some 9 MB where all are in use.
    private static let capacity = 131_072

    private let keys: Mutex<TokenBuckets?>
    private let customers: Mutex<TokenBuckets?>
    private let addresses: Mutex<TokenBuckets?>
    private let apps: Mutex<TokenBuckets?>
    private let strangers: Mutex<TokenBuckets?>
    private let refusals: Mutex<TokenBuckets?>
    private let simulations: Mutex<TokenBuckets?>
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: nanoseconds of a clock that never goes back.
    public init(_ limits: RateLimits, clock: @escaping @Sendable () -> Int64 = MonotonicClock.nanoseconds) {
        keys = Mutex(Self.buckets(limits.key))
        customers = Mutex(Self.buckets(limits.customer))
        addresses = Mutex(Self.buckets(limits.failedAuthentication))
        apps = Mutex(Self.buckets(limits.address))
        strangers = Mutex(Self.buckets(Self.strangersLimit(limits)))
        refusals = Mutex(Self.buckets(limits.refusals))
        simulations = Mutex(Self.buckets(limits.simulations))
        self.clock = clock
    }

    private static func buckets(_ limit: RateLimit?) -> TokenBuckets? {
        limit.map { TokenBuckets($0, capacity: capacity) }
    }

    /// Strangers of one address may send as much as those with an `app` key; all together ``strangersTogether`` times
    /// as much.
    private static func strangersLimit(_ limits: RateLimits) -> RateLimit? {
        limits.address.map {
            RateLimit(perSecond: $0.perSecond * strangersTogether, burst: $0.burst * strangersTogether)
        }
    }

    private static let strangersTogether = 10

    /// The tokens that a request with a body takes, if everyone can send such a request: what a body costs to read
    /// grows with its size.
    ///
    /// - Parameter bytes: how long the body is.
    static func tokens(forBody bytes: Int) -> Int { max(1, (bytes + bytesOfToken - 1) / bytesOfToken) }

    /// The bytes of a body that one token pays for: more than a notification has, or a request with three transactions.
    private static let bytesOfToken = 32 * 1_024

    /// Applies other limits. Where a limit changes, its buckets begin full.
    public func replace(with limits: RateLimits) {
        Self.replace(keys, limits.key)
        Self.replace(customers, limits.customer)
        Self.replace(addresses, limits.failedAuthentication)
        Self.replace(apps, limits.address)
        Self.replace(strangers, Self.strangersLimit(limits))
        Self.replace(refusals, limits.refusals)
        Self.replace(simulations, limits.simulations)
    }

    private static func replace(_ buckets: borrowing Mutex<TokenBuckets?>, _ limit: RateLimit?) {
        buckets.withLock { buckets in
            if buckets?.limit != limit { buckets = Self.buckets(limit) }
        }
    }

    var now: Int64 { clock() }

    /// Takes a token of a key that is known to be genuine. With an `app` key the address is asked first: all copies of
    /// the app share the key, and one of them must not use up what the others need.
    ///
    /// - Parameters:
    ///   - address: `nil` if it is unknown; all such callers share a bucket.
    ///   - bytes: how long the body is; with an `app` key a long one takes several tokens of the address.
    /// - Throws: `rateLimited`.
    func take(key id: String, _ role: Role, from address: IPAddress?, body bytes: Int = 0) throws {
        if role == .app {
            try take(
                .address, CollectionOfOne(Bucket.app(PeerAddress(address)).hashValue),
                Self.tokens(forBody: bytes), from: apps)
        }
        try take(.key, CollectionOfOne(Bucket.key(id).hashValue), from: keys)
    }

    /// Takes tokens for the body of a request without a key, before it is read.
    ///
    /// - Returns: what was taken, to be given back once the body proves to be the App Store's.
    /// - Throws: `tooManyStrangers`.
    func take(strangersBody bytes: Int, from address: IPAddress?) throws -> StrangersTokens {
        let taken = StrangersTokens(
            count: Self.tokens(forBody: bytes), own: Bucket.stranger(PeerAddress(address)).hashValue,
            shared: Bucket.strangers.hashValue)
        // The strangers of one address have a tenth of the shared limit, so each of their tokens counts tenfold.
        let now = clock()
        let wait = strangers.withLock { buckets -> Int64 in
            guard buckets != nil else { return 0 }
            let isLeft = buckets?.wait(for: taken.shared, taken.count, at: now) ?? 0
            guard isLeft == 0 else { return isLeft }
            let wait = buckets?.take(CollectionOfOne(taken.own), taken.count * Self.strangersTogether, at: now) ?? 0
            guard wait == 0 else { return wait }
            return buckets?.take(CollectionOfOne(taken.shared), taken.count, at: now) ?? 0
        }
        guard wait == 0 else {
            throw RequestError.tooManyStrangers(secondsToWait: Int(clamping: wait / 1_000_000_000) + 1)
        }
        return taken
    }

    func giveBack(_ taken: StrangersTokens) {
        let now = clock()
        strangers.withLock { buckets in
            buckets?.give(taken.own, taken.count * Self.strangersTogether, at: now)
            buckets?.give(taken.shared, taken.count, at: now)
        }
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

    /// Takes a token of those with which a key begins simulations.
    ///
    /// - Throws: `rateLimited`.
    func take(simulationBy caller: Caller) throws {
        try take(.simulations, CollectionOfOne(Bucket.key(caller.apiKeyId).hashValue), from: simulations)
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

    /// Takes a token of each identifier that a request names, once each, before anything is verified or read; none is
    /// taken if one is missing. An `app` key takes none: everyone has it, and could keep a customer from asking by
    /// naming them.
    ///
    /// - Throws: `rateLimited`.
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

    /// - Throws: `rateLimited` if there were too many from the address.
    func noteFailure(from address: IPAddress?) throws {
        try take(.authentication, CollectionOfOne(Bucket.address(PeerAddress(address)).hashValue), from: addresses)
    }

    func hasTooManyFailures(_ address: IPAddress?) -> Bool {
        let now = clock()
        return addresses.withLock { ($0?.wait(for: Bucket.address(PeerAddress(address)).hashValue, at: now) ?? 0) > 0 }
    }

    private func take(
        _ policy: RateLimited.Policy, _ keys: some Collection<Int>, _ count: Int = 1,
        from all: borrowing Mutex<TokenBuckets?>
    ) throws {
        guard !keys.isEmpty else { return }
        let now = clock()
        let rejected = all.withLock { buckets -> RateLimited? in
            guard let limit = buckets?.limit, let wait = buckets?.take(keys, count, at: now) else { return nil }
            return RateLimited(policy, limit, wait: wait)
        }
        if let rejected { throw RequestError.rateLimited(rejected) }
    }
}

/// Tokens taken for the body of a request without a key.
public struct StrangersTokens: Sendable {
    fileprivate let count: Int
    fileprivate let own: Int
    fileprivate let shared: Int
}

/// Why a request was rejected for its rate, and when the next will not be.
public struct RateLimited: Sendable, Hashable {
    public enum Policy: String, Sendable, Hashable {
        case key
        case customer
        case address
        case authentication
        case refusals
        case simulations
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

    /// Takes tokens from each bucket, or none from any.
    ///
    /// - Parameter count: how many from each; of more than a bucket can hold, all it can hold.
    /// - Returns: 0, or the nanoseconds until each of them has that many.
    mutating func take(_ keys: some Collection<Int>, _ count: Int = 1, at now: Int64) -> Int64 {
        var wait: Int64 = 0
        for key in keys { wait = max(wait, self.wait(for: key, count, at: now)) }
        guard wait == 0 else { return wait }
        for key in keys {
            let place = place(of: key, at: now)
            buckets[place].fullAt = max(buckets[place].fullAt, now) &+ time(of: count)
        }
        return 0
    }

    /// Gives back tokens that were taken from a bucket.
    mutating func give(_ key: Int, _ count: Int, at now: Int64) {
        guard let place = places[key] else { return }
        buckets[place].fullAt = max(buckets[place].fullAt &- time(of: count), now)
    }

    /// The nanoseconds until a bucket has that many tokens.
    func wait(for key: Int, _ count: Int = 1, at now: Int64) -> Int64 {
        guard let place = places[key] else { return 0 }
        return max(0, buckets[place].fullAt &- now &+ time(of: count) &- depth)
    }

    /// The nanoseconds that this number of tokens takes to come back.
    private func time(of count: Int) -> Int64 { interval * Int64(min(count, limit.burst)) }

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
