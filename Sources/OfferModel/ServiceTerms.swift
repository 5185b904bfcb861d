/// The role of an API key; only `admin` includes other roles (docs/design.md#roles).
public enum Role: String, Sendable, Hashable, CaseIterable, Codable {
    /// The app's backend.
    case client
    /// The app itself, without a backend: only for the customer that signed data in the same request proves.
    case app
    case support
    case marketing
    case admin

    /// Whether staff hold the key, who may see the reasons of a decision.
    public var isStaff: Bool { self != .client && self != .app }
}

/// A token bucket: each request takes a token, and tokens come back at a steady rate.
public struct RateLimit: Sendable, Hashable {
    public static let range = 1...1_000_000

    public let perSecond: Int
    public let burst: Int
    /// The seconds in which `perSecond` tokens come back: more than 1, at most 3,600, for rates below one a second.
    public let slowness: Int

    /// A bucket; a number outside ``range`` becomes the nearest one inside.
    public init(perSecond: Int, burst: Int, slowness: Int = 1) {
        self.perSecond = min(max(perSecond, Self.range.lowerBound), Self.range.upperBound)
        self.burst = min(max(burst, Self.range.lowerBound), Self.range.upperBound)
        self.slowness = min(max(slowness, 1), 3_600)
    }

    /// Seconds in which an empty bucket fills.
    public var window: Int { (burst * slowness + perSecond - 1) / perSecond }
}

/// How fast requests may come; an absent limit is switched off.
public struct RateLimits: Sendable, Hashable {
    public var key: RateLimit? = RateLimit(perSecond: 5_000, burst: 10_000)
    /// About one customer, by callers of one role.
    public var customer: RateLimit? = RateLimit(perSecond: 20, burst: 500)
    /// From one address with `app` keys, which every copy of the app has, and as much again without a key.
    public var address: RateLimit? = RateLimit(perSecond: 50, burst: 1_000)
    public var failedAuthentication: RateLimit? = RateLimit(perSecond: 1, burst: 60)
    /// New records of refusals to one customer with `app` keys: what an app states is free text, so each refusal can
    /// differ.
    public var refusals: RateLimit? = RateLimit(perSecond: 1, burst: 30, slowness: 600)
    /// Simulations begun by one API key: each may read all customers and leaves a row for a day.
    public var simulations: RateLimit? = RateLimit(perSecond: 1, burst: 60, slowness: 60)

    /// Those of an `offerd.yaml` that names none (docs/decisions/0043).
    public static let standard = RateLimits()
    /// Without any but ``refusals``, which protects the disk and not the processors.
    public static let off = RateLimits(
        key: nil, customer: nil, address: nil, failedAuthentication: nil, simulations: nil)
}

/// How many grants one API key may make in a day in UTC; none if 0.
public struct GrantTerms: Sendable, Hashable {
    public static let range = 0...10_000

    public var perKeyAndDay = 20

    public init() {}

    public static let standard = GrantTerms()
}

/// How long data that is no longer needed is kept, in milliseconds; `nil` means permanently.
public struct RetentionTerms: Sendable, Hashable {
    /// The text of a signature, after it was signed and once its issued offer no longer counts.
    public var signatures: Int64? = 90 * Instant.Duration.day
    /// The recorded inputs of a refusal, from its decision on.
    public var refusals: Int64? = 365 * Instant.Duration.day
    /// An answer kept for its `Idempotency-Key`; never less than the 24 hours in which it can be repeated.
    public var answers: Int64? = Instant.Duration.day
    /// A notification's text as Apple signed it, after it was stored.
    public var notifications: Int64? = 90 * Instant.Duration.day

    public static let standard = RetentionTerms()
}

/// The people that a proxy in front of the console has signed in: `console.proxyUsers` of `offerd.yaml`.
public struct ProxyUsers: Sendable, Hashable {
    /// The header in which the proxy names the person.
    public var header: String
    /// The id of the API key that each person has, by their name.
    public var keys: [String: String]

    public init(header: String, keys: [String: String]) {
        (self.header, self.keys) = (header, keys)
    }

    /// The id of a person's key, by their name byte for byte: to `String`, a kelvin sign is a `K`.
    public func key(of name: String) -> String? {
        guard let place = keys.index(forKey: name), keys[place].key.utf8.elementsEqual(name.utf8) else { return nil }
        return keys[place].value
    }
}
