public import OfferModel

/// Apple's `HistoryResponse`. That there is no more must be said: a history is complete or it is not.
public struct TransactionHistoryPage: Sendable, Hashable, Decodable {
    /// Transactions as JWS, not verified.
    public private(set) var signedTransactions: [String]
    /// Where the next page begins, and later the changes since this one.
    public private(set) var revision: String?
    /// Whether there is a next page.
    public private(set) var hasMore: Bool

    /// The pages as one.
    mutating func append(_ next: TransactionHistoryPage) {
        signedTransactions += next.signedTransactions
        revision = next.revision
        hasMore = next.hasMore
    }

    private enum CodingKeys: CodingKey {
        case signedTransactions
        case revision
        case hasMore
    }

    /// Reads Apple's JSON.
    ///
    /// - Throws: `DecodingError` without `signedTransactions` or `hasMore`, or if there is more and no `revision`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        signedTransactions = try members.decode([String].self, forKey: .signedTransactions)
        revision = try members.decodeIfPresent(String.self, forKey: .revision)
        hasMore = try members.decode(Bool.self, forKey: .hasMore)
        if hasMore, revision?.isEmpty != false {
            throw DecodingError.dataCorruptedError(
                forKey: .revision, in: members, debugDescription: "there is more, and no way to it")
        }
    }
}

/// Apple's `StatusResponse`: each subscription of a customer as it stands.
public struct SubscriptionStatuses: Sendable, Hashable, Decodable {
    /// The subscriptions of one group.
    public struct Group: Sendable, Hashable, Decodable {
        /// The group.
        public let subscriptionGroupIdentifier: SubscriptionGroupId
        /// The newest transaction of each subscription.
        public let lastTransactions: [LastTransaction]
    }

    /// The newest transaction of one subscription.
    public struct LastTransaction: Sendable, Hashable, Decodable {
        /// The subscription.
        public let originalTransactionId: TransactionId?
        /// How it stands.
        public let status: SubscriptionStatus?
        /// The transaction as a JWS, not verified.
        public let signedTransactionInfo: String
        /// The renewal info as a JWS, not verified.
        public let signedRenewalInfo: String?
    }

    /// By group.
    public let data: [Group]

    /// All subscriptions of all groups.
    public var lastTransactions: [LastTransaction] { data.flatMap(\.lastTransactions) }
}

/// Apple's `OrderLookupResponse`.
public struct AppStoreOrder: Sendable, Hashable, Decodable {
    /// Whether the order id is one of this app.
    public struct Status: RawRepresentable, Sendable, Hashable, Codable {
        /// Apple's number.
        public let rawValue: Int
        /// Any value, known or not.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// It is.
        public static let valid = Status(rawValue: 0)
        /// It is not.
        public static let invalid = Status(rawValue: 1)
    }

    /// Whether the order id is one of this app.
    public let status: Status
    /// What was bought, as JWS, not verified.
    public let signedTransactions: [String]

    private enum CodingKeys: CodingKey {
        case status
        case signedTransactions
    }

    /// Reads Apple's JSON; an order that is not valid has no transactions.
    ///
    /// - Throws: `DecodingError` without `status`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        status = try members.decode(Status.self, forKey: .status)
        signedTransactions = try members.decodeIfPresent([String].self, forKey: .signedTransactions) ?? []
    }
}

/// Apple's `TransactionInfoResponse`.
struct SignedTransactionInfo: Decodable {
    let signedTransactionInfo: String
}

/// Apple's `AppTransactionInfoResponse`.
struct SignedAppTransactionInfo: Decodable {
    let signedAppTransactionInfo: String
}
