/// A token bucket: each request takes a token, and tokens come back at a steady rate.
public struct RateLimit: Sendable, Hashable {
    /// What either number may be.
    public static let range = 1...1_000_000

    /// Tokens that come back per second.
    public let perSecond: Int
    /// Tokens that a full bucket holds.
    public let burst: Int

    /// A bucket; a number outside ``range`` becomes the nearest one inside.
    public init(perSecond: Int, burst: Int) {
        self.perSecond = min(max(perSecond, Self.range.lowerBound), Self.range.upperBound)
        self.burst = min(max(burst, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Seconds in which an empty bucket fills.
    public var window: Int { (burst + perSecond - 1) / perSecond }
}

/// How fast requests may come; an absent limit is switched off.
public struct RateLimits: Sendable, Hashable {
    /// Of one API key.
    public var key: RateLimit?
    /// About one customer, by callers of one role.
    public var customer: RateLimit?
    /// Failed authentication from one address.
    public var failedAuthentication: RateLimit?

    /// No limit at all.
    public static let off = RateLimits(key: nil, customer: nil, failedAuthentication: nil)

    /// Limits by their parts; the defaults are those of `offerd.yaml` (docs/decisions/0043).
    public init(
        key: RateLimit? = RateLimit(perSecond: 5_000, burst: 10_000),
        customer: RateLimit? = RateLimit(perSecond: 20, burst: 500),
        failedAuthentication: RateLimit? = RateLimit(perSecond: 1, burst: 60)
    ) {
        self.key = key
        self.customer = customer
        self.failedAuthentication = failedAuthentication
    }
}
