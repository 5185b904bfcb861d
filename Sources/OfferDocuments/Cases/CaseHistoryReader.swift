import OfferModel

/// Reads the history of a case: Apple's decoded payloads, with defaults for members that are left out.
///
/// Each row may name its `provenance`, else the history's holds, else `serverAPI`.
struct CaseHistoryReader {
    private static let keys = [
        "provenance", "transactions", "renewalInfos", "appTransactions", "complete", "completeAsOf",
    ]

    let source: CaseOffers

    func read(_ field: Field) -> CaseHistory? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let provenance = mapping.optional("provenance")?.choice(Provenance.self) ?? .serverAPI
        let isComplete = mapping.optional("complete")?.boolean() ?? mapping.has("complete")
        if !isComplete {
            mapping.refuse(
                key: "completeAsOf", .notAllowed, "`completeAsOf` goes with `complete: true` only",
                hint: "add `complete: true`, or leave it out")
        }
        return CaseHistory(
            transactions: rows(mapping, "transactions", CaseTransactionReader(source: source, usual: provenance).read),
            renewalInfos: rows(mapping, "renewalInfos", CaseRenewalInfoReader(source: source, usual: provenance).read),
            appTransactions: rows(mapping, "appTransactions") { appTransaction($0, provenance) },
            isComplete: isComplete,
            completeAsOf: mapping.optional("completeAsOf")?.caseInstant())
    }

    private func rows<Payload>(
        _ mapping: Mapping, _ key: String, _ read: (Field) -> CaseRow<Payload>?
    ) -> [CaseRow<Payload>] {
        (mapping.optional(key)?.list(allowsEmpty: true) ?? []).compactMap(read)
    }

    private func appTransaction(_ field: Field, _ usual: Provenance) -> CaseRow<AppTransaction>? {
        let keys = ["appTransactionId", "receiptCreationDate", "originalPurchaseDate", "provenance"]
        guard let mapping = field.mapping(keys) else { return nil }
        var app = AppTransaction(
            bundleId: source.catalog?.bundleId ?? CaseWorld.bundleId,
            receiptCreationDate: mapping.required("receiptCreationDate")?.caseInstant() ?? .unread)
        app.appTransactionId = mapping.required("appTransactionId")?.id(.transactionId)
        app.originalPurchaseDate = mapping.optional("originalPurchaseDate")?.caseInstant()
        return CaseRow(app, provenance: mapping.provenance(usual))
    }
}

/// Reads a transaction of a case: unless it says otherwise, one period of the first product at its regular price,
/// bought by the customer and signed a second after the purchase.
struct CaseTransactionReader {
    private static let keys = [
        "transactionId", "originalTransactionId", "webOrderLineItemId", "productId", "subscriptionGroupIdentifier",
        "purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate", "type", "inAppOwnershipType",
        "revocationDate", "revocationReason", "revocationType", "revocationPercentage", "isUpgraded", "offerType",
        "offerIdentifier", "offerDiscountType", "offerPeriod", "price", "currency", "storefront", "transactionReason",
        "additionalTransactionReason", "billingPlanType", "commitmentInfo", "provenance",
    ]

    let source: CaseOffers
    /// The history's provenance, which a row without one has.
    let usual: Provenance

