public import OfferModel

/// One page of a list; more pages need a token to continue from.
protocol AnswerPage {
    var hasMore: Bool { get }
    var nextPage: String? { get }
}

/// Apple's `HistoryResponse`. `hasMore` is required: a history is complete or it is not.
public struct TransactionHistoryPage: Sendable, Hashable, Decodable, AnswerPage {
    /// Transactions as JWS, not verified.
    public private(set) var signedTransactions: [String]
    /// Where the next page begins, and later the changes since this one.
    public private(set) var revision: String?
    public private(set) var hasMore: Bool

    var nextPage: String? { revision }

    mutating func append(_ next: TransactionHistoryPage) {
        signedTransactions += next.signedTransactions
        revision = next.revision
        hasMore = next.hasMore
    }
}

/// Apple's `StatusResponse`: the present state of each subscription of a customer.
public struct SubscriptionStatuses: Sendable, Hashable, Decodable {
    public struct Group: Sendable, Hashable, Decodable {
        public let subscriptionGroupIdentifier: SubscriptionGroupId
        public let lastTransactions: [LastTransaction]
    }

    /// The newest transaction of one subscription; the JWS are not verified.
    public struct LastTransaction: Sendable, Hashable, Decodable {
        public let originalTransactionId: TransactionId?
        public let status: SubscriptionStatus?
        public let signedTransactionInfo: String
        public let signedRenewalInfo: String?
    }

    public let data: [Group]

    public var lastTransactions: [LastTransaction] { data.flatMap(\.lastTransactions) }
}

/// Apple's `OrderLookupResponse`.
public struct AppStoreOrder: Sendable, Hashable, Decodable {
    /// 0 if the order is valid, 1 if not.
    public let status: Int
    /// The purchases, as JWS, not verified.
    public let signedTransactions: [String]

    private enum CodingKeys: CodingKey {
        case status
        case signedTransactions
    }

    /// An order that is not valid has no transactions.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        status = try members.decode(Int.self, forKey: .status)
        signedTransactions = try members.decodeIfPresent([String].self, forKey: .signedTransactions) ?? []
    }
}

/// Apple's `AppTransactionInfoResponse`.
struct SignedAppTransactionInfo: Decodable {
    let signedAppTransactionInfo: String
}

/// Apple's `NotificationHistoryResponse`.
public struct NotificationHistoryPage: Sendable, Hashable, Decodable, AnswerPage {
    public let notificationHistory: [NotificationHistoryItem]
    public let paginationToken: String?
    public let hasMore: Bool

    var nextPage: String? { paginationToken }
}

/// A notification as Apple sent it: Apple's `NotificationHistoryResponseItem`.
public struct NotificationHistoryItem: Sendable, Hashable, Decodable {
    /// The notification as a JWS, not verified.
    public let signedPayload: String
}
