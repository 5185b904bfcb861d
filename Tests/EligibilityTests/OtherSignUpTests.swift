import OfferTestSupport
import Testing

@testable import OfferModel

@Suite("Places that another sign-up of the same Apple Account has taken")
struct OtherSignUpTests {
    private static let start = Instant(milliseconds: 1_767_225_600_000)
    private static let now = start.adding(milliseconds: 90 * Instant.Duration.day)
    private static let token = AppAccountToken("0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b")
    private static let otherToken = AppAccountToken("aaaaaaaa-4c5d-4e6f-8a9b-0c1d2e3f4a5b")

    private static func issuedOffer(issued: Instant, to signUp: SignUp?) -> IssuedOffer {
        var issuedOffer = IssuedOffer(
            id: LowercaseUUID(version4From: [UInt8](repeating: 1, count: 16)), offerId: "comeback",
            offerIdentifier: "comeback50", offerType: .promotional, delivery: .signature,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001", issuedAt: issued,
            expiresAt: issued.adding(milliseconds: Instant.Duration.day),
            countsUntil: issued.adding(milliseconds: 25 * Instant.Duration.hour), signings: 1)
        issuedOffer.signUp = signUp
        return issuedOffer
    }

    private static func use(
        _ token: AppAccountToken? = nil, _ id: TransactionId = "7", original: TransactionId = "1"
    ) -> Recorded<Transaction> {
        let transaction = Transaction.fixture(id, original: original, purchased: start.adding(milliseconds: 1)) {
            $0.offerType = .promotional
            $0.offerIdentifier = "comeback50"
            $0.offerPeriod = "P1M"
            $0.appAccountToken = token
        }
        return Recorded(payload: transaction, payloadBytes: [1], provenance: .notification, sequence: 1)
    }

    private static func finding(
        _ facts: SubjectFacts, asking signUp: SignUp, at instant: Instant = now,
        limit: Limit = .perCustomer(count: 1, window: nil, across: .thisOffer), excludes: Bool = false
    ) throws -> Finding {
        var offer = Offer(
            id: excludes ? "other" : "comeback", type: .promotional, delivery: .signature,
            offerIdentifier: excludes ? "other50" : "comeback50", products: ["com.example.pro.monthly"],
            paymentMode: .freeTrial, period: Period(months: 1), periodCount: 1, limits: [limit])
        if excludes { offer.excludes = ["comeback"] }
        var question = Question(
            now: instant, scope: Scope(bundleId: "com.example.pro", environment: .production), offer: offer,
            productId: "com.example.pro.monthly", subscriptionGroupIdentifier: "21500001", offers: [offer])
        question.signUp = signUp
        let rule: RuleId = excludes ? .limitExcludes : .limitCustomer
        return try #require(decide(question, facts: facts).findings.first { $0.rule == rule })
    }

