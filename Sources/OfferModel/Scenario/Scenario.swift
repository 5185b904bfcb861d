/// What one customer of a development App Store did: the source of signed data that no Apple Account is needed for.
///
/// A scenario holds steps as they were written; whether they make sense together is judged when they are played.
/// The document's schema is `docs/scenarios.md`.
public struct Scenario: Sendable, Hashable {
    /// The app.
    public var bundleId: BundleId
    /// Apple's number of the app, for the app transaction.
    public var appAppleId: Int64?
    /// The environment the payloads name; never Production.
    public var environment: AppStoreEnvironment
    /// Who did it.
    public var customer: ScenarioCustomer
    /// When every payload is signed; the moment of playing where it is absent.
    public var signedAt: ScenarioTime?
    /// What happened, oldest first.
    public var steps: [ScenarioStep]

    /// A scenario by its parts.
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
    /// The Apple Account in this app.
    public var appTransactionId: AppTransactionId?
    /// The id of the first transaction; made from `appTransactionId` where it is absent.
    public var originalTransactionId: TransactionId?
    /// The app's account, put into every transaction.
    public var appAccountToken: AppAccountToken?
    /// Three-letter country code of the storefront.
    public var storefront: String

    /// A customer by its parts.
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
