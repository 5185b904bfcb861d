import Foundation
import OfferEligibility
import OfferModel

/// Reads the history of a case: Apple's decoded payloads, in which what a case leaves out is made up.
///
/// A transaction is a month of `com.example.pro.monthly` at 9.99 USD, bought by the customer and signed a second after
/// the purchase; each row may name its `provenance`, else the history's, else `serverAPI`.
struct CaseHistory {
    let asOf: Instant

    func history(_ member: Member) throws -> History {
        try member.object { object in
            let provenance = try object["provenance"]?.oneOf(Provenance.self) ?? .serverAPI
            var history = History()
            history.transactions = try rows(object["transactions"], provenance, transaction)
            history.renewalInfos = try rows(object["renewalInfos"], provenance, renewalInfo)
            history.appTransactions = try rows(object["appTransactions"], provenance, appTransaction)
            if try object["complete"]?.boolean() == true {
                let stated = try object["completeAsOf"]?.instant() ?? asOf
                history.coverage = Coverage(level: .complete, asOf: stated, provenance: .caller)
            } else if !history.transactions.isEmpty {
                history.coverage = Coverage(level: .partial)
            }
            return history
        }
    }

    private func rows<Payload: Sendable & Hashable>(
        _ member: Member?, _ provenance: Provenance, _ read: (Members) throws -> Payload
    ) throws -> [Recorded<Payload>] {
        try (member?.list() ?? []).enumerated().map { index, row in
            try row.object { object in
                let own = try object["provenance"]?.oneOf(Provenance.self) ?? provenance
                let payload = try read(object)
                return Recorded(
                    payload: payload, payloadBytes: Array("\(payload)".utf8), provenance: own, sequence: Int64(index))
            }
        }
    }

    private func transaction(_ object: Members) throws -> Transaction {
        let id = TransactionId(try object.required("transactionId").text())
        let purchased = try object.required("purchaseDate").instant()
        var transaction = Transaction(
            transactionId: id,
            originalTransactionId: try object["originalTransactionId"].map { TransactionId(try $0.text()) } ?? id,
            bundleId: "com.example.pro",
            productId: ProductId(try object["productId"]?.text() ?? "com.example.pro.monthly"),
            purchaseDate: purchased,
            signedDate: try object["signedDate"]?.instant() ?? purchased.adding(milliseconds: 1_000))
        let group = object["subscriptionGroupIdentifier"]
        // Written as null it is absent.
        transaction.subscriptionGroupIdentifier =
            if let group, case .null = group.value { nil } else {
                SubscriptionGroupId(try group?.text() ?? "21500001")
            }
        transaction.expiresDate = try object["expiresDate"]?.instant() ?? purchased.adding(months: 1)
        transaction.type = .autoRenewableSubscription
        transaction.inAppOwnershipType = InAppOwnershipType(
            rawValue: try object["inAppOwnershipType"]?.text() ?? "PURCHASED")
        transaction.revocationDate = try object["revocationDate"]?.instant()
        transaction.revocationType = try object["revocationType"].map { RevocationType(rawValue: try $0.text()) }
        transaction.isUpgraded = try object["isUpgraded"]?.boolean() ?? false
        transaction.offerType = try object["offerType"].map { TransactionOfferType(rawValue: try $0.whole()) }
        transaction.offerIdentifier = try object["offerIdentifier"].map { OfferIdentifier(try $0.text()) }
        transaction.offerDiscountType = try object["offerDiscountType"].map {
            OfferDiscountType(rawValue: try $0.text())
        }
        transaction.offerPeriod = try object["offerPeriod"]?.text()
        let price = object["price"]
        // Written as null it is absent.
        transaction.price = if let price, case .null = price.value { nil } else { Int64(try price?.whole() ?? 9_990) }
        transaction.currency = try object["currency"]?.text() ?? "USD"
        transaction.storefront = try object["storefront"]?.text()
        transaction.originalPurchaseDate = try object["originalPurchaseDate"]?.instant()
        transaction.revocationPercentage = try object["revocationPercentage"].map { Int64(try $0.whole()) }
        transaction.transactionReason = try object["transactionReason"].map {
            TransactionReason(rawValue: try $0.text())
        }
        transaction.commitmentInfo = try object["commitmentInfo"]?.object { info in
            TransactionCommitmentInfo(
                billingPeriodNumber: try info["billingPeriodNumber"]?.whole(),
                totalBillingPeriods: try info["totalBillingPeriods"]?.whole(),
                commitmentExpiresDate: try info["commitmentExpiresDate"]?.instant())
        }
        return transaction
    }

    private func renewalInfo(_ object: Members) throws -> RenewalInfo {
        let product = ProductId(try object["productId"]?.text() ?? "com.example.pro.monthly")
        var info = RenewalInfo(
            originalTransactionId: TransactionId(try object.required("originalTransactionId").text()),
            productId: product, signedDate: try object.required("signedDate").instant())
        info.autoRenewProductId = try object["autoRenewProductId"].map { ProductId(try $0.text()) } ?? product
        info.autoRenewStatus = try object["autoRenewStatus"].map { AutoRenewStatus(rawValue: try $0.whole()) }
        info.expirationIntent = try object["expirationIntent"].map { ExpirationIntent(rawValue: try $0.whole()) }
        info.isInBillingRetryPeriod = try object["isInBillingRetryPeriod"]?.boolean()
        info.gracePeriodExpiresDate = try object["gracePeriodExpiresDate"]?.instant()
        info.offerType = try object["offerType"].map { TransactionOfferType(rawValue: try $0.whole()) }
        info.offerIdentifier = try object["offerIdentifier"].map { OfferIdentifier(try $0.text()) }
        info.offerDiscountType = try object["offerDiscountType"].map { OfferDiscountType(rawValue: try $0.text()) }
        info.renewalPrice = try object["renewalPrice"].map { Int64(try $0.whole()) }
        info.currency = try object["currency"]?.text()
        info.renewalDate = try object["renewalDate"]?.instant()
        info.recentSubscriptionStartDate = try object["recentSubscriptionStartDate"]?.instant()
        info.eligibleWinBackOfferIds = try object["eligibleWinBackOfferIds"]?.list().map {
            OfferIdentifier(try $0.text())
        }
        info.commitmentInfo = try object["commitmentInfo"]?.object { commitment in
            RenewalCommitmentInfo(
                commitmentAutoRenewStatus: try commitment["commitmentAutoRenewStatus"].map {
                    AutoRenewStatus(rawValue: try $0.whole())
                },
                commitmentRenewalDate: try commitment["commitmentRenewalDate"]?.instant())
        }
        return info
    }

    private func appTransaction(_ object: Members) throws -> AppTransaction {
        var app = AppTransaction(
            bundleId: "com.example.pro", receiptCreationDate: try object.required("receiptCreationDate").instant())
        app.appTransactionId = AppTransactionId(try object.required("appTransactionId").text())
        app.originalPurchaseDate = try object["originalPurchaseDate"]?.instant()
        return app
    }
}
