import OfferModel
import Testing

@testable import OfferDocuments

@Suite("A condition in one line")
struct ConditionTextTests {
    private static let catalog = """
        bundleId: com.example.pro
        subscriptionGroups:
          - id: "21500001"
            products:
              - { productId: monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
        products:
          - { productId: lifetime, type: nonConsumable }
        offers:
          - id: comeback
            type: promotional
            offerIdentifier: comeback50
            products: [monthly]
            paymentMode: freeTrial
            period: P1M
            periodCount: 1
            status: active
            eligibility: CONDITION
            limits: [ { count: 1, per: customer } ]

        """

    private func catalog(_ condition: String) throws -> Catalog {
        try CatalogReader.read(Self.catalog.replacing("CONDITION", with: condition)).value
    }

    private static let lines: [(line: String, yaml: String)] = [
        ("subscription.state is expired", "{ fact: subscription.state, is: expired }"),
        ("  subscription.state   is\texpired ", "{ fact: subscription.state, is: expired }"),
        ("subscription.state in [expired, revoked]", "{ fact: subscription.state, in: [expired, revoked] }"),
        ("subscription.state in [\"expired\",'revoked']", "{ fact: subscription.state, in: [expired, revoked] }"),
        ("subscription.daysSinceExpired atMost 10", "{ fact: subscription.daysSinceExpired, atMost: 10 }"),
        ("subscription.daysSinceExpired atMost P2W", "{ fact: subscription.daysSinceExpired, atMost: P2W }"),
        (
            "subscription.daysSinceExpired between 30 and 180",
            "{ fact: subscription.daysSinceExpired, between: [30, 180] }"
        ),
        (
            "subscription.daysSinceExpired between [30, 180]",
            "{ fact: subscription.daysSinceExpired, between: [30, 180] }"
        ),
        (
            "subscription.renewalPrice atLeast 4.99 USD",
            "{ fact: subscription.renewalPrice, atLeast: { amount: \"4.99\", currency: USD } }"
        ),
        (
            "subscription.startedAt lessThan 2026-01-01T00:00:00Z",
            "{ fact: subscription.startedAt, lessThan: \"2026-01-01T00:00:00Z\" }"
        ),
        (
            "customer.attributes.since atLeast 2026-01-01T00:00:00Z",
            "{ fact: customer.attributes.since, atLeast: { at: \"2026-01-01T00:00:00Z\" } }"
        ),
        (
            "customer.attributes.since is '2026-01-01T00:00:00Z'",
            "{ fact: customer.attributes.since, is: \"2026-01-01T00:00:00Z\" }"
        ),
        (
            "subscription.daysSinceExpired between 30 AND 180 AND customer.refunds is 0",
            "{ all: [ { fact: subscription.daysSinceExpired, between: [30, 180] }, { fact: customer.refunds, is: 0 } ] }"
        ),
        ("customer.attributes.seats exists", "{ fact: customer.attributes.seats, exists: true }"),
        ("customer.attributes.seats exists false", "{ fact: customer.attributes.seats, exists: false }"),
        (
            "customer.attributes.name is \"and so \\\"on\\\" \\\\\"",
            #"{ fact: customer.attributes.name, is: "and so \"on\" \\" }"#
        ),
        ("customer.attributes.name is \"Zoë (ü) 🎈\"", "{ fact: customer.attributes.name, is: \"Zoë (ü) 🎈\" }"),
        ("customer.attributes.vip is true", "{ fact: customer.attributes.vip, is: true }"),
        ("customer.owns.lifetime is false", "{ fact: customer.owns.lifetime, is: false }"),
        ("customer.redeemed.comeback moreThan 0", "{ fact: customer.redeemed.comeback, moreThan: 0 }"),
        ("customer.storefront isNot USA", "{ fact: customer.storefront, isNot: USA }"),
        (
            "subscription.state is expired and customer.refunds is 0 and customer.storefront is USA",
            "{ all: [ { fact: subscription.state, is: expired }, { fact: customer.refunds, is: 0 }, { fact: customer.storefront, is: USA } ] }"
        ),
        (
            "customer.refunds is 0 or subscription.state is expired and customer.storefront is USA",
            "{ any: [ { fact: customer.refunds, is: 0 }, { all: [ { fact: subscription.state, is: expired }, { fact: customer.storefront, is: USA } ] } ] }"
        ),
        (
            "(customer.refunds is 0 OR subscription.state is expired) AND NOT customer.storefront is USA",
            "{ all: [ { any: [ { fact: customer.refunds, is: 0 }, { fact: subscription.state, is: expired } ] }, { not: { fact: customer.storefront, is: USA } } ] }"
        ),
        (
            "not (customer.refunds is 0 and (subscription.state is expired))",
            "{ not: { all: [ { fact: customer.refunds, is: 0 }, { fact: subscription.state, is: expired } ] } }"
        ),
    ]

