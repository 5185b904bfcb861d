public import OfferModel
import OfferStore
import Synchronization

/// Limits how fast requests come: by API key, by customer, and failed authentication by address (docs/decisions/0043).
///
/// Each process counts for itself, in memory: a rejected request costs no write.
public final class RequestRates: Sendable {
    /// What one bucket is for. Buckets are kept under its hash, which is keyed at random in each process: no caller can
    /// choose another's bucket.
    private enum Subject: Hashable {
        case key(String)
        case proven(ProvenIdentifier, Scope, Role)
        case alias(CustomerAlias, Scope, Role)
        case customer(CustomerNumber, Role)
        case address(PeerAddress)
    }

    /// Buckets of each kind: some 7 MB where all are in use.
    private static let capacity = 131_072

    private let keys: Mutex<TokenBuckets?>
    private let customers: Mutex<TokenBuckets?>
    private let addresses: Mutex<TokenBuckets?>
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: nanoseconds of a clock that never goes back.
    public init(_ limits: RateLimits, clock: @escaping @Sendable () -> Int64 = MonotonicClock.nanoseconds) {
        func buckets(_ limit: RateLimit?) -> TokenBuckets? {
            limit.map { TokenBuckets($0, capacity: Self.capacity) }
        }
        keys = Mutex(buckets(limits.key))
        customers = Mutex(buckets(limits.customer))
        addresses = Mutex(buckets(limits.failedAuthentication))
        self.clock = clock
    }

    /// The present, in nanoseconds of the clock.
    var now: Int64 { clock() }

    /// Takes a token of a key that is known to be genuine.
    ///
    /// - Throws: ``RequestError/rateLimited(_:)``.
    func take(key id: String) throws {
        try take(.key, CollectionOfOne(Subject.key(id).hashValue), from: keys)
    }

    /// Rejects a request that names a key without a token left, before anything is looked up. Takes nothing: the caller
    /// has not proven to hold the key.
    ///
    /// - Throws: ``RequestError/rateLimited(_:)``.
    func requireToken(ofKey id: String) throws {
        let now = clock()
        let rejected = keys.withLock { buckets in
            buckets.flatMap { buckets in
                RateLimited(.key, buckets.limit, wait: buckets.wait(for: Subject.key(id).hashValue, at: now))
            }
        }
        if let rejected { throw RequestError.rateLimited(rejected) }
    }

    /// Takes a token of each identifier that a request names, before anything is verified or read.
    ///
    /// - Throws: ``RequestError/rateLimited(_:)``.
    func take(_ identifiers: CustomerIdentifiers, by caller: Caller) throws {
        let proven = identifiers.proven.map { Subject.proven($0, caller.scope, caller.role).hashValue }
        let aliases = identifiers.aliases.map { Subject.alias($0, caller.scope, caller.role).hashValue }
        try take(.customer, proven + aliases, from: customers)
    }

    /// Takes a token of each customer whom a request was found to name, before anything is decided or written: other
    /// identifiers of the same customer do not multiply the rate.
    ///
    /// - Throws: ``RequestError/rateLimited(_:)``.
    func take(_ found: [CustomerNumber], by caller: Caller) throws {
        try take(.customer, found.map { Subject.customer($0, caller.role).hashValue }, from: customers)
    }

    /// Notes a failed authentication.
    ///
    /// - Throws: ``RequestError/rateLimited(_:)`` if there were too many from the address.
    func noteFailure(from address: PeerAddress) throws {
        try take(.authentication, CollectionOfOne(Subject.address(address).hashValue), from: addresses)
    }

    /// Whether too many authentications have failed from an address.
    func hasTooManyFailures(_ address: PeerAddress) -> Bool {
        let now = clock()
        return addresses.withLock { ($0?.wait(for: Subject.address(address).hashValue, at: now) ?? 0) > 0 }
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
    /// What is limited.
    public enum Policy: String, Sendable, Hashable {
        /// The requests of one API key.
        case key
        /// The requests about one customer.
        case customer
        /// Failed authentication from one address.
        case authentication
    }

    /// What is limited.
    public let policy: Policy
    /// The limit.
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
