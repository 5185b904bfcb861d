public import OfferModel

/// The store's own number of a customer; it never leaves the service.
public struct CustomerNumber: RawRepresentable, Sendable, Hashable, Comparable, Storable {
    /// The number.
    public let rawValue: Int64
    /// Wraps a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Stored earlier is smaller.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An identifier that Apple signs: it names at most one customer of a scope (docs/design.md#identity).
public enum ProvenIdentifier: Sendable, Hashable {
    /// A subscription's first transaction.
    case originalTransactionId(TransactionId)
    /// One Apple Account in one app.
    case appTransactionId(AppTransactionId)

    var kind: String {
        switch self {
        case .originalTransactionId: "originalTransactionId"
        case .appTransactionId: "appTransactionId"
        }
    }

    var value: String {
        switch self {
        case .originalTransactionId(let id): id.rawValue
        case .appTransactionId(let id): id.rawValue
        }
    }
}

/// A name the app gives its customers: it may name several, and never merges them (docs/design.md#identity).
public enum CustomerAlias: Sendable, Hashable {
    /// The UUID that the app gave StoreKit for one of its accounts.
    case appAccountToken(AppAccountToken)
    /// The app's own name.
    case customerId(CustomerId)

    /// Its name in requests.
    public var kind: String {
        switch self {
        case .appAccountToken: "appAccountToken"
        case .customerId: "customerId"
        }
    }

    var value: String {
        switch self {
        case .appAccountToken(let token): token.description
        case .customerId(let id): id.rawValue
        }
    }
}

/// A customer with every identifier known of them.
public struct StoredCustomer: Sendable, Hashable {
    /// The store's own number.
    public var number: CustomerNumber
    /// The identifier the customer was first stored under; decides rollouts (docs/design.md#decisions).
    public var rolloutKey: String
    /// When the customer was first stored.
    public var firstStoredAt: Instant
    /// Subscriptions, in the order of their ids.
    public var originalTransactionIds: [TransactionId]
    /// Apple Accounts; nearly always one.
    public var appTransactionIds: [AppTransactionId]
    /// The app's accounts, in the order of their ids.
    public var appAccountTokens: [AppAccountToken]
    /// The app's own names, in their order.
    public var customerIds: [CustomerId]
}

/// What the answer to a question depends on: two equal versions mean nothing has changed in between (docs/design.md#issuing).
public struct SubjectVersion: Sendable, Hashable {
    /// The newest change of each customer, as a number of the store-wide order.
    public let changes: [CustomerNumber: Int64]

    /// The customers of the subject.
    public var customers: [CustomerNumber] { changes.keys.sorted() }
}
