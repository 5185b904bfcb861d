import OfferModel

/// Reads renewal info of a case; nothing in it is made up but the product.
struct CaseRenewalInfoReader {
    private static let keys = [
        "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus", "expirationIntent",
        "isInBillingRetryPeriod", "gracePeriodExpiresDate", "offerType", "offerIdentifier", "offerDiscountType",
        "renewalPrice", "currency",
        "renewalDate", "recentSubscriptionStartDate", "eligibleWinBackOfferIds", "commitmentInfo", "signedDate",
        "provenance",
    ]

    let source: CaseOffers

    func read(_ field: Field) -> CaseRow<RenewalInfo>.Read? {
        guard let mapping = field.mapping(Self.keys) else { return nil }
        let id = mapping.required("originalTransactionId")?.text(.transactionId)
        let signed = mapping.required("signedDate")?.caseInstant()
        guard let id, let signed else { return nil }
        let product = mapping.optional("productId")?.text(.productId).map { ProductId($0) }
        var info = RenewalInfo(
            originalTransactionId: TransactionId(id), productId: product ?? source.usualProduct.productId,
            signedDate: signed)
        readRenewal(mapping, &info)
        readOffers(mapping, &info)
        return CaseRow.Read(payload: info, provenance: mapping.optional("provenance")?.choice(Provenance.self))
    }

    private func readRenewal(_ mapping: Mapping, _ info: inout RenewalInfo) {
        let next = mapping.optional("autoRenewProductId")?.text(.productId).map { ProductId($0) }
        info.autoRenewProductId = next ?? info.productId
        info.autoRenewStatus = status(mapping.optional("autoRenewStatus"))
        info.expirationIntent = mapping.optional("expirationIntent")?.wholeNumber(0...100).map {
            ExpirationIntent(rawValue: $0)
        }
        info.isInBillingRetryPeriod = mapping.optional("isInBillingRetryPeriod")?.boolean()
        info.gracePeriodExpiresDate = mapping.optional("gracePeriodExpiresDate")?.caseInstant()
        info.renewalPrice = mapping.optional("renewalPrice")?.wholeNumber(0...1_000_000_000).map(Int64.init)
        info.currency = mapping.optional("currency")?.currency()
        info.renewalDate = mapping.optional("renewalDate")?.caseInstant()
        info.recentSubscriptionStartDate = mapping.optional("recentSubscriptionStartDate")?.caseInstant()
        guard let field = mapping.optional("commitmentInfo") else { return }
        guard let commitment = field.mapping(["commitmentAutoRenewStatus", "commitmentRenewalDate"]) else { return }
        info.commitmentInfo = RenewalCommitmentInfo(
            commitmentAutoRenewStatus: status(commitment.optional("commitmentAutoRenewStatus")),
            commitmentRenewalDate: commitment.optional("commitmentRenewalDate")?.caseInstant())
    }

    private func readOffers(_ mapping: Mapping, _ info: inout RenewalInfo) {
        info.offerType = mapping.optional("offerType")?.wholeNumber(0...100).map { TransactionOfferType(rawValue: $0) }
        info.offerIdentifier = mapping.optional("offerIdentifier")?.text().map { OfferIdentifier($0) }
        info.offerDiscountType = mapping.optional("offerDiscountType")?.text().map { OfferDiscountType(rawValue: $0) }
        info.eligibleWinBackOfferIds = mapping.optional("eligibleWinBackOfferIds")?.list(allowsEmpty: true)?
            .compactMap { $0.text().map { OfferIdentifier($0) } }
    }

    private func status(_ field: Field?) -> AutoRenewStatus? {
        field?.wholeNumber(0...100).map { AutoRenewStatus(rawValue: $0) }
    }
}
