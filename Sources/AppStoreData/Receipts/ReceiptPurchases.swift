import OfferModel

/// Reads the purchases of an answer (Apple: App Store Receipts, `responseBody.Latest_receipt_info` and
/// `responseBody.Receipt.In_app`).
///
/// | Of Apple's decoded transaction | In a receipt |
/// | --- | --- |
/// | `transactionId`, `originalTransactionId`, `productId`, `quantity`, `webOrderLineItemId` | the same in snake case |
/// | `purchaseDate`, `originalPurchaseDate`, `expiresDate` | with `_ms` |
/// | `subscriptionGroupIdentifier` | the same; where absent, what the same answer says of another purchase of the
/// product |
/// | `type` | a subscription has `expires_date` or a group; whatever else was bought is left out |
/// | `inAppOwnershipType` | `in_app_ownership_type` |
/// | `isUpgraded` | `is_upgraded` |
/// | `revocationDate`, `revocationReason` | `cancellation_date_ms`, `cancellation_reason`; not of an upgraded one,
/// where Apple gives the time of the upgrade |
/// | `offerType`, `offerIdentifier` | `promotional_offer_id` 2, `offer_code_ref_name` 3, else `is_trial_period` or
/// `is_in_intro_offer_period` 1 |
/// | `offerDiscountType` | `is_trial_period` is `FREE_TRIAL`; pay as you go and up front are not told apart |
/// | `appAccountToken` | `app_account_token` |
/// | `signedDate` | when Apple answered, of a notification ``ReceiptNotification/lastEvent()``; in `in_app`, when the
/// receipt was made |
///
/// A receipt knows no price, currency, storefront, offer period, kind of revocation, commitment, `appTransactionId`
/// nor win-back offer.
struct ReceiptPurchases {
    private let answer: ReceiptAnswer
    private let groups: [ProductId: SubscriptionGroupId]
    private var seen: Set<Transaction> = []
    private(set) var transactions: [Transaction] = []
    private var others: Set<String> = []
    private(set) var problems: [ReceiptProblem] = []

    init(_ answer: ReceiptAnswer) {
        self.answer = answer
        var problems: [ReceiptProblem] = []
        let latest = ["latest_receipt_info", "latest_expired_receipt_info"].flatMap {
            Self.list($0, of: answer.root, &problems)
        }
        var earlier = Self.list("in_app", of: answer.receipt, &problems)
        // In iOS 6 style the receipt is itself the purchase.
        if answer.receipt.member("transaction_id") != nil { earlier.append(answer.receipt) }
        groups = Self.groups(latest + earlier)
        self.problems = problems
        for node in latest { add(node, asOf: answer.answeredAt) }
        let latestIds = Set(transactions.map(\.transactionId))
        for node in earlier { add(node, asOf: nil, unless: latestIds) }
    }

    /// How many purchases are of no subscription.
    var skipped: Int { others.count }

    private static func list(
        _ name: String, of node: ReceiptNode, _ problems: inout [ReceiptProblem]
    ) -> [ReceiptNode] {
        do throws(ReceiptProblem) {
            return try node.objects(name)
        } catch {
            problems.append(error)
            return []
        }
    }

    /// The group of each product, as far as the answer says: `in_app` never does.
    private static func groups(_ nodes: [ReceiptNode]) -> [ProductId: SubscriptionGroupId] {
        var groups: [ProductId: SubscriptionGroupId] = [:]
        for node in nodes {
            guard let product = try? node.text("product_id"),
                let group = try? node.text("subscription_group_identifier")
            else { continue }
            groups[ProductId(product)] = SubscriptionGroupId(group)
        }
        return groups
    }

    /// - Parameters:
    ///   - date: when Apple said so; `nil` for what the receipt itself has.
    ///   - known: what Apple has said more newly of.
    private mutating func add(_ node: ReceiptNode, asOf date: Instant?, unless known: Set<TransactionId> = []) {
        do throws(ReceiptProblem) {
            guard let transaction = try transaction(node, asOf: date) else {
                others.insert(try node.text("transaction_id") ?? node.path)
                return
            }
            guard !known.contains(transaction.transactionId), seen.insert(transaction).inserted else { return }
            transactions.append(transaction)
        } catch {
            problems.append(error)
        }
    }