    func read(_ field: Field) -> CaseRow<Transaction>? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let id: TransactionId = mapping.required("transactionId")?.id(.transactionId) ?? ""
        let purchased = mapping.required("purchaseDate")?.caseInstant() ?? .unread
        let original: TransactionId? = mapping.optional("originalTransactionId")?.id(.transactionId)
        let product = mapping.optional("productId")?.id(.productId) ?? source.usualProduct.productId
        var transaction = Transaction(
            transactionId: id, originalTransactionId: original ?? id,
            bundleId: source.catalog?.bundleId ?? CaseWorld.bundleId, productId: product, purchaseDate: purchased,
            signedDate: mapping.optional("signedDate")?.caseInstant() ?? purchased.adding(milliseconds: 1_000))
        let regular = source.product(product) ?? source.usualProduct
        readPeriod(mapping, regular, &transaction)
        readPayment(mapping, regular, &transaction)
        readOffer(mapping, &transaction)
        readRevocation(mapping, &transaction)
        return CaseRow(transaction, provenance: mapping.provenance(usual))
    }

    private func readPeriod(_ mapping: Mapping, _ regular: Product, _ transaction: inout Transaction) {
        let group = mapping.expected("subscriptionGroupIdentifier") { $0.text(.groupId) }
        let type = mapping.word("type") ?? source.type(of: transaction.productId)
        transaction.type = type
        let isSubscription = type == .autoRenewableSubscription
        transaction.subscriptionGroupIdentifier =
            switch group {
            case nil: isSubscription ? source.group(of: transaction.productId) : nil
            case .nothing: nil
            case .value(let id): SubscriptionGroupId(id)
            }
        transaction.expiresDate =
            mapping.optional("expiresDate")?.caseInstant()
            ?? (isSubscription ? transaction.purchaseDate.adding(regular.period) : nil)
        transaction.originalPurchaseDate = mapping.optional("originalPurchaseDate")?.caseInstant()
        transaction.inAppOwnershipType = mapping.word("inAppOwnershipType") ?? .purchased
        transaction.isUpgraded = mapping.optional("isUpgraded")?.boolean() ?? false
        transaction.transactionReason = mapping.word("transactionReason")
        transaction.additionalTransactionReason = mapping.word("additionalTransactionReason")
        transaction.webOrderLineItemId = mapping.optional("webOrderLineItemId")?.text()
        transaction.storefront = mapping.optional("storefront")?.text(.storefront)
    }

    private func readPayment(_ mapping: Mapping, _ regular: Product, _ transaction: inout Transaction) {
        transaction.price =
            switch mapping.expected("price", { $0.wholeNumber(0...1_000_000_000) }) {
            case nil: regular.price.milliunits
            case .nothing: nil
            case .value(let milliunits): Int64(milliunits)
            }
        transaction.currency = mapping.optional("currency")?.currency() ?? regular.price.currency
        transaction.billingPlanType = mapping.word("billingPlanType")
        guard let field = mapping.optional("commitmentInfo") else { return }
        let keys = ["billingPeriodNumber", "totalBillingPeriods", "commitmentExpiresDate"]
        guard let info = field.mapping(keys) else { return }
        transaction.commitmentInfo = TransactionCommitmentInfo(
            billingPeriodNumber: info.optional("billingPeriodNumber")?.wholeNumber(1...100),
            totalBillingPeriods: info.optional("totalBillingPeriods")?.wholeNumber(1...100),
            commitmentExpiresDate: info.optional("commitmentExpiresDate")?.caseInstant())
    }

    private func readOffer(_ mapping: Mapping, _ transaction: inout Transaction) {
        transaction.offerType = mapping.number("offerType")
        transaction.offerIdentifier = mapping.word("offerIdentifier")
        transaction.offerDiscountType = mapping.word("offerDiscountType")
        transaction.offerPeriod = mapping.optional("offerPeriod")?.text()
    }

    private func readRevocation(_ mapping: Mapping, _ transaction: inout Transaction) {
        transaction.revocationDate = mapping.optional("revocationDate")?.caseInstant()
        // Unless it says otherwise, a revocation is a refund.
        transaction.revocationReason =
            switch mapping.expected("revocationReason", { $0.wholeNumber(0...100) }) {
            case nil: transaction.revocationDate == nil || mapping.has("revocationType") ? nil : 0
            case .nothing: nil
            case .value(let reason): reason
            }
        transaction.revocationType = mapping.word("revocationType")
        transaction.revocationPercentage = mapping.optional("revocationPercentage")?.wholeNumber(0...100_000)
            .map(Int64.init)
    }
}

