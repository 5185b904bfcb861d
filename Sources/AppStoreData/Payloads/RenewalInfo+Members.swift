import OfferModel
import OfferSigning

// Apple: App Store Server API, JWSRenewalInfoDecodedPayload.
extension RenewalInfo: PayloadReadable {
    static var kind: PayloadKind { .renewalInfo }

    init(members: PayloadMembers) throws(SignedDataRefusal) {
        self.init(
            originalTransactionId: try members.requiredIdentifier("originalTransactionId"),
            productId: try members.requiredIdentifier("productId"),
            signedDate: try members.signingDate())
        autoRenewProductId = try members.identifier("autoRenewProductId")
        autoRenewStatus = try members.open("autoRenewStatus")
        expirationIntent = try members.open("expirationIntent")
        isInBillingRetryPeriod = try members.bool("isInBillingRetryPeriod")
        gracePeriodExpiresDate = try members.date("gracePeriodExpiresDate")
        priceIncreaseStatus = try members.open("priceIncreaseStatus")
        offerType = try members.open("offerType")
        offerIdentifier = try members.identifier("offerIdentifier")
        offerDiscountType = try members.open("offerDiscountType")
        offerPeriod = try members.string("offerPeriod")
        renewalDate = try members.date("renewalDate")
        renewalPrice = try members.integer("renewalPrice")
        currency = try members.string("currency")
        recentSubscriptionStartDate = try members.date("recentSubscriptionStartDate")
        eligibleWinBackOfferIds = try members.identifiers("eligibleWinBackOfferIds")
        appAccountToken = try members.uuid("appAccountToken")
        appTransactionId = try members.identifier("appTransactionId")
        renewalBillingPlanType = try members.open("renewalBillingPlanType")
        if let commitment = try members.object("commitmentInfo") {
            commitmentInfo = RenewalCommitmentInfo(
                commitmentAutoRenewProductId: try commitment.identifier("commitmentAutoRenewProductId"),
                commitmentAutoRenewStatus: try commitment.open("commitmentAutoRenewStatus"),
                commitmentRenewalBillingPlanType: try commitment.open("commitmentRenewalBillingPlanType"),
                commitmentRenewalDate: try commitment.date("commitmentRenewalDate"),
                commitmentRenewalPrice: try commitment.integer("commitmentRenewalPrice"))
        }
        environment = try members.string("environment")
    }
}