    /// `nil` for products other than subscriptions. Each would be a customer of its own, because nothing unsigned joins
    /// two (docs/design.md#identity), and the account of a customer who buys coins would soon name more than can be
    /// decided together.
    private func transaction(_ node: ReceiptNode, asOf date: Instant?) throws(ReceiptProblem) -> Transaction? {
        let product = ProductId(try node.requiredText("product_id"))
        let group = try node.text("subscription_group_identifier").map { SubscriptionGroupId($0) }
        let expires = try node.date("expires_date")
        guard expires != nil || group != nil else { return nil }
        let purchased = try node.requiredDate("purchase_date")
        let lineItem = try node.text("web_order_line_item_id")
        let cancelled = try node.date("cancellation_date") ?? answer.notification?.cancellation(of: lineItem)
        // Without a date of its own, the receipt was made no earlier than the last event in it.
        let signed = date ?? answer.createdAt ?? max(purchased, cancelled ?? purchased)
        var transaction = Transaction(
            transactionId: TransactionId(try node.requiredText("transaction_id")),
            originalTransactionId: TransactionId(try node.requiredText("original_transaction_id")),
            bundleId: answer.scope.bundleId, productId: product, purchaseDate: purchased, signedDate: signed)
        transaction.environment = answer.scope.environment.rawValue
        transaction.type = .autoRenewableSubscription
        transaction.subscriptionGroupIdentifier = group ?? groups[product]
        transaction.webOrderLineItemId = lineItem
        transaction.quantity = try node.number("quantity")
        transaction.originalPurchaseDate = try node.date("original_purchase_date")
        transaction.expiresDate = expires
        transaction.inAppOwnershipType = try node.text("in_app_ownership_type").map { InAppOwnershipType(rawValue: $0) }
        transaction.appAccountToken = try node.text("app_account_token").flatMap { AppAccountToken($0) }
        transaction.isUpgraded = try node.flag("is_upgraded") ?? false
        if !transaction.isUpgraded, let cancelled {
            transaction.revocationDate = cancelled
            transaction.revocationReason = try node.number("cancellation_reason")
        }
        try setOffer(of: node, in: &transaction)
        return transaction
    }

    /// The named offer is the one that applied; the flags then only tell whether it was free.
    private func setOffer(of node: ReceiptNode, in transaction: inout Transaction) throws(ReceiptProblem) {
        let isTrial = try node.flag("is_trial_period") ?? false
        let isIntroductory = try node.flag("is_in_intro_offer_period") ?? false
        let offer = try ReceiptOffer(node)
        transaction.offerType = offer?.type ?? (isTrial || isIntroductory ? .introductory : nil)
        transaction.offerIdentifier = offer?.identifier
        transaction.offerDiscountType = isTrial ? .freeTrial : nil
    }
}

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
            for node in try Self.nodes(answer) { add(node) }
        } catch {
            problems.append(error)
        }
    }

    /// In iOS 6 style the answer itself says how its one subscription renews, and so does a notification.
    private static func nodes(_ answer: ReceiptAnswer) throws(ReceiptProblem) -> [ReceiptNode] {
        let whole = answer.notification?.whole ?? answer.root
        let listed = try answer.root.objects("pending_renewal_info")
        guard listed.isEmpty, answer.root.member("pending_renewal_info") == nil,
            whole.member("auto_renew_status") != nil
        else { return listed }
        return [whole]
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
        if answer.isDatedByEvents, info.expirationIntent != nil || info.isInBillingRetryPeriod == true {
            let told = end(of: original)?.adding(milliseconds: 1) ?? info.signedDate
            info.signedDate = max(info.signedDate, min(told, answer.now))
        }
        return info
    }

    /// When the last known period of a subscription ends: only after it does Apple say that a
    /// payment failed, or why the subscription expired.
    private func end(of original: TransactionId) -> Instant? {
        transactions.filter { $0.originalTransactionId == original }.compactMap(\.expiresDate).max()
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

struct ReceiptOffer {
    let type: TransactionOfferType
    /// Of an offer code it is the reference name: a receipt has no other.
    let identifier: OfferIdentifier

    init?(_ node: ReceiptNode) throws(ReceiptProblem) {
        let promotional = try node.text("promotional_offer_id")
        let code = try node.text("offer_code_ref_name")
        switch (promotional, code) {
        case (nil, nil): return nil
        case (let name?, nil): (type, identifier) = (.promotional, OfferIdentifier(name))
        case (nil, let name?): (type, identifier) = (.offerCode, OfferIdentifier(name))
        case (let promotional?, let code?):
            throw node.problem(
                "names both the promotional offer `\(promotional)` and the offer code `\(code)`, and Apple applies one")
        }
    }
}
