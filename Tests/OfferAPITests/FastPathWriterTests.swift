import Foundation
import OfferModel
import OfferTestSupport
import Testing

@testable import OfferAPI

@Suite("Answers that write themselves")
struct FastPathWriterTests {
    private static let texts = [
        "", "plain", "com.example.pro.monthly", #"a"b\c/d"#, "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}\u{80}", "é☃𝄞",
        "line\u{2028}end", "e30.eyJ9.AQI-_",
    ]

    private static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func check(_ value: some Encodable & FastPathWritable, _ seed: UInt64) throws {
        #expect(value.hasFastPath)
        #expect(String(decoding: try WireJSON.encode(value), as: UTF8.self) == (try encoded(value)), "seed \(seed)")
    }

    @Test("every one is byte for byte what an encoder writes")
    func same() throws {
        var random = SeededGenerator(seed: 350_002)
        let seed = random.seed
        func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
        func flag() -> Bool { Bool.random(using: &random) }
        func number() -> Int64 { Int64.random(in: -1_000...2_000_000_000_000, using: &random) }
        func uuid() -> LowercaseUUID {
            LowercaseUUID(version4From: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        func point() -> TurningPointBody? {
            flag()
                ? TurningPointBody(at: Instant(milliseconds: number())) : flag() ? TurningPointBody(event: text()) : nil
        }
        func instant() -> Instant? { flag() ? Instant(milliseconds: number()) : nil }
        func group() -> GroupStatus {
            var group = GroupStatus(of: SubscriptionGroupId(text()), state: text(), hasAccess: flag())
            group.productId = flag() ? ProductId(text()) : nil
            group.originalTransactionId = flag() ? TransactionId(text()) : nil
            (group.startedAt, group.purchasedAt, group.expiresAt) = (instant(), instant(), instant())
            (group.gracePeriodExpiresAt, group.cancelBy) = (instant(), instant())
            (group.isTrial, group.isFreeTrial) = (flag() ? flag() : nil, flag() ? flag() : nil)
            (group.trialStartedAt, group.trialEndsAt) = (instant(), instant())
            (group.willAutoRenew, group.daysLeft) = (flag() ? flag() : nil, flag() ? Int(number()) : nil)
            group.pendingProductId = flag() ? ProductId(text()) : nil
            group.renewalPrice = flag() ? Price(Money(milliunits: number(), currency: text())) : nil
            group.nextChange = point()
            return group
        }
        func ignored() -> [IgnoredData]? {
            flag() ? [IgnoredData(pointer: "/signedRenewalInfo/1", reason: text())] : nil
        }
        func status() -> CustomerStatus {
            var status = CustomerStatus(
                customer: CustomerIdentifiers(
                    originalTransactionId: flag() ? TransactionId(text()) : nil,
                    appTransactionId: flag() ? AppTransactionId(text()) : nil, appAccountToken: flag() ? uuid() : nil,
                    customerId: flag() ? CustomerId(text()) : nil), known: flag(),
                coverage: CoverageBody(level: text(), asOf: instant(), provenance: flag() ? .client : nil),
                groups: flag() ? [group(), group()] : [],
                products: flag()
                    ? [
                        ProductStatus(
                            productId: ProductId(text()), type: .consumable, owned: flag(), purchasedAt: instant(),
                            revokedAt: instant())
                    ] : [], asOf: Instant(milliseconds: number()))
            status.appleAccounts = flag() ? 2 : nil
            status.error = flag() ? StatusError(.ambiguousCustomer, text()) : nil
            return status
        }
        for _ in 0..<300 {
            try Self.check(StatusBody(items: flag() ? [status(), status()] : [], ignored: ignored()), seed)
            var issued = IssuedOfferView(
                issuedOfferId: uuid(), decisionId: uuid(), offerId: OfferId(text()),
                offerType: OfferType.allCases.randomElement(using: &random) ?? .promotional,
                delivery: Delivery.allCases.randomElement(using: &random) ?? .signature,
                offerIdentifier: flag() ? OfferIdentifier(text()) : nil, productId: ProductId(text()),
                bundleId: BundleId(text()),
                environment: AppStoreEnvironment.allCases.randomElement(using: &random) ?? .sandbox,
                keyId: flag() ? KeyId(text()) : nil, state: flag() ? .open : .voided,
                issuedAt: Instant(milliseconds: number()), expiresAt: Instant(milliseconds: number()),
                catalogRevision: Int(number()),
                signatures: SignaturesBody(
                    v1: flag()
                        ? SignatureV1Body(
                            keyId: KeyId(text()), nonce: uuid(), timestamp: Instant(milliseconds: number()),
                            signature: text(), appAccountToken: text()) : nil,
                    v2: flag() ? SignatureV2Body(jws: text()) : nil,
                    introductoryEligibility: flag()
                        ? IntroductoryEligibilityBody(jws: text(), allowIntroductoryOffer: flag()) : nil),
                voidedAt: flag() ? Instant(milliseconds: number()) : nil, voidReason: flag() ? text() : nil,
                released: flag() ? flag() : nil)
            issued.ignored = ignored()
            try Self.check(issued, seed)
            try Self.check(
                IngestReport(
                    customers: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                        var known = KnownIdentifiers(
                            originalTransactionIds: flag() ? [TransactionId(text()), TransactionId(text())] : [],
                            appTransactionId: flag() ? AppTransactionId(text()) : nil,
                            appAccountTokens: flag() ? [uuid()] : [], customerIds: flag() ? [CustomerId(text())] : [])
                        known.status = flag() ? status() : nil
                        return known
                    },
                    ignored: ignored(),
                    results: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                        IngestResult(
                            pointer: text(), outcome: flag() ? .added : .refused, code: flag() ? text() : nil,
                            detail: flag() ? text() : nil, hint: flag() ? text() : nil)
                    }), seed)
            try Self.check(
                DecisionsBody(
                    decisions: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                        DecisionBody(
                            offerId: OfferId(text()), outcome: text(),
                            delivery: flag() ? .signature : .appStore, priority: Int(number()),
                            billingPlan: flag() ? text() : nil, turningPoint: point(),
                            explanation: flag() ? ExplanationBody(customerAnswer: text()) : nil,
                            findings: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                                FindingBody(rule: text(), verdict: text(), reason: text(), turningPoint: point())
                            })
                    }, best: flag() ? OfferId(text()) : nil, bestReason: flag() ? text() : nil, ignored: ignored(),
                    known: flag() ? flag() : nil), seed)
        }
    }

    @Test("no answer has members that its own writing does not know of")
    func complete() {
        let uuid = LowercaseUUID(version4From: [UInt8](repeating: 0, count: 16))
        let at = Instant(milliseconds: 0)
        func count(_ value: Any) -> Int { Mirror(reflecting: value).children.count }
        let signatures = SignaturesBody()
        #expect(
            count(
                IssuedOfferView(
                    issuedOfferId: uuid, decisionId: uuid, offerId: "", offerType: .promotional, delivery: .signature,
                    offerIdentifier: nil, productId: "", bundleId: "", environment: .sandbox, keyId: nil, state: .open,
                    issuedAt: at, expiresAt: at, catalogRevision: 0, signatures: signatures)) == 19)
        #expect(count(signatures) == 3)
        #expect(count(SignatureV1Body(keyId: "", nonce: uuid, timestamp: at, signature: "", appAccountToken: "")) == 5)
        #expect(count(SignatureV2Body(jws: "")) == 1)
        #expect(count(IntroductoryEligibilityBody(jws: "", allowIntroductoryOffer: true)) == 2)
        #expect(count(IngestReport(customers: [], results: [])) == 3)
        #expect(
            count(
                KnownIdentifiers(
                    originalTransactionIds: [], appTransactionId: nil, appAccountTokens: [], customerIds: [])) == 6)
        let status = CustomerStatus(
            customer: CustomerIdentifiers(), known: true,
            coverage: CoverageBody(level: "", asOf: nil, provenance: nil), asOf: at)
        #expect(count(StatusBody(items: [status])) == 2)
        #expect(count(status) == 9)
        #expect(count(status.customer) == 4)
        #expect(count(status.coverage) == 3)
        #expect(count(GroupStatus(of: "", state: "", hasAccess: true)) == 20)
        #expect(count(ProductStatus(productId: "", type: .consumable, owned: true)) == 5)
        #expect(count(Price(Money(milliunits: 0, currency: ""))) == 2)
        #expect(count(IngestResult(pointer: "", outcome: .added)) == 5)
        #expect(count(DecisionsBody(decisions: [], best: nil)) == 6)
        #expect(count(ExplanationBody(customerAnswer: "")) == 3)
        #expect(
            count(DecisionBody(offerId: "", outcome: "", delivery: .signature, priority: 0, findings: [])) == 8)
        #expect(count(FindingBody(rule: "", verdict: "", reason: "")) == 8)
        #expect(count(TurningPointBody()) == 2)
    }

    @Test("the whole decision that staff see is left to the encoder")
    func staff() throws {
        let finding = FindingBody(
            rule: "rule.eligibility", verdict: "violated", reason: "r", path: "all[0]", message: "m",
            evidence: [EvidenceBody(field: "f", observed: .value(.number(1.5)))])
        let body = DecisionsBody(
            decisions: [
                DecisionBody(
                    offerId: "a", outcome: "ineligible", delivery: .signature, priority: 0, findings: [finding])
            ], best: nil)
        #expect(!body.hasFastPath)
        #expect(String(decoding: try WireJSON.encode(body), as: UTF8.self) == (try Self.encoded(body)))
        #expect(String(decoding: try WireJSON.encode(body), as: UTF8.self).contains(#""message":"m""#))
        var known = KnownIdentifiers(originalTransactionIds: ["1"])
        known.identifiers = []
        #expect(!IngestReport(customers: [known], results: []).hasFastPath)
    }
}
