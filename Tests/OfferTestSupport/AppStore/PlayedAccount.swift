import Foundation

/// One Apple Account in one app, as ``PlayedAppStore`` knows it.
public struct PlayedAccount: Sendable {
    /// Every transaction, by the date of its last change.
    public var transactions: [String]
    /// The renewal info of each subscription.
    public var renewalInfos: [String]
    /// The app transaction, if Apple has one.
    public var appTransaction: String?
    /// What was bought with which order.
    public var orders: [String: [String]] = [:]

    /// An account of signed data, such as a scenario's.
    public init(transactions: [String], renewalInfos: [String] = [], appTransaction: String? = nil) {
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
    }

    /// Whether Apple finds it by this id: that of any of its transactions, or its `appTransactionId`.
    func isKnown(by id: String) -> Bool {
        let members = ["transactionId", "originalTransactionId", "appTransactionId"]
        return (transactions + [appTransaction].compactMap(\.self)).map(Self.payload).contains { payload in
            members.contains { payload[$0] as? String == id }
        }
    }

    /// Apple's `data` of Get All Subscription Statuses.
    var statuses: [[String: Any]] {
        let signed = transactions.map { (payload: Self.payload($0), jws: $0) }
            .filter { $0.payload["expiresDate"] != nil }
        let groups = Dictionary(grouping: signed) { $0.payload["subscriptionGroupIdentifier"] as? String ?? "" }
        return groups.sorted { $0.key < $1.key }.map { group, members in
            let subscriptions = Dictionary(grouping: members) { $0.payload["originalTransactionId"] as? String ?? "" }
            let last = subscriptions.sorted { $0.key < $1.key }.compactMap { original, periods -> [String: Any]? in
                guard let newest = periods.max(by: { Self.purchased($0.payload) < Self.purchased($1.payload) }) else {
                    return nil
                }
                var item: [String: Any] = [
                    "originalTransactionId": original, "status": 1, "signedTransactionInfo": newest.jws,
                ]
                item["signedRenewalInfo"] = renewalInfos.first {
                    Self.payload($0)["originalTransactionId"] as? String == original
                }
                return item
            }
            return ["subscriptionGroupIdentifier": group, "lastTransactions": last]
        }
    }

    private static func purchased(_ payload: [String: Any]) -> Int { payload["purchaseDate"] as? Int ?? 0 }

    /// What a JWS says, unverified.
    static func payload(_ jws: String) -> [String: Any] {
        let parts = jws.split(separator: ".")
        guard parts.count == 3 else { return [:] }
        let base64 = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: String(padded)) else { return [:] }
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }
}
