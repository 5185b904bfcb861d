import OfferModel
import OfferSigning

// Apple: App Store Server API, JWSTransactionDecodedPayload.
extension Transaction: PayloadReadable {
    static var kind: PayloadKind { .transaction }

    init(members: PayloadMembers) throws(SignedDataRefusal) {
        self.init(
            transactionId: try members.requiredIdentifier("transactionId"),
            originalTransactionId: try members.requiredIdentifier("originalTransactionId"),
            bundleId: try members.requiredIdentifier("bundleId"),
            productId: try members.requiredIdentifier("productId"),
            purchaseDate: try members.requiredDate("purchaseDate"),
            signedDate: try members.signingDate())
        webOrderLineItemId = try members.string("webOrderLineItemId")
        subscriptionGroupIdentifier = try members.identifier("subscriptionGroupIdentifier")
        originalPurchaseDate = try members.date("originalPurchaseDate")
        expiresDate = try members.date("expiresDate")
        revocationDate = try members.date("revocationDate")
        revocationReason = try members.integer("revocationReason")
        revocationType = try members.open("revocationType")
        revocationPercentage = try members.integer("revocationPercentage")
        type = try members.open("type")
        quantity = try members.integer("quantity")
        inAppOwnershipType = try members.open("inAppOwnershipType")
        appAccountToken = try members.uuid("appAccountToken")
        appTransactionId = try members.identifier("appTransactionId")
        isUpgraded = try members.bool("isUpgraded") ?? false
        offerType = try members.open("offerType")
        offerIdentifier = try members.identifier("offerIdentifier")
        offerDiscountType = try members.open("offerDiscountType")
        offerPeriod = try members.string("offerPeriod")
        price = try members.integer("price")
        currency = try members.string("currency")
        transactionReason = try members.open("transactionReason")
        storefront = try members.string("storefront")
        storefrontId = try members.string("storefrontId")
        billingPlanType = try members.open("billingPlanType")
        if let commitment = try members.object("commitmentInfo") {
            commitmentInfo = TransactionCommitmentInfo(
                billingPeriodNumber: try commitment.integer("billingPeriodNumber"),
                totalBillingPeriods: try commitment.integer("totalBillingPeriods"),
                commitmentExpiresDate: try commitment.date("commitmentExpiresDate"),
                commitmentPrice: try commitment.integer("commitmentPrice"))
        }
        environment = try members.string("environment")
    }
}