    @Test("a line is the condition that the catalog has in YAML", arguments: lines)
    func sameAsYAML(_ line: String, _ yaml: String) throws {
        let catalog = try catalog(yaml)
        let condition = try #require(catalog.offers[0].eligibility)
        #expect(try ConditionText.read(line, in: catalog) == condition)
        #expect(try ConditionText.read(line) == condition)
    }

    @Test("the line that a condition is written as reads back as the condition", arguments: lines)
    func roundTrip(_: String, _ yaml: String) throws {
        let catalog = try catalog(yaml)
        let condition = try #require(catalog.offers[0].eligibility)
        #expect(try ConditionText.read(ConditionText.line(condition), in: catalog) == condition)
    }

    @Test(
        "what cannot be meant is refused with its place, and mostly with a hint",
        arguments: [
            ("", "the condition is empty, at character 1"), ("   ", "the condition is empty, at character 1"),
            ("subscription.stat is expired", "unknown fact `subscription.stat`, at character 1"),
            ("subscription.state was expired", "unknown operator `was`, at character 20"),
            ("subscription.state = expired", "unknown operator `=`, at character 20"),
            ("subscription.state", "no operator follows `subscription.state`, at character 19"),
            ("subscription.state is", "a value is missing, at character 22"),
            ("subscription.state is gone", "`subscription.state` is never `gone`, at character 23"),
            ("subscription.state in []", "this list must not be empty, at character 23"),
            ("subscription.state in [expired", "the condition ends where `]` is expected, at character 31"),
            ("subscription.daysSinceExpired atMost soon", "this must be a number, not `soon`, at character 38"),
            ("subscription.daysSinceExpired between 30", "`between` needs two values, at character 41"),
            (
                "subscription.daysSinceExpired between 30 and 10",
                "nothing is between 30 and 10, at character 39"
            ),
            ("subscription.state is expired or", "the condition ends where a comparison is expected, at character 33"),
            ("(subscription.state is expired", "the condition ends where `)` is expected, at character 31"),
            ("subscription.state is expired)", "`)` is not expected here, at character 30"),
            (
                "subscription.state is expired customer.refunds is 0",
                "`customer.refunds` is not expected here, at character 31"
            ),
            ("\"subscription.state\" is expired", "`subscription.state` is not a fact, at character 1"),
            ("customer.attributes.name is \"open", "the text in quotes has no end, at character 29"),
            ("customer.owns.monthly is true", "product `monthly` is a subscription, at character 1"),
            ("customer.redeemed.come-back is 0", "there is no offer `come-back` in this catalog, at character 1"),
            (
                "signals.cancelled is true",
                "`signals.cancelled` is part of a request, and customers are counted without one, at character 1"
            ),
            (
                "request.locale is de",
                "`request.locale` is part of a request, and customers are counted without one, at character 1"
            ),
            ("subscription.state is expired\u{0}", "the character U+0000 is not allowed, at character 30"),
        ])
    func refused(_ line: String, _ words: String) throws {
        let catalog = try catalog("{ fact: subscription.state, is: expired }")
        let refusal = #expect(throws: InvalidDocument.self) { try ConditionText.read(line, in: catalog) }
        let first = try #require(refusal?.errors.first)
        #expect(first.inLine == words)
        #expect(first.path.isEmpty)
    }

    @Test("two comparisons that exclude each other are refused, as in a catalog")
    func contradiction() throws {
        let refusal = #expect(throws: InvalidDocument.self) {
            try ConditionText.read("subscription.state is expired and subscription.state is subscribed")
        }
        #expect(refusal?.errors.first?.code == .contradiction)
    }

    @Test(
        "the length and the depth of a line are bounded",
        arguments: [
            (String(repeating: "x", count: 10_000), DocumentIssueCode.tooLarge),
            (String(repeating: "(", count: 1_500), .tooDeep),
            (String(repeating: "not ", count: 900) + "customer.refunds is 0", .tooDeep),
            (String(repeating: "customer.refunds is 1 or ", count: 159) + "customer.refunds is 0", nil),
        ] as [(String, DocumentIssueCode?)])
    func bounds(_ line: String, _ code: DocumentIssueCode?) {
        do throws(InvalidDocument) {
            _ = try ConditionText.read(line)
            #expect(code == nil)
        } catch {
            #expect(error.errors.first?.code == code)
        }
    }
}
