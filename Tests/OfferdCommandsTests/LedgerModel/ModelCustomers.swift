import Foundation
import LocalAppStore
import OfferTestSupport
import Synchronization

/// The customers of one run, and the data that the App Store signs for them.
final class ModelCustomers: Sendable {
    static let count = 14
    /// When every run begins, in milliseconds: the year 2035, later than any clock of a machine that runs it.
    static let start: Int64 = 2_051_222_400_000

    private let root: LocalRoot
    /// Data that was signed already: a request sent again has the same bytes.
    private let signed = Mutex<[String: String]>([:])

    init(_ installation: Installation) throws {
        root = try LocalRoot(directory: installation.directory.path("root"))
    }

    static func original(_ customer: Int) -> String { "\(7_100_000 + customer)001" }
    static func account(_ customer: Int) -> String { "\(7_900_000 + customer)" }
    static func token(_ customer: Int) -> String { "0e1f2a3b-4c5d-4e6f-8a9b-0000000000\(10 + customer)" }

    /// The members of a request that brings the past of a customer: one month, long ago.
    func past(of customer: Int) throws -> String {
        let bought = Self.start - 120 * 24 * ModelLedger.hour
        return try purchase(
            Self.original(customer), of: customer, at: bought, ends: bought + 30 * 24 * ModelLedger.hour, offer: "")
    }

    /// The members of a request that brings a redemption: a subscription of its own, so that each is one use.
    func redemption(_ redemption: ModelLedger.Redemption) throws -> String {
        if let known = signed.withLock({ $0[redemption.transactionId] }) { return known }
        let members = try purchase(
            redemption.transactionId, of: redemption.customer, at: redemption.at, ends: redemption.ends,
            offer: #""offerType":2,"offerIdentifier":"apple-\#(redemption.offer)","offerDiscountType":"PAY_AS_YOU_GO","#
        )
        return signed.withLock { signed in
            let first = signed[redemption.transactionId] ?? members
            signed[redemption.transactionId] = first
            return first
        }
    }

    /// A purchase that does not renew: renewal info of the same moment says so.
    private func purchase(_ id: String, of customer: Int, at: Int64, ends: Int64, offer: String) throws -> String {
        let shared = """
            "originalTransactionId":"\(id)","productId":"com.example.pro.monthly","signedDate":\(at),\
            "appTransactionId":"\(Self.account(customer))","environment":"LocalTesting"
            """
        let transaction = try root.sign(
            payload: Array(
                """
                {\(shared),"transactionId":"\(id)","bundleId":"com.example.pro",\(offer)\
                "subscriptionGroupIdentifier":"21500001","purchaseDate":\(at),"originalPurchaseDate":\(at),\
                "expiresDate":\(ends),"quantity":1,"type":"Auto-Renewable Subscription",\
                "inAppOwnershipType":"PURCHASED","price":4990,"currency":"USD","transactionReason":"PURCHASE",\
                "storefront":"USA"}
                """.utf8))
        let info = try root.sign(
            payload: Array(
                """
                {\(shared),"autoRenewProductId":"com.example.pro.monthly","autoRenewStatus":0,\
                "recentSubscriptionStartDate":\(at)}
                """.utf8))
        return "\"signedTransactions\":[\"\(transaction)\"],\"signedRenewalInfo\":[\"\(info)\"]"
    }
}
