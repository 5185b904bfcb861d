import Foundation
import OfferModel
import OfferTestSupport
import Testing

/// A history in days after the year began, and what a funnel counts of it.
private struct CourseCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Bought: Decodable, Sendable {
        var id: TransactionId
        var original: TransactionId?
        var from: Int64
        var until: Int64
        var signed: Int64?
        var offer: OfferIdentifier?
        /// Apple's number of its type; promotional if absent.
        var offerType: Int?
        var length: String?
        var price: Int64?
        var product: ProductId?
        var group: SubscriptionGroupId?
        var revoked: Int64?
        var revocation: String?
        var owned: Bool?
        var upgraded: Bool?
    }

    struct Info: Decodable, Sendable {
        var original: TransactionId?
        var signed: Int64
        var renews: Bool
        var offer: OfferIdentifier?
    }

    struct Expected: Decodable, Sendable, Equatable {
        var redemptions: Int
        var withoutIssuedOffer: Int?
        var retention: Int?
        var doubled: Int?
        var refunded: Bool?
        var inOffer: Bool?
        var fullPrice: Bool?
        var active: Bool?
    }

    var name: String
    /// The days on which issued offers of the offer were issued.
    var issuedOffers: [Int64]
    /// The day of the first evaluation; the first of the year if absent.
    var start: Int64?
    var transactions: [Bought]
    var infos: [Info]?
    var at: Int64
    var expect: Expected

    var testDescription: String { name }

    static let all = Result {
        try JSONDecoder().decode(
            [CourseCase].self,
            from: try Data(
                contentsOf: try #require(
                    Bundle.module.url(forResource: "Fixtures/funnel/courses", withExtension: "json"))))
    }
}

@Suite("a customer's course after an offer")
struct OfferCourseTests {
    private static let group: SubscriptionGroupId = "21500001"

    private static func day(_ day: Int64) -> Instant {
        Instant(milliseconds: 1_767_225_600_000).adding(milliseconds: day * Instant.Duration.day)
    }

    private static let offer = Offer(
        id: "comeback", type: .promotional, delivery: .signature, offerIdentifier: "comeback50",
        products: ["com.example.pro.monthly"], paymentMode: .payAsYouGo, period: Period(days: 30), periodCount: 1,
        price: Money(milliunits: 4_990, currency: "USD"), limits: [])

    @Test("each history counts as its case says", arguments: try CourseCase.all.get())
    fileprivate func course(_ testCase: CourseCase) throws {
        let facts = SubjectFacts(
            history: History(
                transactions: testCase.transactions.map { Self.row(Self.transaction($0)) },
                renewalInfos: (testCase.infos ?? []).map { Self.row(Self.info($0)) }),
            issuedOffers: try testCase.issuedOffers.enumerated().map {
                try Self.issuedOffer($0.offset + 1, issued: Self.day($0.element))
            })
        let course = OfferCourse(
            of: Self.offer, in: Self.group, facts, since: Self.day(testCase.start ?? 0), at: Self.day(testCase.at))
        let found = CourseCase.Expected(
            redemptions: course.redemptions.count, withoutIssuedOffer: course.redemptionsWithoutIssuedOffer,
            retention: course.redemptionsOfRetention, doubled: course.doubledRedemptions, refunded: course.isRefunded,
            inOffer: course.isInOffer,
            fullPrice: course.hasRenewedAtFullPrice, active: course.isActive)
        var expected = testCase.expect
        expected.withoutIssuedOffer = expected.withoutIssuedOffer ?? 0
        expected.retention = expected.retention ?? 0
        expected.doubled = expected.doubled ?? 0
        expected.refunded = expected.refunded ?? false
        expected.inOffer = expected.inOffer ?? false
        expected.fullPrice = expected.fullPrice ?? false
        #expect(found == expected)
    }

    private static func row<Payload>(_ payload: Payload) -> Recorded<Payload> {
        Recorded(payload: payload, payloadBytes: [], provenance: .client, sequence: 1)
    }

    private static func transaction(_ bought: CourseCase.Bought) -> Transaction {
        .fixture(
            bought.id, original: bought.original, product: bought.product ?? "com.example.pro.monthly",
            group: bought.group ?? group, purchased: day(bought.from), expires: day(bought.until),
            signed: bought.signed.map(day)
        ) { transaction in
            if let offer = bought.offer {
                transaction.offerType = bought.offerType.map(TransactionOfferType.init) ?? .promotional
                transaction.offerIdentifier = offer
                transaction.offerPeriod = bought.length ?? "P30D"
            }
            transaction.price = bought.price ?? (bought.offer == nil ? 9_990 : 4_990)
            transaction.revocationDate = bought.revoked.map(day)
            transaction.revocationReason = bought.revoked.map { _ in 0 }
            transaction.revocationType = bought.revocation.map(RevocationType.init(rawValue:))
            if bought.owned == false { transaction.inAppOwnershipType = .familyShared }
            transaction.isUpgraded = bought.upgraded ?? false
        }
    }

    private static func info(_ info: CourseCase.Info) -> RenewalInfo {
        .fixture(info.original ?? "1", signed: day(info.signed)) { renewal in
            renewal.autoRenewStatus = info.renews ? .on : .off
            if let offer = info.offer {
                renewal.offerType = .promotional
                renewal.offerIdentifier = offer
            }
        }
    }

    private static func issuedOffer(_ digit: Int, issued: Instant) throws -> IssuedOffer {
        let expires = issued.adding(milliseconds: Instant.Duration.day)
        return IssuedOffer(
            id: try #require(LowercaseUUID("0000000\(digit)-0000-4000-8000-000000000000")), offerId: "comeback",
            offerIdentifier: "comeback50", offerType: .promotional, delivery: .signature,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: group, issuedAt: issued,
            expiresAt: expires, countsUntil: expires.adding(milliseconds: Instant.Duration.hour), signings: 1)
    }
}
