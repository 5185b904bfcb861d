import OfferModel

/// Reads a transaction of a case: unless it says otherwise, one period of the first product at its regular price, bought
/// by the customer and signed a second after the purchase.
struct CaseTransactionReader {
    private static let keys = [
        "transactionId", "originalTransactionId", "productId", "subscriptionGroupIdentifier", "purchaseDate",
        "originalPurchaseDate", "expiresDate", "signedDate", "inAppOwnershipType", "revocationDate", "revocationType",
        "revocationPercentage", "isUpgraded", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
        "price", "currency", "storefront", "transactionReason", "commitmentInfo", "provenance",
    ]

    let source: CaseOffers

    func read(_ field: Field) -> CaseRow<Transaction>.Read? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let id = mapping.required("transactionId")?.text(.transactionId).map { TransactionId($0) }
        let purchased = mapping.required("purchaseDate")?.caseInstant()
        guard let id, let purchased else { return nil }
        let original = mapping.optional("originalTransactionId")?.text(.transactionId).map { TransactionId($0) }
        let productId = mapping.optional("productId")?.text(.productId).map { ProductId($0) }
        let product = productId ?? source.usualProduct.productId
        var transaction = Transaction(
            transactionId: id, originalTransactionId: original ?? id,
            bundleId: source.catalog?.bundleId ?? CaseWorld.bundleId, productId: product, purchaseDate: purchased,
            signedDate: mapping.optional("signedDate")?.caseInstant() ?? purchased.adding(milliseconds: 1_000))
        let regular = source.product(product) ?? source.usualProduct
        readPeriod(mapping, regular, &transaction)
        readPayment(mapping, regular, &transaction)
        readOffer(mapping, &transaction)
        readRevocation(mapping, &transaction)
        return CaseRow.Read(payload: transaction, provenance: mapping.optional("provenance")?.choice(Provenance.self))
    }

    private func readPeriod(_ mapping: Mapping, _ regular: Product, _ transaction: inout Transaction) {
        let group = mapping.expected("subscriptionGroupIdentifier") { $0.text(.groupId) }
        transaction.subscriptionGroupIdentifier =
            switch group {
            case nil: source.group(of: transaction.productId)
            case .nothing: nil
            case .value(let id): SubscriptionGroupId(id)
            }
        transaction.type = .autoRenewableSubscription
        transaction.expiresDate =
            mapping.optional("expiresDate")?.caseInstant() ?? transaction.purchaseDate.adding(regular.period)
        transaction.originalPurchaseDate = mapping.optional("originalPurchaseDate")?.caseInstant()
        transaction.inAppOwnershipType = InAppOwnershipType(
            rawValue: mapping.optional("inAppOwnershipType")?.text() ?? InAppOwnershipType.purchased.rawValue)
        transaction.isUpgraded = mapping.optional("isUpgraded")?.boolean() ?? false
        transaction.transactionReason = mapping.optional("transactionReason")?.text().map {
            TransactionReason(rawValue: $0)
        }
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
        guard let field = mapping.optional("commitmentInfo") else { return }
        let keys = ["billingPeriodNumber", "totalBillingPeriods", "commitmentExpiresDate"]
        guard let info = field.mapping(keys) else { return }
        transaction.commitmentInfo = TransactionCommitmentInfo(
            billingPeriodNumber: info.optional("billingPeriodNumber")?.wholeNumber(1...100),
            totalBillingPeriods: info.optional("totalBillingPeriods")?.wholeNumber(1...100),
            commitmentExpiresDate: info.optional("commitmentExpiresDate")?.caseInstant())
    }

    private func readOffer(_ mapping: Mapping, _ transaction: inout Transaction) {
        transaction.offerType = mapping.optional("offerType")?.wholeNumber(0...100).map {
            TransactionOfferType(rawValue: $0)
        }
        transaction.offerIdentifier = mapping.optional("offerIdentifier")?.text().map { OfferIdentifier($0) }
        transaction.offerDiscountType = mapping.optional("offerDiscountType")?.text().map {
            OfferDiscountType(rawValue: $0)
        }
        transaction.offerPeriod = mapping.optional("offerPeriod")?.text()
    }

    private func readRevocation(_ mapping: Mapping, _ transaction: inout Transaction) {
        transaction.revocationDate = mapping.optional("revocationDate")?.caseInstant()
        transaction.revocationType = mapping.optional("revocationType")?.text().map { RevocationType(rawValue: $0) }
        transaction.revocationPercentage = mapping.optional("revocationPercentage")?.wholeNumber(0...100_000)
            .map(Int64.init)
    }
}
