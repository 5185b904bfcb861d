import AppStoreData
import Foundation
import OfferModel
import OfferSigning
import OfferTestSupport
import Testing

@Suite struct PayloadTests {
    @Test("every field of a transaction is read")
    func transaction() throws {
        var expected = Transaction(
            transactionId: "2000000000000005", originalTransactionId: "2000000000000001", bundleId: "com.example.pro",
            productId: "com.example.pro.monthly", purchaseDate: Instant(milliseconds: 1_767_225_600_000),
            signedDate: Instant(milliseconds: 1_767_225_601_234))
        expected.webOrderLineItemId = "2000000000000099"
        expected.subscriptionGroupIdentifier = "21500001"
        expected.originalPurchaseDate = Instant(milliseconds: 1_764_547_200_000)
        expected.expiresDate = Instant(milliseconds: 1_769_904_000_000)
        expected.revocationDate = Instant(milliseconds: 1_768_000_000_000)
        expected.revocationReason = 1
        expected.revocationType = .refundProrated
        expected.revocationPercentage = 50_000
        expected.type = .autoRenewableSubscription
        expected.quantity = 1
        expected.multiSeatInfo = TransactionMultiSeatInfo {
            $0.revokedSeatQuantity = 2
        }
        expected.inAppOwnershipType = .familyShared
        expected.appAccountToken = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        expected.appTransactionId = "704000000000000001"
        expected.isUpgraded = true
        expected.offerType = .promotional
        expected.offerIdentifier = "comeback50"
        expected.offerDiscountType = .payAsYouGo
        expected.offerPeriod = "P3M"
        expected.price = 4_990
        expected.currency = "USD"
        expected.transactionReason = .renewal
        expected.storefront = "USA"
        expected.storefrontId = "143441"
        expected.billingPlanType = .monthly
        expected.commitmentInfo = TransactionCommitmentInfo {
            $0.billingPeriodNumber = 3
            $0.totalBillingPeriods = 12
            $0.commitmentExpiresDate = Instant(milliseconds: 1_796_083_200_000)
            $0.commitmentPrice = 59_880
        }
        expected.environment = "Sandbox"
        #expect(try Transaction(payload: Payloads.bytes(Payloads.transaction)) == expected)
    }

    @Test("every field of renewal info is read")
    func renewalInfo() throws {
        var expected = RenewalInfo(
            originalTransactionId: "2000000000000001", productId: "com.example.pro.monthly",
            signedDate: Instant(milliseconds: 1_770_000_000_001))
        expected.autoRenewProductId = "com.example.pro.yearly"
        expected.autoRenewStatus = .off
        expected.expirationIntent = .customerCancelled
        expected.isInBillingRetryPeriod = true
        expected.gracePeriodExpiresDate = Instant(milliseconds: 1_770_508_800_000)
        expected.priceIncreaseStatus = .consentedOrNotified
        expected.offerType = .winBack
        expected.offerIdentifier = "back_free_month"
        expected.offerDiscountType = .freeTrial
        expected.offerPeriod = "P1M"
        expected.renewalDate = Instant(milliseconds: 1_769_904_000_000)
        expected.renewalPrice = 9_990
        expected.renewalQuantity = 3
        expected.currency = "EUR"
        expected.recentSubscriptionStartDate = Instant(milliseconds: 1_764_547_200_000)
        expected.eligibleWinBackOfferIds = ["back_free_month", "back_half"]
        expected.appAccountToken = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
        expected.appTransactionId = "704000000000000001"
        expected.renewalBillingPlanType = .billedUpfront
        expected.commitmentInfo = RenewalCommitmentInfo {
            $0.commitmentAutoRenewProductId = "com.example.pro.monthly"
            $0.commitmentAutoRenewStatus = .off
            $0.commitmentRenewalBillingPlanType = .monthly
            $0.commitmentRenewalDate = Instant(milliseconds: 1_796_083_200_000)
            $0.commitmentRenewalPrice = 119_880
        }
        expected.environment = "Sandbox"
        #expect(try RenewalInfo(payload: Payloads.bytes(Payloads.renewalInfo)) == expected)
    }

    @Test("every field of an app transaction is read")
    func appTransaction() throws {
        var expected = AppTransaction(
            bundleId: "com.example.pro", receiptCreationDate: Instant(milliseconds: 1_767_225_601_234))
        expected.appAppleId = 1_234_567_890
        expected.appTransactionId = "704000000000000001"
        expected.originalPurchaseDate = Instant(milliseconds: 1_764_547_200_000)
        expected.originalApplicationVersion = "1.0"
        expected.applicationVersion = "2.4.1"
        expected.receiptType = "Sandbox"
        #expect(try AppTransaction(payload: Payloads.bytes(Payloads.appTransaction)) == expected)
    }

