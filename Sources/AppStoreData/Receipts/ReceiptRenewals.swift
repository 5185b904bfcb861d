import OfferModel

/// Reads how the subscriptions of an answer renew (Apple: App Store Receipts, `responseBody.Pending_renewal_info`).
///
/// | Of Apple's decoded renewal info | In a receipt |
/// | --- | --- |
/// | `originalTransactionId`, `productId`, `autoRenewProductId`, `expirationIntent` | the same in snake case |
/// | `autoRenewStatus`, `isInBillingRetryPeriod` | `"1"` and `"0"` |
/// | `gracePeriodExpiresDate` | `grace_period_expires_date_ms` |
/// | `priceIncreaseStatus` | `price_increase_status`, else `price_consent_status` |
/// | `offerType`, `offerIdentifier` | `promotional_offer_id` 2, `offer_code_ref_name` 3 |
/// | `signedDate` | when Apple answered |
///
/// A receipt knows no renewal date nor price, and no win-back offers.
struct ReceiptRenewals {
    private let answer: ReceiptAnswer
    private let transactions: [Transaction]
    private(set) var renewalInfos: [RenewalInfo] = []
    private(set) var problems: [ReceiptProblem] = []

    /// - Parameter transactions: those of the same answer, which say whose an entry is that does not.
    init(_ answer: ReceiptAnswer, transactions: [Transaction]) {
        self.answer = answer
        self.transactions = transactions
        do throws(ReceiptProblem) {
            for node in try Self.nodes(answer.root) { add(node) }
        } catch {
            problems.append(error)
        }
    }

    /// In iOS 6 style the answer itself says how its one subscription renews.
    private static func nodes(_ root: ReceiptNode) throws(ReceiptProblem) -> [ReceiptNode] {
        let listed = try root.objects("pending_renewal_info")
        guard listed.isEmpty, root.member("pending_renewal_info") == nil, root.member("auto_renew_status") != nil else {
            return listed
        }
        return [root]
    }

    private mutating func add(_ node: ReceiptNode) {
        do throws(ReceiptProblem) {
            let info = try renewalInfo(node)
            if !renewalInfos.contains(info) { renewalInfos.append(info) }
        } catch {
            problems.append(error)
        }
    }

    private func renewalInfo(_ node: ReceiptNode) throws(ReceiptProblem) -> RenewalInfo {
        let next = try node.text("auto_renew_product_id").map { ProductId($0) }
        let named = try node.text("product_id").map { ProductId($0) }
        let original = try original(of: node, renewing: named ?? next)
        guard let product = named ?? self.product(of: original) ?? next else { throw node.missing("product_id") }
        var info = RenewalInfo(originalTransactionId: original, productId: product, signedDate: answer.answeredAt)
        info.environment = answer.scope.environment.rawValue
        info.autoRenewProductId = next
        info.autoRenewStatus = try node.flag("auto_renew_status").map { $0 ? .on : .off }
        guard info.autoRenewProductId != nil || info.autoRenewStatus != nil else {
            throw node.problem("has neither `auto_renew_status` nor `auto_renew_product_id`")
        }
        info.expirationIntent = try node.number("expiration_intent").map { ExpirationIntent(rawValue: $0) }
        info.isInBillingRetryPeriod = try node.flag("is_in_billing_retry_period")
        info.gracePeriodExpiresDate = try node.date("grace_period_expires_date")
        let consent = try node.number("price_consent_status")
        info.priceIncreaseStatus = (try node.number("price_increase_status") ?? consent)
            .map { PriceIncreaseStatus(rawValue: $0) }
        let offer = try ReceiptOffer(node)
        info.offerType = offer?.type
        info.offerIdentifier = offer?.identifier
        return info
    }

    /// The subscription that is named, or the one that can be meant: Apple's older entries do not name it.
    private func original(of node: ReceiptNode, renewing product: ProductId?) throws(ReceiptProblem) -> TransactionId {
        if let named = try node.text("original_transaction_id") { return TransactionId(named) }
        let sameProduct = transactions.filter { $0.productId == product }
        let candidates = Set((sameProduct.isEmpty ? transactions : sameProduct).map(\.originalTransactionId))
        guard let only = candidates.first, candidates.count == 1 else {
            throw node.missing(
                "original_transaction_id",
                hint: candidates.isEmpty ? nil : "\(candidates.count) subscriptions of the answer could be meant")
        }
        return only
    }

    private func product(of original: TransactionId) -> ProductId? {
        transactions.filter { $0.originalTransactionId == original }.max { $0.purchaseDate < $1.purchaseDate }?
            .productId
    }
}