    @Test("a used offer is told with the sign-up, the issued offer and the day")
    func used() throws {
        let facts = SubjectFacts(
            history: History(transactions: [Self.use()]),
            issuedOffers: [
                Self.issuedOffer(issued: Self.start, to: SignUp(appAccountToken: Self.token, customerId: "anna"))
            ])
        let finding = try Self.finding(facts, asking: SignUp(appAccountToken: Self.otherToken, customerId: "second"))
        #expect(finding.verdict == .violated)
        #expect(
            finding.message == """
                already used (limit: once per customer), one of the uses under another sign-up of the same Apple Account: \
                `customerId` `anna`, `appAccountToken` `0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b`, issued on 2026-01-01 and \
                used (issued offer `01010101-0101-4101-8101-010101010101`)
                """)
        #expect(
            finding.evidence.map(\.field) == [
                "limit.customer", "redemption", "issuedOffer", "issuedOffer.issuedAt", "issuedOffer.customerId",
                "issuedOffer.appAccountToken",
            ])
        #expect(finding.evidence[3].observed == .instant(Self.start))
        #expect(finding.evidence[4].observed == .text("anna"))
        #expect(finding.evidence[4].provenance == .caller)
    }

    @Test("an open offer of another kind of place, the excluded one, is told in the same words")
    func excluded() throws {
        let issued = Self.now.adding(milliseconds: -Instant.Duration.hour)
        let facts = SubjectFacts(issuedOffers: [Self.issuedOffer(issued: issued, to: SignUp(customerId: "anna"))])
        let finding = try Self.finding(facts, asking: SignUp(customerId: "second"), excludes: true)
        #expect(
            finding.message == """
                never after an offer it excludes: `comeback` is issued and counts, one of the uses under another sign-up of \
                the same Apple Account: `customerId` `anna`, issued on 2026-03-31 (issued offer \
                `01010101-0101-4101-8101-010101010101`), until \(issued.adding(milliseconds: 25 * Instant.Duration.hour))
                """)
        #expect(
            finding.evidence.map(\.field) == [
                "offer.excludes", "issuedOffer", "issuedOffer.issuedAt", "issuedOffer.customerId",
            ])
    }

    @Test("a use that we did not issue is told by the account that Apple's data names")
    func unmatched() throws {
        let facts = SubjectFacts(history: History(transactions: [Self.use(Self.token)]))
        let finding = try Self.finding(facts, asking: SignUp(appAccountToken: Self.otherToken))
        #expect(
            finding.message == """
                already used (limit: once per customer), one of the uses under another sign-up of the same Apple Account: \
                `appAccountToken` `0e1f2a3b-4c5d-4e6f-8a9b-0c1d2e3f4a5b` used it on 2026-01-01
                """)
        let evidence = try #require(finding.evidence.last)
        #expect(evidence.field == "redemption.appAccountToken")
        #expect(evidence.provenance == .notification)
        #expect(evidence.transactionId == "7")
    }

    @Test(
        "one's own sign-up, by either alias, and one that is not known are not told",
        arguments: [
            (SignUp(customerId: "anna"), SignUp(appAccountToken: token, customerId: "anna")),
            (SignUp(appAccountToken: token, customerId: "anna"), SignUp(appAccountToken: token, customerId: "annie")),
            (nil, SignUp(customerId: "anna")), (SignUp(), SignUp(customerId: "anna")),
        ] as [(SignUp?, SignUp)])
    func own(taken: SignUp?, asking: SignUp) throws {
        let facts = SubjectFacts(
            history: History(transactions: [Self.use()]),
            issuedOffers: [Self.issuedOffer(issued: Self.start, to: taken)])
        let finding = try Self.finding(facts, asking: asking)
        #expect(finding.message == "already used (limit: once per customer)")
        #expect(finding.evidence.map(\.field) == ["limit.customer", "redemption"])
    }

    @Test(
        "a use is not said to be another sign-up's where the request names no alias to compare with: it may be one's own",
        arguments: [SignUp(), SignUp(appAccountToken: token)])
    func notComparable(asking: SignUp) throws {
        let facts = SubjectFacts(
            history: History(transactions: [Self.use()]),
            issuedOffers: [Self.issuedOffer(issued: Self.start, to: SignUp(customerId: "anna"))])
        for excludes in [false, true] {
            let finding = try Self.finding(facts, asking: asking, excludes: excludes)
            #expect(
                finding.message
                    == (excludes
                        ? "never after an offer it excludes: `comeback` was redeemed"
                        : "already used (limit: once per customer)"))
            #expect(finding.evidence.map(\.field) == [excludes ? "offer.excludes" : "limit.customer", "redemption"])
        }
    }

    @Test(
        "of two uses, both under the account's own token, neither is told, whichever identifier the customer is named by"
    )
    func ownTwice() throws {
        let facts = SubjectFacts(
            history: History(transactions: [Self.use(Self.token), Self.use(Self.token, "8", original: "2")]))
        let limit = Limit.perCustomer(count: 2, window: nil, across: .thisOffer)
        for asking in [SignUp(), SignUp(appAccountToken: Self.token), SignUp(customerId: "anna")] {
            let message = try Self.finding(facts, asking: asking, limit: limit).message
            #expect(message == "already used twice (limit: twice per customer)")
        }
    }

    @Test("of customers whom only the app's word makes one, nobody says that they are one Apple Account")
    func united() throws {
        var facts = SubjectFacts(
            history: History(transactions: [Self.use()]),
            issuedOffers: [Self.issuedOffer(issued: Self.start, to: SignUp(customerId: "anna"))])
        facts.isUnited = true
        let message = try Self.finding(facts, asking: SignUp(customerId: "second")).message
        #expect(message.contains("under another sign-up that the app's backend names together with this one: "))
        #expect(!message.contains("Apple Account"))
    }

    @Test("who asks decides nothing: verdicts and turning points are the same for every sign-up (invariant 4)")
    func decidesNothing() throws {
        let facts = SubjectFacts(
            history: History(transactions: [Self.use()]),
            issuedOffers: [Self.issuedOffer(issued: Self.start, to: SignUp(customerId: "anna"))])
        for count in 1...2 {
            let limit = Limit.perCustomer(count: count, window: nil, across: .thisOffer)
            let findings = try [SignUp(), SignUp(customerId: "anna"), SignUp(customerId: "second")].map {
                try Self.finding(facts, asking: $0, limit: limit)
            }
            #expect(Set(findings.map(\.verdict)) == [count == 1 ? .violated : .satisfied])
            #expect(Set(findings.map(\.turningPoint)) == [nil])
        }
    }
}
