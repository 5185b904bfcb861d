public import OfferModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request of the App Store Server API, without the host. To send it twice does no more than to send it once.
struct Endpoint: Sendable {
    var method = AppStoreServerRequest.Method.get
    var target: String
    var body: [UInt8]?
    var calls: CallClass

    static func transactionHistory(_ id: String, _ revision: String?) throws(AppStoreServerError) -> Endpoint {
        Endpoint(
            target: "/inApps/v2/history/\(try pathPart(id, "transaction id"))" + query("revision", revision),
            calls: .transactionHistory)
    }

    static func subscriptionStatuses(_ id: String) throws(AppStoreServerError) -> Endpoint {
        Endpoint(
            target: "/inApps/v1/subscriptions/\(try pathPart(id, "transaction id"))", calls: .subscriptionStatuses)
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
        _ history: NotificationHistoryQuery, _ paginationToken: String?
    ) throws(AppStoreServerError) -> Endpoint {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let body = try? encoder.encode(history) else {
            throw AppStoreServerError(.notSent, "the notification query cannot be encoded")
        }
        return Endpoint(
            method: .post, target: "/inApps/v1/notifications/history" + query("paginationToken", paginationToken),
            body: Array(body), calls: .notificationHistory)
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

    private static func query(_ name: String, _ value: String?) -> String {
        value.map { "?\(name)=\(encoded($0))" } ?? ""
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

/// The ids of transactions, app transactions and orders that can be part of a path.
public enum PathIdentifier {
    /// In bytes; Apple's have some twenty.
    static let longest = 256

    /// Whether an id stays one part of a path: not empty, no step up or down, and no longer than any of
    /// Apple's.
    public static func allows(_ id: String) -> Bool {
        (1...longest).contains(id.utf8.count) && id != "." && id != ".."
    }
}

/// The filter of Get Notification History, as Apple defines it.
public struct NotificationHistoryQuery: Sendable, Hashable, Encodable {
    /// The first moment; Apple keeps 180 days.
    let startDate: Instant
    let endDate: Instant
    let onlyFailures: Bool?

    public init(from startDate: Instant, to endDate: Instant, onlyFailures: Bool = false) {
        self.startDate = startDate
        self.endDate = endDate
        self.onlyFailures = onlyFailures ? true : nil
    }
}
