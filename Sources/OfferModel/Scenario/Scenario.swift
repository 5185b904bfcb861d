/// The actions of one customer of a development App Store: a source of signed data that needs no Apple Account.
///
/// A scenario holds steps as they were written; whether they make sense together is judged when they are played.
/// The document's schema is `docs/scenarios.md`.
public struct Scenario: Sendable, Hashable {
    public var bundleId: BundleId
    public var appAppleId: Int64?
    /// The environment the payloads name; never Production.
    public var environment: AppStoreEnvironment
    public var customer: ScenarioCustomer
    /// When every payload is signed; the moment of playing where it is absent.
    public var signedAt: ScenarioTime?
    /// The steps, oldest first.
    public var steps: [ScenarioStep]

    public init(
        bundleId: BundleId, appAppleId: Int64? = nil, environment: AppStoreEnvironment = .localTesting,
        customer: ScenarioCustomer, signedAt: ScenarioTime? = nil, steps: [ScenarioStep]
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
        self.customer = customer
        self.signedAt = signedAt
        self.steps = steps
    }
}

/// The customer of a scenario; at least one of the two proven identifiers is needed, and ids are made from them.
public struct ScenarioCustomer: Sendable, Hashable {
    public var appTransactionId: AppTransactionId?
    /// The id of the first transaction; made from `appTransactionId` where it is absent.
    public var originalTransactionId: TransactionId?
    public var appAccountToken: AppAccountToken?
    /// Three-letter country code of the storefront.
    public var storefront: String

    public init(
        appTransactionId: AppTransactionId? = nil, originalTransactionId: TransactionId? = nil,
        appAccountToken: AppAccountToken? = nil, storefront: String = "USA"
    ) {
        self.appTransactionId = appTransactionId
        self.originalTransactionId = originalTransactionId
        self.appAccountToken = appAccountToken
        self.storefront = storefront
    }
}

/// A moment in a scenario: fixed, or counted back from the moment of playing, so that an example never goes stale.
public enum ScenarioTime: Sendable, Hashable {
    /// A moment with its offset: `2026-11-01T00:00:00Z`.
    case fixed(Instant)
    /// So long before the scenario is played: `-P40D`.
    case ago(Period)
    /// The moment the scenario is played: `now`.
    case now

    /// Reads `now`, a minus sign and an ISO 8601 period of at most 100 years, or a moment with an offset; `nil` for
    /// anything else.
    public init?(_ text: String) {
        if text == "now" {
            self = .now
        } else if text.utf8.first == UInt8(ascii: "-"), let period = Period(text.dropFirst()) {
            self = .ago(period)
        } else if let instant = Instant(iso8601: text) {
            self = .fixed(instant)
        } else {
            return nil
        }
    }

    /// The moment meant when the scenario is played at `now`; calendar months are counted back in UTC.
    public func instant(now: Instant) -> Instant {
        switch self {
        case .fixed(let instant):
            instant
        case .ago(let period):
            now.adding(period.multiplied(by: -1))
        case .now:
            now
        }
    }
}

extension ScenarioTime: CustomStringConvertible {
    public var description: String {
        switch self {
        case .fixed(let instant): instant.description
        case .ago(let period): "-\(period)"
        case .now: "now"
        }
    }
}
