import OfferModel
import Testing

@testable import OfferDocuments

@Suite struct CatalogReaderTests {
    @Test("the example catalog is read into its offers without a warning")
    func example() throws {
        let document = try CatalogReader.read(Fixture.repository("Examples/catalog.yaml"))
        #expect(document.warnings.isEmpty)
        let catalog = document.value
        #expect(catalog.bundleId == "com.example.pro")
        #expect(catalog.subscriptionGroups.map(\.id) == ["21500001"])
        #expect(
            catalog.offers.map(\.id) == ["welcome-trial", "comeback-half-price", "loyal-yearly", "free-month-back"])
        let welcome = try #require(catalog.offer("welcome-trial"))
        #expect(welcome.delivery == .introductoryEligibility)
        #expect(welcome.formats.isEmpty)
        #expect(welcome.products == ["com.example.pro.monthly", "com.example.pro.yearly"])
        let comeback = try #require(catalog.offer("comeback-half-price"))
        #expect(comeback.price == Money(milliunits: 4_990, currency: "USD"))
        #expect(comeback.formats == [.v2, .v1])
        #expect(comeback.limits == [.perCustomer(count: 1, window: nil, across: .thisOffer)])
        #expect(
            comeback.eligibility
                == .any([
                    .comparison(
                        Comparison(fact: "subscription.state", comparisonOperator: .in, operands: [.text("expired")])),
                    .all([
                        .comparison(
                            Comparison(
                                fact: "subscription.state", comparisonOperator: .is, operands: [.text("subscribed")])),
                        .comparison(
                            Comparison(
                                fact: "subscription.willAutoRenew", comparisonOperator: .is,
                                operands: [.boolean(false)])),
                    ]),
                ]))
        #expect(try #require(catalog.offer("free-month-back")).delivery == .signature)
    }

    @Test("a member that the format leaves out has its documented default")
    func defaults() throws {
        let offer = try #require(try CatalogReader.read(Fixture.repository("Examples/catalog.yaml")).value.offers.first)
        #expect(offer.priority == 0)
        #expect(offer.signaturesPerOffer == 3)
        #expect(offer.environments == [.production, .sandbox, .localTesting, .xcode])
        #expect(offer.starts == nil)
        #expect(offer.eligibility == nil)
    }

    @Test("the complete example is valid as it is")
    func design() throws {
        let document = try CatalogReader.read(Fixture.bytes("design/full.yaml"))
        let offer = try #require(document.value.offer("comeback-half-price"))
        #expect(offer.starts == Instant(iso8601: "2026-12-01T00:00:00Z"))
        #expect(offer.ends == Instant(iso8601: "2027-02-01T00:00:00Z"))
        #expect(offer.environments == [.production, .sandbox])
        #expect(offer.priority == 10)
        #expect(offer.tags == ["comeback"])
        #expect(
            offer.limits == [
                .perCustomer(count: 1, window: nil, across: .thisOffer),
                .perCustomer(count: 1, window: Period("P90D"), across: .tag("comeback")), .total(count: 10_000),
                .budget(Money(milliunits: 25_000_000, currency: "USD")),
            ])
        #expect(offer.rollout == Rollout(percent: 50, holdout: 5, salt: "spring"))
        #expect(
            document.value.offer("free-month-back")?.winBackTerms
                == WinBackTerms(
                    paidSubscriptionDurationInMonths: 3, timeSinceLastSubscribedInMonths: 1...12,
                    waitBetweenOffersInMonths: 6))
        #expect(document.warnings.map(\.code) == [.unknownOffer])
    }

    @Test("JSON, a byte order mark and Windows line ends are read alike")
    func otherForms() throws {
        let yaml = try Fixture.repository("Examples/catalog.yaml")
        let catalog = try CatalogReader.read(yaml).value
        #expect(try CatalogReader.read(CatalogWriter.json(catalog)).value == catalog)
        #expect(try CatalogReader.read([0xEF, 0xBB, 0xBF] + yaml).value == catalog)
        let windows = yaml.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
        #expect(try CatalogReader.read(windows).value == catalog)
    }

    @Test("an offer without limits is accepted with a warning that names its line")
    func unlimited() throws {
        let text = String(decoding: try Fixture.bytes("design/subset.yaml"), as: UTF8.self)
            .replacing("limits: [ { count: 1, per: customer } ]", with: "limits: []")
        let document = try CatalogReader.read(text)
        let warning = try #require(document.warnings.first)
        #expect(document.warnings.count == 1)
        #expect(warning.code == .unlimited)
        #expect(warning.path == "offers[1].limits")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false)[warning.line - 1].contains("limits: []"))
        #expect(document.value.offers[1].limits.isEmpty)
    }

    @Test(
        "limits per account alone are accepted with a warning",
        arguments: [
            ("limits: [ { count: 1, per: account } ]", DocumentIssueCode.unlimited, "offers[1].limits"),
            ("limits: [ { count: 1, per: account }, { count: 1, per: customer } ]", nil, ""),
        ] as [(String, DocumentIssueCode?, String)])
    func accountLimits(limits: String, code: DocumentIssueCode?, path: String) throws {
        let text = String(decoding: try Fixture.bytes("design/subset.yaml"), as: UTF8.self)
            .replacing("limits: [ { count: 1, per: customer } ]", with: limits)
        let document = try CatalogReader.read(text)
        #expect(document.warnings.map(\.code) == (code.map { [$0] } ?? []))
        #expect(document.warnings.first?.path ?? "" == path)
        #expect(document.value.offers[1].hasAccountLimit)
    }

    @Test(
        "an introductory offer that is given again is accepted with a warning, and `limits: []` says how often that is")
    func again() throws {
        let document = try CatalogReader.read(
            """
            bundleId: com.example.pro
            subscriptionGroups:
              - id: "21500001"
                products:
                  - { productId: monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
            offers:
              - id: trial
                type: introductory
                products: [monthly]
                paymentMode: freeTrial
                period: P1W
                periodCount: 1
                status: active
                again: { after: P12M }
                limits: []

            """)
        #expect(document.value.offers.first?.again == Period(months: 12))
        #expect(document.warnings.map(\.code) == [.introductoryAgain, .unlimited])
        #expect(document.warnings.map(\.line) == [14, 15])
        #expect(document.warnings.last?.detail.hasSuffix("again `P1Y` after the last one ended") == true)
    }

    @Test("a tag that no offer has, and an offer that is not there, give warnings where they stand")
    func unknownNames() throws {
        let text = String(decoding: try Fixture.bytes("design/subset.yaml"), as: UTF8.self)
            .replacing(
                "limits: [ { count: 1, per: customer } ]",
                with: """
                    limits: [ { count: 1, per: customer, window: PT48H, across: "tag:typo" } ]
                        excludes: [gone]
                    """)
        let document = try CatalogReader.read(text)
        #expect(document.warnings.map(\.code) == [.unknownTag, .unknownOffer])
        #expect(document.warnings.map(\.path) == ["offers[1].limits[0].across", "offers[1].excludes[0]"])
        #expect(document.warnings.first?.detail == "no offer of this catalog has the tag `typo`")
        #expect(
            document.value.offers[1].limits
                == [.perCustomer(count: 1, window: Period("PT48H"), across: .tag("typo"))])
    }

    @Test("terms that Apple is not known to offer give a warning, not an error")
    func unusualTerms() throws {
        let text = String(decoding: try Fixture.bytes("design/subset.yaml"), as: UTF8.self)
            .replacing("paymentMode: payAsYouGo", with: "paymentMode: payUpFront")
        #expect(try CatalogReader.read(text).warnings.map(\.code) == [.unusualTerms])
    }

    @Test("a terminal shows an error with path, file and line, and its hint")
    func rendering() throws {
        let bytes = try Fixture.repository("Examples/wrong-catalog.yaml")
        let invalid = try #require(throws: InvalidDocument.self) { try CatalogReader.read(bytes) }
        let lines = IssueText.lines(invalid.errors, file: "wrong-catalog.yaml")
        #expect(
            lines == [
                "error: unknown fact `subscription.staet` at offers[1].eligibility.any[0] (wrong-catalog.yaml:36)",
                "hint: did you mean `subscription.state`?",
            ])
    }

    @Test("an offer that another one asks about and that is not in the catalog gives a warning, not an error")
    func unknownRedeemedOffer() throws {
        let text = String(decoding: try Fixture.bytes("design/subset.yaml"), as: UTF8.self)
        let condition = "subscription.paidMonths, atLeast: 3"
        for (offer, codes) in [("free-month-back", []), ("long-gone", [DocumentIssueCode.unknownOffer])] {
            let asking = text.replacing(condition, with: "customer.redeemed.\(offer), is: 0")
            let document = try CatalogReader.read(asking)
            #expect(document.warnings.map(\.code) == codes)
            #expect(document.warnings.map(\.path) == codes.map { _ in "offers[0].eligibility.all[2]" })
        }
    }

    @Test(
        "a value is read in every form its fact can be written in",
        arguments: [
            ("subscription.daysSinceExpired, atLeast: P30D", .number(30)),
            ("subscription.daysSinceExpired, moreThan: P2W", .number(14)),
            ("customer.daysSinceFirstSeen, lessThan: PT48H", .number(2)),
            ("subscription.paidMonths, atLeast: P1Y", .number(12)),
            ("request.appVersion, atLeast: \"1.10\"", .text("1.10")),
            ("request.locale, isNot: de_CH", .text("de_CH")),
            ("customer.storefront, is: USA", .text("USA")),
            ("customer.redeemed.free-month-back, is: 0", .number(0)),
            (
                "subscription.renewalPrice, lessThan: { amount: \"4.99\", currency: USD }",
                .money(Money(milliunits: 4_990, currency: "USD"))
            ),
            (
                "customer.attributes.spent, lessThan: { amount: \"4.99\", currency: USD }",
                .money(Money(milliunits: 4_990, currency: "USD"))
            ),
            (
                "customer.attributes.joined, lessThan: { at: 1970-01-01T02:00:00.001+02:00 }",
                .instant(Instant(milliseconds: 1))
            ),
            ("customer.attributes.level, exists: false", .boolean(false)),
            ("signals.length, is: P30D", .text("P30D")),
        ] as [(String, FactValue)])
    func forms(written: String, value: FactValue) throws {
        let text = String(decoding: try Fixture.bytes("design/subset.yaml"), as: UTF8.self)
            .replacing("subscription.paidMonths, atLeast: 3", with: written)
        let catalog = try CatalogReader.read(text).value
        guard case .all(let nodes) = catalog.offers[0].eligibility, case .comparison(let comparison) = nodes[2] else {
            Issue.record("the condition has another shape")
            return
        }
        #expect(comparison.operands == [value])
        #expect(try CatalogReader.read(CatalogWriter.yaml(catalog)).value == catalog)
        #expect(try CatalogReader.read(CatalogWriter.json(catalog)).value == catalog)
    }
}