/// Reads renewal info of a case; nothing in it is made up but the product.
struct CaseRenewalInfoReader {
    private static let keys = [
        "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus", "expirationIntent",
        "isInBillingRetryPeriod", "gracePeriodExpiresDate", "offerType", "offerIdentifier", "offerDiscountType",
        "priceIncreaseStatus", "renewalPrice", "currency",
        "renewalDate", "recentSubscriptionStartDate", "eligibleWinBackOfferIds", "commitmentInfo", "notifiedStatus",
        "signedDate", "provenance",
    ]

    let source: CaseOffers
    /// The history's provenance, which a row without one has.
    let usual: Provenance

    func read(_ field: Field) -> CaseRow<RenewalInfo>? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let id: TransactionId = mapping.required("originalTransactionId")?.id(.transactionId) ?? ""
        let signed = mapping.required("signedDate")?.caseInstant() ?? .unread
        let product = mapping.optional("productId")?.id(.productId) ?? source.usualProduct.productId
        var info = RenewalInfo(originalTransactionId: id, productId: product, signedDate: signed)
        readRenewal(mapping, &info)
        readOffers(mapping, &info)
        return CaseRow(info, provenance: mapping.provenance(usual))
    }

    private func readRenewal(_ mapping: Mapping, _ info: inout RenewalInfo) {
        info.autoRenewProductId = mapping.optional("autoRenewProductId")?.id(.productId) ?? info.productId
        info.autoRenewStatus = mapping.number("autoRenewStatus")
        info.expirationIntent = mapping.number("expirationIntent")
        info.priceIncreaseStatus = mapping.number("priceIncreaseStatus")
        info.isInBillingRetryPeriod = mapping.optional("isInBillingRetryPeriod")?.boolean()
        info.gracePeriodExpiresDate = mapping.optional("gracePeriodExpiresDate")?.caseInstant()
        info.renewalPrice = mapping.optional("renewalPrice")?.wholeNumber(0...1_000_000_000).map(Int64.init)
        info.currency = mapping.optional("currency")?.currency()
        info.notifiedStatus = mapping.number("notifiedStatus")
        info.renewalDate = mapping.optional("renewalDate")?.caseInstant()
        info.recentSubscriptionStartDate = mapping.optional("recentSubscriptionStartDate")?.caseInstant()
        guard let field = mapping.optional("commitmentInfo") else { return }
        guard let commitment = field.mapping(["commitmentAutoRenewStatus", "commitmentRenewalDate"]) else { return }
        info.commitmentInfo = RenewalCommitmentInfo(
            commitmentAutoRenewStatus: commitment.number("commitmentAutoRenewStatus"),
            commitmentRenewalDate: commitment.optional("commitmentRenewalDate")?.caseInstant())
    }

    private func readOffers(_ mapping: Mapping, _ info: inout RenewalInfo) {
        info.offerType = mapping.number("offerType")
        info.offerIdentifier = mapping.word("offerIdentifier")
        info.offerDiscountType = mapping.word("offerDiscountType")
        info.eligibleWinBackOfferIds = mapping.optional("eligibleWinBackOfferIds")?.list(allowsEmpty: true)?
            .compactMap { $0.text().map { OfferIdentifier($0) } }
    }
}

extension Instant {
    /// A placeholder for a date that could not be read: the reader goes on and finds the other errors of the file.
    static let unread = Instant(milliseconds: 0)
}

extension Mapping {
    fileprivate func provenance(_ usual: Provenance) -> Provenance {
        optional("provenance")?.choice(Provenance.self) ?? usual
    }
}

/// Apple's lists of words and numbers, which are open: any value may be one of them.
extension Mapping {
    fileprivate func word<Word: RawRepresentable<String>>(_ key: String) -> Word? {
        optional(key)?.text().flatMap { Word(rawValue: $0) }
    }

    fileprivate func number<Number: RawRepresentable<Int>>(_ key: String) -> Number? {
        optional(key)?.wholeNumber(0...100).flatMap { Number(rawValue: $0) }
    }
}
