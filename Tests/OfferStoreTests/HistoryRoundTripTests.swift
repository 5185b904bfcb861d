import OfferModel
import OfferStore
import OfferTestSupport
import Testing

@Suite("History comes back as it was stored")
struct HistoryRoundTripTests {
    static func fullTransaction() -> Transaction {
        var transaction = Transaction(
            transactionId: "2000", originalTransactionId: "1000", bundleId: "com.example.pro",
            productId: "com.example.pro.yearly", purchaseDate: Instant(milliseconds: 1),
            signedDate: Instant(milliseconds: 2))
        transaction.webOrderLineItemId = "web-1"
        transaction.subscriptionGroupIdentifier = "21500001"
        transaction.originalPurchaseDate = Instant(milliseconds: 3)
        transaction.expiresDate = Instant(milliseconds: 4)
        transaction.revocationDate = Instant(milliseconds: 5)
        transaction.revocationReason = 6
        transaction.revocationType = RevocationType(rawValue: "SOMETHING_NEW")
        transaction.revocationPercentage = 50_000
        transaction.type = .autoRenewableSubscription
        transaction.quantity = 7
        transaction.multiSeatInfo = TransactionMultiSeatInfo {
            $0.revokedSeatQuantity = 12
        }
        transaction.inAppOwnershipType = .familyShared
        transaction.appAccountToken = .number(8)
        transaction.appTransactionId = "71000"
        transaction.isUpgraded = true
        transaction.offerType = TransactionOfferType(rawValue: 99)
        transaction.offerIdentifier = "e\u{301}t\u{e9}"
        transaction.offerDiscountType = .payAsYouGo
        transaction.offerPeriod = "P1M"
        transaction.price = -9_990
        transaction.currency = "EUR"
        transaction.transactionReason = .renewal
        transaction.storefront = "DEU"
        transaction.storefrontId = "143443"
        transaction.billingPlanType = .monthly
        transaction.commitmentInfo = TransactionCommitmentInfo {
            $0.billingPeriodNumber = 10
            $0.totalBillingPeriods = 12
            $0.commitmentExpiresDate = Instant(milliseconds: 11)
            $0.commitmentPrice = 119_880
        }
        transaction.environment = "Sandbox"
        return transaction
    }

    static func fullRenewalInfo() -> RenewalInfo {
        var info = RenewalInfo(
            originalTransactionId: "1000", productId: "com.example.pro.yearly", signedDate: Instant(milliseconds: 20))
        info.autoRenewProductId = "com.example.pro.monthly"
        info.autoRenewStatus = .off
        info.expirationIntent = ExpirationIntent(rawValue: 42)
        info.isInBillingRetryPeriod = true
        info.gracePeriodExpiresDate = Instant(milliseconds: 21)
        info.priceIncreaseStatus = .consentedOrNotified
        info.offerType = .winBack
        info.offerIdentifier = "back"
        info.offerDiscountType = .payUpFront
        info.offerPeriod = "P3M"
        info.renewalDate = Instant(milliseconds: 22)
        info.renewalPrice = 4_990
        info.renewalQuantity = 27
        info.currency = "USD"
        info.recentSubscriptionStartDate = Instant(milliseconds: 23)
        info.eligibleWinBackOfferIds = ["a,b", "c\"\n", "", "\\u0041/\\", "\u{0}\u{1F}\u{7F}\u{2028}e\u{301}\u{1F44D}"]
        info.appAccountToken = .number(24)
        info.appTransactionId = "71000"
        info.renewalBillingPlanType = .billedUpfront
        info.commitmentInfo = RenewalCommitmentInfo {
            $0.commitmentAutoRenewProductId = "com.example.pro.monthly"
            $0.commitmentAutoRenewStatus = .on
            $0.commitmentRenewalBillingPlanType = .monthly
            $0.commitmentRenewalDate = Instant(milliseconds: 25)
            $0.commitmentRenewalPrice = 26
        }
        info.environment = "Sandbox"
        info.notifiedStatus = .billingGracePeriod
        return info
    }

    static func fullAppTransaction() -> AppTransaction {
        var transaction = AppTransaction(
            bundleId: "com.example.pro", receiptCreationDate: Instant(milliseconds: 30))
        transaction.appAppleId = 1_234_567_890
        transaction.appTransactionId = "71000"
        transaction.originalPurchaseDate = Instant(milliseconds: 31)
        transaction.originalApplicationVersion = "1.0"
        transaction.applicationVersion = "2.0"
        transaction.receiptType = "Sandbox"
        return transaction
    }

    @Test("every field and the exact bytes of a full payload come back", arguments: Driver.allCases)
    func full(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let bytes: [UInt8] = [0, 255, 1, 0]
        let results = try await bench.ingest([
            HistoryPayload(.transaction(Self.fullTransaction()), bytes: bytes, provenance: .notification),
            HistoryPayload(.renewalInfo(Self.fullRenewalInfo()), bytes: [], provenance: .serverAPI),
            HistoryPayload(.appTransaction(Self.fullAppTransaction()), bytes: [1], provenance: .client),
        ])
        #expect(results.map(\.outcome) == [.added, .added, .added])
        let customers = Set(results.map(\.customer))
        #expect(customers.count == 1)
        let history = try await bench.database.read {
            try HistoryStore($0).history(of: customers.compactMap { $0 })
        }
        #expect(history.transactions.map(\.payload) == [Self.fullTransaction()])
        #expect(try await bench.bytes(of: history.transactions) == [bytes])
        #expect(history.transactions.map(\.provenance) == [.notification])
        #expect(history.renewalInfos.map(\.payload) == [Self.fullRenewalInfo()])
        #expect(try await bench.bytes(of: history.renewalInfos) == [[]])
        #expect(history.appTransactions.map(\.payload) == [Self.fullAppTransaction()])
        let sequences =
            history.transactions.map(\.sequence) + history.renewalInfos.map(\.sequence)
            + history.appTransactions.map(\.sequence)
        #expect(sequences == sequences.sorted() && Set(sequences).count == 3)
    }

    @Test("absent fields come back absent, and an empty list is not an absent one", arguments: Driver.allCases)
    func sparse(driver: Driver) async throws {
        let bench = try await Bench(driver)
        let transaction = Transaction(
            transactionId: "1", originalTransactionId: "1", bundleId: "b", productId: "p",
            purchaseDate: Instant(milliseconds: -5), signedDate: Instant(milliseconds: 0))
        var withEmptyList = RenewalInfo(
            originalTransactionId: "1", productId: "p", signedDate: Instant(milliseconds: 1))
        withEmptyList.eligibleWinBackOfferIds = []
        var other = transaction
        withEmptyList.commitmentInfo = RenewalCommitmentInfo()
        other.multiSeatInfo = TransactionMultiSeatInfo()
        let bare = RenewalInfo(originalTransactionId: "2", productId: "p", signedDate: Instant(milliseconds: 2))
        (other.transactionId, other.originalTransactionId) = ("2", "2")
        let results = try await bench.ingest([
            HistoryPayload(.transaction(transaction), bytes: [1], provenance: .client),
            HistoryPayload(.transaction(other), bytes: [4], provenance: .client),
            HistoryPayload(.renewalInfo(withEmptyList), bytes: [2], provenance: .client),
            HistoryPayload(.renewalInfo(bare), bytes: [3], provenance: .client),
        ])
        let history = try await bench.database.read {
            try HistoryStore($0).history(of: Set(results.compactMap(\.customer)).sorted())
        }
        #expect(history.transactions.map(\.payload) == [transaction, other])
        #expect(history.renewalInfos.map(\.payload) == [withEmptyList, bare])
    }
}
