import AppStoreData
import OfferModel
import OfferTestSupport
import Testing

@Suite("The text of unsigned payloads")
struct PayloadTextTests {
    private struct Choice {
        var generator: SeededGenerator

        mutating func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
            Bool.random(using: &generator) ? value() : nil
        }

        mutating func text() -> String {
            ["a", "é\u{301}\"\\/", "com.example.pro", "日本 <>&", "1234567890123456"].randomElement(using: &generator)
                ?? ""
        }

        mutating func date() -> Instant {
            Instant(milliseconds: Int64.random(in: 1_300_000_000_000...1_900_000_000_000, using: &generator))
        }

        mutating func number() -> Int64 { Int64.random(in: InputBounds.integers, using: &generator) }

        mutating func transaction() -> Transaction {
            var value = Transaction(
                transactionId: TransactionId(text()), originalTransactionId: TransactionId(text()),
                bundleId: BundleId(text()), productId: ProductId(text()), purchaseDate: date(), signedDate: date())
            value.webOrderLineItemId = maybe("12")
            value.subscriptionGroupIdentifier = maybe("21500001")
            value.originalPurchaseDate = maybe(Instant(milliseconds: 1))
            value.expiresDate = maybe(Instant(milliseconds: 2))
            value.revocationDate = maybe(Instant(milliseconds: 3))
            value.revocationReason = maybe(1)
            value.revocationType = maybe(.refundProrated)
            value.revocationPercentage = maybe(50_000)
            value.type = maybe(.autoRenewableSubscription)
            value.quantity = maybe(2)
            value.multiSeatInfo = maybe(
                TransactionMultiSeatInfo {
                    $0.revokedSeatQuantity = 1
                })
            value.inAppOwnershipType = maybe(.familyShared)
            value.appAccountToken = maybe(AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")) ?? nil
            value.appTransactionId = maybe("account")
            value.isUpgraded = Bool.random(using: &generator)
            value.offerType = maybe(TransactionOfferType(rawValue: 77))
            value.offerIdentifier = maybe("half50")
            value.offerDiscountType = maybe(.payUpFront)
            value.offerPeriod = maybe("P3M")
            let price = number()
            value.price = maybe(price)
            value.currency = maybe("EUR")
            value.transactionReason = maybe(.renewal)
            value.storefront = maybe("DEU")
            value.storefrontId = maybe("143443")
            value.billingPlanType = maybe(.monthly)
            value.commitmentInfo = maybe(
                TransactionCommitmentInfo {
                    $0.billingPeriodNumber = 3
                    $0.totalBillingPeriods = 12
                    $0.commitmentExpiresDate = Instant(milliseconds: 9)
                    $0.commitmentPrice = 99
                })
            value.environment = maybe("Sandbox")
            return value
        }

        mutating func renewalInfo() -> RenewalInfo {
            var value = RenewalInfo(
                originalTransactionId: TransactionId(text()), productId: ProductId(text()), signedDate: date())
            value.autoRenewProductId = maybe("com.example.pro.yearly")
            value.autoRenewStatus = value.autoRenewProductId == nil ? .off : maybe(.on)
            value.expirationIntent = maybe(.billingError)
            value.isInBillingRetryPeriod = maybe(true)
            value.gracePeriodExpiresDate = maybe(Instant(milliseconds: 4))
            value.priceIncreaseStatus = maybe(.notResponded)
            value.offerType = maybe(.winBack)
            value.offerIdentifier = maybe("back")
            value.offerDiscountType = maybe(.freeTrial)
            value.offerPeriod = maybe("P1M")
            value.renewalDate = maybe(Instant(milliseconds: 5))
            value.renewalPrice = maybe(0)
            value.renewalQuantity = maybe(4)
            value.currency = maybe("USD")
            value.recentSubscriptionStartDate = maybe(Instant(milliseconds: 6))
            value.eligibleWinBackOfferIds = maybe(["one", "t\"wo"]) ?? maybe([])
            value.appAccountToken = maybe(AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")) ?? nil
            value.appTransactionId = maybe("account")
            value.renewalBillingPlanType = maybe(.billedUpfront)
            value.commitmentInfo = maybe(
                RenewalCommitmentInfo {
                    $0.commitmentAutoRenewProductId = "p"
                    $0.commitmentAutoRenewStatus = .off
                    $0.commitmentRenewalBillingPlanType = .monthly
                    $0.commitmentRenewalDate = Instant(milliseconds: 7)
                    $0.commitmentRenewalPrice = 8
                })
            value.environment = maybe("Production")
            return value
        }

        mutating func appTransaction() -> AppTransaction {
            var value = AppTransaction(bundleId: BundleId(text()), receiptCreationDate: date())
            value.appAppleId = maybe(1_234_567_890)
            value.appTransactionId = maybe("account")
            value.originalPurchaseDate = maybe(Instant(milliseconds: 1))
            value.originalApplicationVersion = maybe("1.0")
            value.applicationVersion = maybe("2.1")
            value.receiptType = maybe("Production")
            return value
        }
    }

    /// The places of those that another program would write otherwise: sorted members, no spaces, nothing escaped that
    /// need not be.
    private func misspelt(_ texts: [[UInt8]]) throws -> String {
        let judge = """
            import json, sys
            for place, line in enumerate(sys.stdin.buffer.read().decode().splitlines()):
                same = json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                if same != line: print(place, line)
            """
        let run = try Command.run(
            "python3", ["-X", "utf8", "-c", judge], input: Array(texts.joined(separator: [0x0A])))
        return run.text + run.errorText
    }

    @Test("is read back to the same value, and is one text for one value (invariant 7)")
    func roundTrip() throws {
        var choice = Choice(generator: SeededGenerator(seed: 10))
        var texts: [[UInt8]] = []
        for round in 0..<300 {
            let transaction = choice.transaction()
            #expect(try Transaction(payload: transaction.payloadText) == transaction, "seed 10, round \(round)")
            let info = choice.renewalInfo()
            #expect(try RenewalInfo(payload: info.payloadText) == info, "seed 10, round \(round)")
            let app = choice.appTransaction()
            #expect(try AppTransaction(payload: app.payloadText) == app, "seed 10, round \(round)")
            texts += [transaction.payloadText, info.payloadText, app.payloadText]
        }
        #expect(try misspelt(texts) == "")
    }
}