    @Test("Xcode's fractions of a millisecond are rounded down")
    func fractions() throws {
        let bytes = try Payloads.bytes(
            Payloads.transaction, set: ["signedDate": 1_697_679_936_049.7297, "expiresDate": 1_697_679_936_056.5])
        let transaction = try Transaction(payload: bytes)
        #expect(transaction.signedDate == Instant(milliseconds: 1_697_679_936_049))
        #expect(transaction.expiresDate == Instant(milliseconds: 1_697_679_936_056))
    }

    @Test("the first day of year 1, which Xcode writes for a date that it does not have, is no date")
    func noDate() throws {
        let bytes = try Payloads.bytes(Payloads.appTransaction, set: ["originalPurchaseDate": -62_135_769_600_000])
        #expect(try AppTransaction(payload: bytes).originalPurchaseDate == nil)
        let other = try Payloads.bytes(Payloads.appTransaction, set: ["originalPurchaseDate": -62_135_769_599_999])
        #expect(throws: SignedDataRefusal.self) { try AppTransaction(payload: other) }
    }

    @Test("values Apple added since are kept as they are")
    func unknownValues() throws {
        let transaction = try Transaction(
            payload: Payloads.bytes(
                Payloads.transaction,
                set: [
                    "type": "Lifetime", "inAppOwnershipType": "LENT", "offerType": 9, "offerDiscountType": "BARTER",
                    "transactionReason": "GIFT", "revocationType": "ASSIGNMENT_REVOKE", "revocationReason": 7,
                    "billingPlanType": "WEEKLY", "environment": "Moon",
                ]))
        #expect(transaction.type?.rawValue == "Lifetime")
        #expect(transaction.inAppOwnershipType?.rawValue == "LENT")
        #expect(transaction.offerType?.rawValue == 9)
        #expect(transaction.offerDiscountType?.rawValue == "BARTER")
        #expect(transaction.transactionReason?.rawValue == "GIFT")
        #expect(transaction.revocationType?.rawValue == "ASSIGNMENT_REVOKE")
        #expect(transaction.revocationReason == 7)
        #expect(transaction.billingPlanType?.rawValue == "WEEKLY")
        #expect(transaction.environment == "Moon")
        let info = try RenewalInfo(
            payload: Payloads.bytes(
                Payloads.renewalInfo,
                set: ["autoRenewStatus": 2, "expirationIntent": 6, "priceIncreaseStatus": 3, "offerType": 5]))
        #expect(info.autoRenewStatus?.rawValue == 2)
        #expect(info.expirationIntent?.rawValue == 6)
        #expect(info.priceIncreaseStatus?.rawValue == 3)
        #expect(info.offerType?.rawValue == 5)
    }

    @Test("a transaction with only its required fields is read, the rest absent")
    func minimal() throws {
        let text = """
            {"transactionId":"5","originalTransactionId":"1","bundleId":"b","productId":"p","purchaseDate":1000,\
            "signedDate":2000,"appTransactionId":null}
            """
        let expected = Transaction(
            transactionId: "5", originalTransactionId: "1", bundleId: "b", productId: "p",
            purchaseDate: Instant(milliseconds: 1_000), signedDate: Instant(milliseconds: 2_000))
        #expect(try Transaction(payload: Array(text.utf8)) == expected)
    }

    @Test("an account token that is no UUID is dropped, not fatal")
    func badAccountToken() throws {
        let bytes = try Payloads.bytes(Payloads.transaction, set: ["appAccountToken": "user-42"])
        #expect(try Transaction(payload: bytes).appAccountToken == nil)
    }

    @Test("an empty app transaction id counts as absent, so it joins nobody")
    func emptyIdentifier() throws {
        let bytes = try Payloads.bytes(Payloads.transaction, set: ["appTransactionId": ""])
        #expect(try Transaction(payload: bytes).appTransactionId == nil)
    }

    @Test("an empty list of win-back offers is not an absent one")
    func emptyWinBack() throws {
        let empty = try Payloads.bytes(Payloads.renewalInfo, set: ["eligibleWinBackOfferIds": [String]()])
        let absent = try Payloads.bytes(Payloads.renewalInfo, set: ["eligibleWinBackOfferIds": NSNull()])
        #expect(try RenewalInfo(payload: empty).eligibleWinBackOfferIds == [])
        #expect(try RenewalInfo(payload: absent).eligibleWinBackOfferIds == nil)
    }
}
