import FoundationEssentials
public import OfferModel

/// One request of the App Store Server API, without the host.
struct Endpoint: Sendable {
    var method = AppStoreServerRequest.Method.get
    var target: String
    var body: [UInt8]?
    var calls: CallClass
    /// Whether sending it twice does no more than sending it once.
    var isRepeatable = true

    /// After an answer that says nothing was done it may be sent again; after a gateway's that leaves it open, only if
    /// it is repeatable.
    func mayBeRepeated(after refused: RefusedAnswer) -> Bool {
        refused.isRetryable && (isRepeatable || refused.errorCode != nil || refused.status == 429)
    }
}

extension Endpoint {
    static func transactionHistory(
        _ id: String, _ query: TransactionHistoryQuery, _ revision: String?
    ) throws(AppStoreServerError) -> Endpoint {
        var items = query.items
        if let revision { items.append(("revision", revision)) }
        return Endpoint(
            target: "/inApps/v2/history/\(try pathPart(id, "transaction id"))" + queryText(items),
            calls: .transactionHistory)
    }

    static func subscriptionStatuses(
        _ id: String, _ statuses: [SubscriptionStatus]
    ) throws(AppStoreServerError) -> Endpoint {
        Endpoint(
            target: "/inApps/v1/subscriptions/\(try pathPart(id, "transaction id"))"
                + queryText(statuses.map { ("status", String($0.rawValue)) }), calls: .subscriptionStatuses)
    }

    static func transactionInfo(_ id: TransactionId) throws(AppStoreServerError) -> Endpoint {
        Endpoint(
            target: "/inApps/v1/transactions/\(try pathPart(id.rawValue, "transaction id"))", calls: .transactionInfo)
    }

    static func appTransactionInfo(_ id: String) throws(AppStoreServerError) -> Endpoint {
        Endpoint(
            target: "/inApps/v1/transactions/appTransactions/\(try pathPart(id, "transaction id"))",
            calls: .appTransactionInfo)
    }

    static func orderLookup(_ orderId: String) throws(AppStoreServerError) -> Endpoint {
        Endpoint(target: "/inApps/v1/lookup/\(try pathPart(orderId, "order id"))", calls: .orderLookup)
    }

    static func notificationHistory(
        _ query: NotificationHistoryQuery, _ paginationToken: String?
    ) throws(AppStoreServerError) -> Endpoint {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let body = try? encoder.encode(NotificationHistoryRequest(query)) else {
            throw AppStoreServerError(.notSent, "the notification query cannot be encoded")
        }
        return Endpoint(
            method: .post,
            target: "/inApps/v1/notifications/history"
                + queryText(paginationToken.map { [("paginationToken", $0)] } ?? []),
            body: Array(body), calls: .notificationHistory)
    }

    static let testNotificationRequest = Endpoint(
        method: .post, target: "/inApps/v1/notifications/test", calls: .testNotification, isRepeatable: false)

    static func testNotificationStatus(_ token: String) throws(AppStoreServerError) -> Endpoint {
        Endpoint(
            target: "/inApps/v1/notifications/test/\(try pathPart(token, "token"))", calls: .testNotification)
    }

    /// Typed text as one component of the path, whatever it holds.
    private static func pathPart(_ text: String, _ noun: String) throws(AppStoreServerError) -> String {
        guard PathIdentifier.allows(text) else {
            throw AppStoreServerError(
                .notSent, "the \(noun) is empty, `.`, `..` or longer than \(PathIdentifier.longest) bytes",
                hint: "copy it again")
        }
        return encoded(text)
    }

    private static func queryText(_ items: [(name: String, value: String)]) -> String {
        items.isEmpty ? "" : "?" + items.map { "\($0.name)=\(encoded($0.value))" }.joined(separator: "&")
    }

    /// RFC 3986 §2.3: all but the unreserved characters, as UTF-8.
    private static func encoded(_ text: String) -> String {
        var bytes = [UInt8]()
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default:
                bytes.append(contentsOf: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Which ids of transactions, app transactions and orders Apple can be asked by.
public enum PathIdentifier {
    /// In bytes; Apple's have some twenty.
    static let longest = 256

    /// Whether an id stays one part of a path: not empty, no step up or down, and no longer than any of
    /// Apple's.
    public static func allows(_ id: String) -> Bool {
        (1...longest).contains(id.utf8.count) && id != "." && id != ".."
    }
}

/// Which transactions Get Transaction History gives; without any member all of them, oldest change first.
public struct TransactionHistoryQuery: Sendable, Hashable {
    public enum ProductType: String, Sendable, Hashable, CaseIterable {
        case autoRenewable = "AUTO_RENEWABLE"
        case nonRenewable = "NON_RENEWABLE"
        case consumable = "CONSUMABLE"
        case nonConsumable = "NON_CONSUMABLE"
    }

    /// The order, by the date of the last change.
    public enum Sort: String, Sendable, Hashable, CaseIterable {
        case ascending = "ASCENDING"
        case descending = "DESCENDING"
    }

    /// Bought at this moment or later.
    public var startDate: Instant?
    /// Bought before this moment.
    public var endDate: Instant?
    public var productIds: [ProductId] = []
    public var productTypes: [ProductType] = []
    public var subscriptionGroupIdentifiers: [SubscriptionGroupId] = []
    public var inAppOwnershipType: InAppOwnershipType?
    /// Only revoked ones, or only those that are not.
    public var revoked: Bool?
    public var sort: Sort?

    public init() {}

    /// Only what bears on offers.
    public static var subscriptions: TransactionHistoryQuery {
        var query = TransactionHistoryQuery()
        query.productTypes = [.autoRenewable]
        return query
    }

    var items: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let startDate { items.append(("startDate", String(startDate.milliseconds))) }
        if let endDate { items.append(("endDate", String(endDate.milliseconds))) }
        items += productIds.map { ("productId", $0.rawValue) }
        items += productTypes.map { ("productType", $0.rawValue) }
        if let sort { items.append(("sort", sort.rawValue)) }
        items += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0.rawValue) }
        if let inAppOwnershipType { items.append(("inAppOwnershipType", inAppOwnershipType.rawValue)) }
        if let revoked { items.append(("revoked", String(revoked))) }
        return items
    }
}

/// Which notifications Get Notification History gives.
public struct NotificationHistoryQuery: Sendable, Hashable {
    /// What they are about; Apple takes one of these at a time.
    public enum Subject: Sendable, Hashable {
        case everything
        case transaction(TransactionId)
        case type(NotificationType, NotificationSubtype? = nil)
    }

    /// The first moment; Apple keeps 180 days.
    public var startDate: Instant
    public var endDate: Instant
    public var subject: Subject
    public var onlyFailures: Bool

    public init(
        from startDate: Instant, to endDate: Instant, about subject: Subject = .everything, onlyFailures: Bool = false
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.subject = subject
        self.onlyFailures = onlyFailures
    }
}

struct NotificationHistoryRequest: Encodable {
    let startDate: Instant
    let endDate: Instant
    var transactionId: TransactionId?
    var notificationType: NotificationType?
    var notificationSubtype: NotificationSubtype?
    var onlyFailures: Bool?

    init(_ query: NotificationHistoryQuery) {
        startDate = query.startDate
        endDate = query.endDate
        switch query.subject {
        case .everything: break
        case .transaction(let id): transactionId = id
        case .type(let type, let subtype):
            notificationType = type
            notificationSubtype = subtype
        }
        if query.onlyFailures { onlyFailures = true }
    }
}
