import FoundationEssentials
import OfferModel

/// One request of the App Store Server API, without the host.
struct Question: Sendable {
    var method = AppStoreServerRequest.Method.get
    /// Path and query.
    var target: String
    var body: [UInt8]?
    var calls: CallClass
    /// Whether putting it twice does no more than putting it once.
    var isRepeatable = true

    /// After an answer that says nothing was done it may be put again; after a gateway's that leaves it open, only if it
    /// is repeatable.
    func mayBeAskedAgain(after refused: RefusedAnswer) -> Bool {
        refused.isRetryable && (isRepeatable || refused.errorCode != nil || refused.status == 429)
    }
}

extension Question {
    static func transactionHistory(
        _ id: String, _ query: TransactionHistoryQuery, _ revision: String?
    ) throws(AppStoreServerError) -> Question {
        var items = query.items
        if let revision { items.append(("revision", revision)) }
        return Question(
            target: "/inApps/v2/history/\(try pathPart(id, "transaction id"))" + queryText(items),
            calls: .transactionHistory)
    }

    static func subscriptionStatuses(
        _ id: String, _ statuses: [SubscriptionStatus]
    ) throws(AppStoreServerError) -> Question {
        Question(
            target: "/inApps/v1/subscriptions/\(try pathPart(id, "transaction id"))"
                + queryText(statuses.map { ("status", String($0.rawValue)) }), calls: .subscriptionStatuses)
    }

    static func transactionInfo(_ id: TransactionId) throws(AppStoreServerError) -> Question {
        Question(
            target: "/inApps/v1/transactions/\(try pathPart(id.rawValue, "transaction id"))", calls: .transactionInfo)
    }

    static func appTransactionInfo(_ id: String) throws(AppStoreServerError) -> Question {
        Question(
            target: "/inApps/v1/transactions/appTransactions/\(try pathPart(id, "transaction id"))",
            calls: .appTransactionInfo)
    }

    static func orderLookup(_ orderId: String) throws(AppStoreServerError) -> Question {
        Question(target: "/inApps/v1/lookup/\(try pathPart(orderId, "order id"))", calls: .orderLookup)
    }

    static func notificationHistory(
        _ query: NotificationHistoryQuery, _ paginationToken: String?
    ) throws(AppStoreServerError) -> Question {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let body = try? encoder.encode(NotificationHistoryRequest(query)) else {
            throw AppStoreServerError(.notSent, "the question about notifications cannot be written")
        }
        return Question(
            method: .post,
            target: "/inApps/v1/notifications/history"
                + queryText(paginationToken.map { [("paginationToken", $0)] } ?? []),
            body: Array(body), calls: .notificationHistory)
    }

    static let testNotificationRequest = Question(
        method: .post, target: "/inApps/v1/notifications/test", calls: .testNotification, isRepeatable: false)

    static func testNotificationStatus(_ token: String) throws(AppStoreServerError) -> Question {
        Question(
            target: "/inApps/v1/notifications/test/\(try pathPart(token, "token"))", calls: .testNotification)
    }

    /// What a person typed, so that it stays one part of the path whatever it holds.
    private static func pathPart(_ text: String, _ noun: String) throws(AppStoreServerError) -> String {
        guard AskableId.allows(text) else {
            throw AppStoreServerError(
                .notSent, "the \(noun) is empty, `.`, `..` or longer than \(AskableId.longest) bytes",
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
